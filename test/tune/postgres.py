# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A PostgreSQL server of a test's own."""
import glob

from harness import *


class Server:
    """Listens on a socket only. PostgreSQL refuses to run as root."""

    def __init__(self):
        programs = sorted(glob.glob("/usr/lib/postgresql/*/bin"))
        assert programs, "PostgreSQL's server is missing: tools/setup --tests installs it"
        self.programs, self.become = programs[-1], []
        self.home = tempfile.mkdtemp(prefix="vitc-pg-", dir="/tmp")
        self.url = f"postgresql://tune@/postgres?host={self.home}"
        if os.geteuid() == 0:
            shutil.chown(self.home, "postgres", "postgres")
            self.become = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"]
        self.run("initdb", "-D", f"{self.home}/data", "-U", "tune", "-A", "trust", "--no-sync")
        self.start()

    def run(self, program, *arguments):
        subprocess.run([*self.become, f"{self.programs}/{program}", *arguments], check=True, cwd=self.home,
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=120)

    def control(self, *arguments):
        self.run("pg_ctl", "-D", f"{self.home}/data", "-w", "-o", f"-c listen_addresses='' -k {self.home}", "-l",
                 f"{self.home}/log", *arguments)

    def start(self):
        self.control("start")

    def restart(self):
        self.control("-m", "fast", "restart")

    def stop(self):
        self.control("-m", "immediate", "stop")

    def remove(self):
        shutil.rmtree(self.home)

    def query(self, text):
        command = [*self.become, f"{self.programs}/psql", "-h", self.home, "-U", "tune", "-d", "postgres", "-At", "-F", "\t", "-c"]
        lines = subprocess.run([*command, text], check=True, capture_output=True, text=True, cwd="/").stdout.splitlines()
        return [tuple(int(field) if field.isdigit() else field for field in line.split("\t")) for line in lines]
