# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The database server is restarted under a coordinator and a worker: both connect again, and no trial is lost or counted
twice. When it does not come back, they end with a message."""
import time

from postgres import *

TRIALS = 24
server = Server()
processes = []


def start(*arguments):
    processes.append(subprocess.Popen([VITC, *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True))
    return processes[-1]


def wait_for(count):
    """Until so many trials are done."""
    deadline = time.time() + 300
    while time.time() < deadline:
        assert all(process.poll() is None for process in processes), [process.communicate() for process in processes]
        try:
            if server.query("SELECT count(*) FROM trials WHERE state = 'done'")[0][0] >= count:
                return
        except subprocess.CalledProcessError:
            pass  # the tables are not there yet
        time.sleep(0.05)
    raise AssertionError(f"{count} trials are never done")


running = True
try:
    coordinator = start("tune", MODEL, "--db", server.url, "--coordinate", "--trials", str(TRIALS), "-q", "--json")
    worker = start("worker", "--db", server.url, "-q")
    for done in [4, 12]:
        wait_for(done)
        server.restart()
        print("ok restarted")
    output, error = coordinator.communicate(timeout=500)
    assert coordinator.returncode == 0, error
    assert error.count("connected again") == 2 and "trying to connect again" in error, error
    processes.remove(coordinator)
    figures = json.loads(output)
    check_trials(server.query, figures, trials=TRIALS)
    assert figures["finished"] and figures["measured"] >= TRIALS / 2, figures["outcomes"]
    assert worker.poll() is None, worker.communicate()
    print(f"ok {TRIALS} trials: {figures['outcomes']}")

    server.stop()
    running = False
    error = worker.communicate(timeout=150)[1]
    assert worker.returncode == 1, (worker.returncode, error)
    assert error.count("connected again") == 2 and "gave up after 60 s" in error.splitlines()[-1], error
    processes.remove(worker)
    print("ok", error.splitlines()[-1])
finally:
    for process in processes:
        process.terminate()
        process.wait(30)
    if running:
        server.stop()
    server.remove()
check_nothing_left()
