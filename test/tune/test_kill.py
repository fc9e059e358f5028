# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Killed outright at random moments and resumed: no trial is lost, none is counted twice.

  python test_kill.py VITC [KILLS]"""
import random
import signal
import time

from harness import *

KILLS = int(sys.argv[2]) if len(sys.argv) > 2 else 4
TRIALS = 12 * KILLS
database = scratch / "kill.sqlite"
random.seed(time.time())
known = set()  # what was measured before a kill must be there after it
kills = 0
while True:
    arguments = [VITC, "tune", MODEL, "--trials", str(TRIALS), "--db", str(database), "-q", "--json"]
    if kills:
        arguments.append("--resume")
    process = subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if kills < KILLS:
        # At any moment, but for the very first, when there is no session to resume yet.
        if not kills:
            while not database.exists() or not rows(database, "SELECT count(*) FROM sqlite_master WHERE name = 'trials'")[0][0] \
                    or not rows(database, "SELECT count(*) FROM trials")[0][0]:
                assert process.poll() is None, process.stderr.read()
                time.sleep(0.01)
        try:
            process.wait(random.uniform(0.1, 4))
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
            process.wait()
            kills += 1
            done = set(rows(database, "SELECT id, outcome, seconds FROM trials WHERE state = 'done'"))
            assert known <= done, f"lost: {known - done}"
            known = done
            assert rows(database, "PRAGMA integrity_check") == [("ok",)]
            print(f"ok killed with {len(done)} trials done")
            continue
    output, error = process.communicate(timeout=600)
    assert process.returncode == 0, error
    break
figures = json.loads(output)
done = set(rows(database, "SELECT id, outcome, seconds FROM trials WHERE state = 'done'"))
assert known <= done, f"lost: {known - done}"
check_trials(lambda query: rows(database, query), figures, trials=TRIALS)
# A kill ends one measurement at most. What waited behind that one was not tried, and is not to blame.
repeated, = rows(database, "SELECT sum(attempts) - count(*) FROM trials WHERE state = 'done'")[0]
assert repeated <= kills, f"{kills} kills, and {repeated} measurements were repeated"
blamed, = rows(database, "SELECT count(*) FROM trials WHERE detail = 'two workers were lost over it'")[0]
assert blamed <= kills // 2, f"{kills} kills, and {blamed} trials are blamed for two each"
assert rows(database, "SELECT count(*) FROM sessions") == [(1,)]
assert figures["finished"]
check_nothing_left()
print(f"ok {figures['trials']} trials after {kills} kills: {figures['outcomes']}")
