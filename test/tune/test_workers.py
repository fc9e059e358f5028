# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A PostgreSQL server of the test's own, one coordinator and three workers, of which one is killed and one hangs in the
middle: the session ends, and every trial is accounted for. Then the same session with one process and SQLite."""
import signal
import time

from postgres import *

TRIALS = 48
server = Server()
url, query = server.url, server.query
processes = []
try:
    start = lambda *arguments: processes.append(
        subprocess.Popen([VITC, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)) or processes[-1]
    coordinator = start("tune", MODEL, "--db", url, "--coordinate", "--trials", str(TRIALS), "--lease", "20", "-q", "--json")
    workers = [start("worker", "--db", url, "--lease", "20", "-q") for _ in range(3)]

    def stop_amid_work(worker, least):
        """Stops the worker in the middle of something, when some trials are done. Returns the trials that it holds."""
        deadline = time.time() + 200
        while time.time() < deadline:
            assert coordinator.poll() is None, coordinator.communicate()
            assert all(w.poll() is None for w in workers if w is not killed), [w.poll() for w in workers]
            try:
                if query("SELECT count(*) FROM trials WHERE state = 'done'")[0][0] >= least:
                    worker.send_signal(signal.SIGSTOP)
                    held = query(f"SELECT id FROM trials WHERE state = 'running' AND worker LIKE '%:{worker.pid}:%'")
                    if held:
                        return [id for id, in held]
                    worker.send_signal(signal.SIGCONT)
            except subprocess.CalledProcessError:
                pass  # the tables are not there yet
            time.sleep(0.02)
        raise AssertionError("the worker has never had anything to do")

    killed = None
    held = {workers[0]: stop_amid_work(workers[0], 5)}
    killed = workers[0]
    killed.send_signal(signal.SIGKILL)
    print("ok one worker killed")
    held[workers[1]] = stop_amid_work(workers[1], 8)
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
    for worker, trials in held.items():
        for state, last, detail in query("SELECT state, worker, detail FROM trials WHERE id IN "
                                         f"({', '.join(map(str, trials))})"):
            assert state == "done" and (f":{worker.pid}:" not in last or detail == "two workers were lost over it"), last
    blamed = query("SELECT count(*) FROM trials WHERE detail = 'two workers were lost over it'")[0][0]
    assert blamed <= 1, f"two workers were lost, and {blamed} trials are blamed"
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
    server.stop()
    server.remove()

database = scratch / "one.sqlite"
figures = tune("--db", database, "--trials", TRIALS)
check_trials(lambda text: rows(database, text), figures, trials=TRIALS)
print(f"ok the same with one process and SQLite: {figures['outcomes']}")
