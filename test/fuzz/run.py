#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Runs the fuzz targets and prints a table of what they did.

    run.py --build BUILD-ASAN --vitc BUILD/bin/vitc [--seconds N] [--workers W] [--seed S] [TARGET...]

Every target first gets the regressions (test/fuzz/regressions) and the seeds (make_seeds.py), then N seconds of new inputs from each of W
processes; `--seconds 0` leaves those out. With a seed the new inputs are the same each time: a change is not blamed for what chance finds. A crash, a leak, undefined behaviour, 2 s of processor time for one input, or memory that an
input of this size cannot need is a failure; its input is kept, and a second line says how to run it again.
"""

import argparse
import concurrent.futures
import glob
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
REGRESSIONS = os.path.join(HERE, "regressions")
HANG_SECONDS = 2
# libFuzzer counts by the clock, so on a busy machine it stops inputs that are not to blame; only those are judged by processor time.
# The longest input, and the largest single allocation in megabytes. Images and deflated arrays may become a thousand times larger
# than their files; the other readers never have a reason to.
LIMITS = {
    "arrays": (2048, 16), "config": (8192, 64), "image": (8192, 64), "kernel": (4096, 64), "lowering": (8192, 64), "manifest": (8192, 16),
    "processor": (4096, 16), "records": (8192, 16), "safetensors": (4096, 16), "shards": (4096, 16), "store": (8192, 16),
    "torch": (4096, 16), "weights": (1024, 16)}
RSS_MB = 2048
EXECUTIONS = re.compile(r"stat::number_of_executed_units:\s+(\d+)")
COVERAGE = re.compile(r"cov: (\d+)")
START = re.compile(r"FAULT:|ERROR:|runtime error|terminate called|LLVM ERROR|Assertion")
ARTIFACT = re.compile(r"Test unit written to (\S+)")


class Failure(Exception):
    """What a target did wrong."""


class Target:
    def __init__(self, name, arguments):
        self.name = name
        self.program = os.path.join(arguments.build, "bin/fuzz", name)
        self.folder = os.path.join(arguments.build, "test/fuzz/work", name)
        self.seeds = os.path.join(arguments.seeds, name)
        self.seconds, self.workers, self.seed = arguments.seconds, arguments.workers, arguments.seed
        self.executions = self.coverage = self.fuzzed = 0

    def options(self):
        longest, megabytes = LIMITS[self.name]
        return [f"-max_len={longest}", f"-timeout={HANG_SECONDS}", f"-rss_limit_mb={RSS_MB}", f"-malloc_limit_mb={megabytes}",
                "-detect_leaks=1", f"-artifact_prefix={self.folder}/"]

    def start(self, *arguments, **variables):
        # LLVM's allocators mark free memory; those in libMLIR, which has no sanitizer, do not take the marks away again.
        environment = {**os.environ,
                       "ASAN_OPTIONS": "detect_stack_use_after_return=1:strict_string_checks=1:handle_abort=1:allow_user_poisoning=0",
                       "UBSAN_OPTIONS": "print_stacktrace=1", **variables}
        return subprocess.run([self.program, *self.options(), *arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              env=environment, text=True, errors="replace")

    def is_hang(self, artifact):
        """Whether the input takes as much processor time as it took time by the clock."""
        child = subprocess.Popen([self.program, "-timeout=0", artifact], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                                 preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_CPU, (4 * HANG_SECONDS, 4 * HANG_SECONDS)))
        _, status, usage = os.wait4(child.pid, 0)
        child.returncode = status  # it is reaped
        return status != 0 or usage.ru_utime > HANG_SECONDS

    def judge(self, process):
        """Raises a Failure unless the process ended well, or was only too slow by the clock."""
        if process.returncode == 0:
            return
        found = ARTIFACT.search(process.stdout)
        artifact = found.group(1) if found else None
        if artifact and os.path.basename(artifact).startswith("timeout-") and not self.is_hang(artifact):
            os.remove(artifact)
            return
        lines = process.stdout.splitlines()
        first = next((i for i, line in enumerate(lines) if START.search(line)), max(0, len(lines) - 30))
        tail = "\n".join(lines[first : first + 30])
        again = f"\nrun again: {self.program} {' '.join(self.options()[1:4])} {artifact}" if artifact else ""
        raise Failure(f"{self.name}: exit code {process.returncode}\n{tail}{again}")

    def replay(self):
        # Slow inputs of a busy machine would hide those behind them, so there is one process for each folder, and time to spare.
        # A seed that its reader refuses leads nowhere: the formats have moved on without make_seeds.py.
        for folder, variables in ((os.path.join(REGRESSIONS, self.name), {}), (self.seeds, {"VITC_FUZZ_SEEDS": "1"})):
            files = sorted(glob.glob(os.path.join(folder, "*")))
            if files:
                self.judge(self.start(f"-timeout={10 * HANG_SECONDS}", *files, **variables))

    def fuzz(self, worker):
        corpus = os.path.join(self.folder, "corpus")
        os.makedirs(corpus, exist_ok=True)
        end = time.monotonic() + self.seconds
        # More than once only where the clock has stopped an input that is not to blame.
        while (left := round(end - time.monotonic())) > 0:
            seed = self.seed + worker if self.seed else 0  # 0: another one each time
            process = self.start(f"-max_total_time={left}", f"-seed={seed}", "-print_final_stats=1", "-reload=5", corpus, self.seeds)
            self.executions += sum(int(count) for count in EXECUTIONS.findall(process.stdout))
            self.fuzzed = max(self.fuzzed, round(time.monotonic() - end) + self.seconds)
            self.coverage = max([self.coverage, *(int(count) for count in COVERAGE.findall(process.stdout))])
            self.judge(process)

    def run(self):
        shutil.rmtree(self.folder, ignore_errors=True)
        os.makedirs(self.folder)
        self.replay()
        if self.seconds:
            with concurrent.futures.ThreadPoolExecutor(self.workers) as pool:
                list(pool.map(self.fuzz, range(self.workers)))

    def row(self, result):
        rate = self.executions / self.fuzzed if self.fuzzed else 0
        return f"| {self.name} | {self.fuzzed} | {self.executions:,} | {rate:,.0f} | {self.coverage:,} | {result} |"


def run_all(names, arguments):
    """Prints a row for each target and returns what went wrong."""
    print("| target | seconds | executions | per second | coverage | result |\n| --- | ---: | ---: | ---: | ---: | --- |")
    failures = []

    def run(name):
        target, result = Target(name, arguments), "nothing found"
        try:
            target.run()
        except Failure as failure:
            failures.append(str(failure))
            result = "**failed**"
        print(target.row(result), flush=True)

    at_once = max(1, (os.cpu_count() or 1) // arguments.workers)
    with concurrent.futures.ThreadPoolExecutor(at_once) as pool:
        list(pool.map(run, names))
    return failures


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True, help="the build with sanitizers")
    parser.add_argument("--vitc", required=True, help="any build of vitc, to make the seeds with")
    parser.add_argument("--seconds", type=int, default=5, help="for each target")
    parser.add_argument("--workers", type=int, default=1, help="processes for each target")
    parser.add_argument("--seed", type=int, default=0, help="of the first process; another one each time unless given")
    parser.add_argument("targets", nargs="*", default=None)
    arguments = parser.parse_args()
    arguments.build = os.path.abspath(arguments.build)
    built = sorted(os.path.basename(path) for path in glob.glob(os.path.join(arguments.build, "bin/fuzz/*")))
    names = arguments.targets or built
    if missing := [name for name in names if name not in built or name not in LIMITS]:
        sys.exit(f"not built: {', '.join(missing)}")
    if not names:
        sys.exit(f"there are no fuzz targets in {arguments.build}/bin/fuzz")
    # Calls for other targets may run at the same time.
    with tempfile.TemporaryDirectory(prefix="vitc-fuzz-seeds-") as arguments.seeds:
        subprocess.run([sys.executable, os.path.join(HERE, "make_seeds.py"), "--vitc", arguments.vitc, arguments.seeds], check=True)
        failures = run_all(names, arguments)
    for failure in failures:
        print(f"\nFAIL {failure}", file=sys.stderr)
    sys.exit(1 if failures else 0)


main()
