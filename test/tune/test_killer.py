# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A schedule that ends its worker while it is compiled, in a batch with others: it is given up after the second time, and the
others are tried as if nothing had happened."""
from harness import *

# The first candidate that is no default takes the program with it that asked for it, every time.
BACKEND = '''
import json, os, signal, subprocess, sys
if "-o" in sys.argv:
    request = json.load(open(sys.argv[sys.argv.index("--spec") + 1]))
    killer = os.path.join(STATE, "killer")
    if request.get("schedule"):
        try:
            with open(killer, "x") as file:
                json.dump(request.get("schedule"), file, sort_keys=True)
        except FileExistsError:
            pass
        if json.dumps(request.get("schedule"), sort_keys=True) == open(killer).read():
            os.kill(os.getppid(), signal.SIGKILL)
            sys.exit(1)
os.execv(REAL, [REAL, *sys.argv[1:]])
'''
program, database = install("killer", BACKEND), scratch / "killer.sqlite"
deaths = 0
while True:
    done = vitc("tune", MODEL, "--db", database, "--trials", 16, "--kernel", "patch_embed", "-q", "--json",
                *(["--resume"] if deaths else []), program=program, check=False)
    if done.returncode == 0:
        break
    assert done.returncode == -9, done.stderr
    deaths += 1
    print("ok lost", rows(database, "SELECT count(*) FROM trials WHERE state = 'running'")[0][0], "trials")
    assert deaths <= 2, f"the same schedule has ended {deaths} workers"
assert deaths == 2, deaths
figures = json.loads(done.stdout)
check_trials(lambda query: rows(database, query), figures, trials=16)
killer = compact(json.loads((scratch / "killer/state/killer").read_text()))
blamed = rows(database, "SELECT schedule, outcome FROM trials WHERE detail = 'two workers were lost over it'")
assert blamed == [(killer, "crash")], (blamed, killer)
assert figures["outcomes"]["crash"] == 1 and figures["finished"], figures["outcomes"]
check_nothing_left()
print(f"ok {figures['trials']} trials and {deaths} lost workers: {figures['outcomes']}")
