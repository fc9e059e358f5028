"""A PostgreSQL server of the test's own, one coordinator and three workers, of which one is killed and one hangs in the
middle: the session ends, and every trial is accounted for. Then the same session with one process and SQLite."""
import getpass
import glob
import signal
import time

from harness import *

TRIALS = 48


def start_server():
    """A server that listens on a socket only. PostgreSQL refuses to run as root."""
    programs = sorted(glob.glob("/usr/lib/postgresql/*/bin"))
    assert programs, "PostgreSQL's server is missing: tools/setup installs it"
    home = tempfile.mkdtemp(prefix="vitc-pg-", dir="/tmp")
    become = []
    if os.geteuid() == 0:
        shutil.chown(home, "postgres", "postgres")
        become = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"]
    run = lambda program, *arguments: subprocess.run([*become, f"{programs[-1]}/{program}", *arguments], check=True, cwd=home,
                                                     stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=120)
    run("initdb", "-D", f"{home}/data", "-U", "tune", "-A", "trust", "--no-sync")
    run("pg_ctl", "-D", f"{home}/data", "-w", "-o", f"-c listen_addresses='' -k {home}", "-l", f"{home}/log", "start")
    stop = lambda: (run("pg_ctl", "-D", f"{home}/data", "-w", "-m", "immediate", "stop"), shutil.rmtree(home))
    return f"postgresql://tune@/postgres?host={home}", stop, [*become, f"{programs[-1]}/psql", "-h", home, "-U", "tune",
                                                              "-d", "postgres", "-At", "-F", "\t", "-c"]


url, stop_server, psql = start_server()


def query(text):
    lines = subprocess.run([*psql, text], check=True, capture_output=True, text=True, cwd="/").stdout.splitlines()
    return [tuple(int(field) if field.isdigit() else field for field in line.split("\t")) for line in lines]


processes = []
try:
    start = lambda *arguments: processes.append(
        subprocess.Popen([VITC, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)) or processes[-1]
    coordinator = start("tune", MODEL, "--db", url, "--coordinate", "--trials", str(TRIALS), "--lease", "20", "-q", "--json")
    workers = [start("worker", "--db", url, "--lease", "20", "-q") for _ in range(3)]

    def wait_for_claim(worker, least):
        """Until the worker is in the middle of something, and some trials are done."""
        deadline = time.time() + 200
        while time.time() < deadline:
            assert coordinator.poll() is None, coordinator.communicate()
            assert all(w.poll() is None for w in workers if w is not killed), [w.poll() for w in workers]
            try:
                busy = query(f"SELECT count(*) FROM trials WHERE state = 'running' AND worker LIKE '%:{worker.pid}:%'")[0][0]
                done = query("SELECT count(*) FROM trials WHERE state = 'done'")[0][0]
                if busy and done >= least:
                    return
            except subprocess.CalledProcessError:
                pass  # the tables are not there yet
            time.sleep(0.02)
        raise AssertionError("the worker has never had anything to do")

    killed = None
    wait_for_claim(workers[0], 5)
    killed = workers[0]
    killed.send_signal(signal.SIGKILL)
    print("ok one worker killed")
    wait_for_claim(workers[1], 8)
    workers[1].send_signal(signal.SIGSTOP)
    print("ok one worker hangs")
    output, error = coordinator.communicate(timeout=500)
    assert coordinator.returncode == 0, error
    figures = json.loads(output)
    workers[1].send_signal(signal.SIGCONT)  # it wakes up, and what it brings is not counted
    time.sleep(2)
    check_trials(query, figures, trials=TRIALS)
    again = json.loads(vitc("tune", "--db", url, "--json", "-q").stdout)
    assert again["outcomes"] == figures["outcomes"] and again["trials"] == figures["trials"]
    assert figures["finished"] and figures["measured"] >= TRIALS / 2, figures["outcomes"]
    assert query("SELECT count(*) FROM trials WHERE attempts = 2")[0][0] >= 1, "nothing was lost: the test has not tested"
    assert len(query("SELECT DISTINCT worker FROM trials WHERE state = 'done'")) >= 2
    print(f"ok {figures['trials']} trials by three workers: {figures['outcomes']}")

    # Records leave one kind of store and enter the other.
    text = scratch / "records.jsonl"
    vitc("tune", "--db", url, "--export", text)
    vitc("tune", "--db", scratch / "copy.sqlite", "--import", text)
    back = scratch / "back.jsonl"
    vitc("tune", "--db", scratch / "copy.sqlite", "--export", back)
    assert text.read_text() == back.read_text()
    vitc("compile", MODEL, "-o", scratch / "out", "--name", "out", "--tune-db", url, "-q")
finally:
    for process in processes:
        if process.poll() is None:
            process.send_signal(signal.SIGCONT)
            process.send_signal(signal.SIGTERM)
            process.wait(30)
    stop_server()

database = scratch / "one.sqlite"
figures = tune("--db", database, "--trials", TRIALS)
check_trials(lambda text: rows(database, text), figures, trials=TRIALS)
print(f"ok the same with one process and SQLite: {figures['outcomes']}")
