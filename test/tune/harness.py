# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the tests of `vitc tune` share. Each program here runs under ctest, or by hand: python test_faults.py VITC."""
import json
import os
import pathlib
import shutil
import sqlite3
import subprocess
import sys
import tempfile

VITC = sys.argv[1] if len(sys.argv) > 1 else "vitc"
MODEL = str(pathlib.Path(__file__).resolve().parents[2] / "models" / "vit-fashion-mnist")
OUTCOMES = ["ok", "wrong", "crash", "timeout", "memory", "spill", "invalid"]
folder = tempfile.TemporaryDirectory(prefix="vitc-tune-")
scratch = pathlib.Path(folder.name)
# A cache of its own, so that what is left behind can be seen.
os.environ["VITC_CACHE_DIR"] = str(scratch / "cache")
os.environ["TMPDIR"] = str(scratch / "tmp")
(scratch / "tmp").mkdir()


def vitc(*arguments, check=True, timeout=600, program=None, **options):
    done = subprocess.run([program or VITC, *map(str, arguments)], capture_output=True, text=True, timeout=timeout, **options)
    if check:
        assert done.returncode == 0, f"vitc {arguments}: exit code {done.returncode}\n{done.stderr}"
    return done


def tune(*arguments, **options):
    """Runs `vitc tune` on the small model and returns its figures."""
    return json.loads(vitc("tune", MODEL, "--json", "-q", *arguments, **options).stdout)


def refuse(message, *arguments):
    done = vitc(*arguments, check=False)
    assert done.returncode == 1, f"vitc {arguments}: exit code {done.returncode}\n{done.stderr}"
    assert message in done.stderr, f"vitc {arguments}: {done.stderr!r} does not say {message!r}"
    print("ok", done.stderr.strip())


def rows(database, query):
    connection = sqlite3.connect(database)
    try:
        return connection.execute(query).fetchall()
    finally:
        connection.close()


def check_trials(query, figures, trials=None):
    """No trial is lost, none is counted twice. `query` runs SQL on the session's database."""
    states = dict(query("SELECT state, count(*) FROM trials GROUP BY state"))
    assert set(states) <= {"done", "cancelled"}, states
    done = query("SELECT count(*) FROM trials WHERE kind = 'search' AND state = 'done'")[0][0]
    assert done == figures["trials"] == sum(figures["outcomes"].values()), (done, figures["trials"], figures["outcomes"])
    assert figures["trials"] == sum(kernel["trials"] for kernel in figures["kernels"])
    if trials is not None:
        assert done == trials, (done, trials)
    twice = query("SELECT kernel, kind, backend, schedule, count(*) FROM trials GROUP BY 1, 2, 3, 4 HAVING count(*) > 1")
    assert not twice, twice
    for outcome in OUTCOMES:
        count = query(f"SELECT count(*) FROM trials WHERE kind = 'search' AND state = 'done' AND outcome = '{outcome}'")[0][0]
        assert count == figures["outcomes"][outcome], (outcome, count, figures["outcomes"])
    broken = query("SELECT id FROM trials WHERE state = 'done' AND outcome = 'ok' AND NOT (seconds > 0 AND score > 0)")
    assert not broken, broken
    attempts = query("SELECT max(attempts) FROM trials")[0][0]
    assert attempts <= 2, f"a trial was begun {attempts} times"


def make_record(figures, kernel, spec, backend, schedule, code, baseline, seconds):
    """A line for `vitc tune --import`, as if a session had measured it. `baseline` is (backend, schedule, code, seconds)."""
    return {"record": 3, "family": kernel["family"], "target": kernel["target"], "spec": spec, "cpu": figures["cpu"],
            "machine": figures["machine"], "backend": backend, "backend_version": "0", "vitc": "0", "schedule": schedule,
            "code": code, "threads": 1, "seconds": seconds, "share_of_peak": 0.5, "date": "2026-01-02T03:04:05Z",
            "command": "vitc tune",
            "baseline": dict(zip(["backend", "schedule", "code", "seconds"], baseline), backend_version="0")}


def install(name, halide=None):
    """A copy of vitc with Halide's backend alone, in a folder of its own. `halide` is a Python program in the backend's place,
    for which REAL is the backend and STATE a folder; the real one if there is none. Returns the copy."""
    here, folder = pathlib.Path(VITC).resolve().parent, scratch / name
    (folder / "state").mkdir(parents=True)
    shutil.copy(here / "vitc", folder)
    (folder / "vitc-measure").symlink_to(here / "vitc-measure")
    backend = folder / "vitc-halide"
    if halide:
        backend.write_text(f"#!{sys.executable}\nREAL, STATE = {str(here / 'vitc-halide')!r}, {str(folder / 'state')!r}\n{halide}")
        backend.chmod(0o755)
    else:
        backend.symlink_to(here / "vitc-halide")
    return str(folder / "vitc")


def change(database, *statements):
    """Runs SQL that changes a database file."""
    connection = sqlite3.connect(database)
    for statement in statements:
        connection.execute(*([statement] if isinstance(statement, str) else statement))
    connection.commit()
    connection.close()


def compact(value):
    """JSON as vitc writes it into a database."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"))


def check_nothing_left():
    left = [*(scratch / "cache" / "tune").glob("*"), *(scratch / "tmp").glob("*")]
    assert not left, f"left behind: {left}"
