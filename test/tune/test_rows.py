# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Rows that no vitc has written: a worker ends those that it cannot read, leaves alone those that others can measure, and
goes on. Records that cannot be read are passed over."""
import hashlib

from harness import *

program, database = install("plain"), scratch / "rows.sqlite"
figures = tune("--db", database, "--trials", 3, "--kernel", "patch_embed", program=program)
session, kernel, family, target, spec, cpu = rows(
    database, "SELECT k.session, k.id, k.family, k.target, k.spec, s.cpu FROM kernels k JOIN sessions s ON s.id = k.session")[0]
DEEP = '{"a":' * 50000 + "1" + "}" * 50000
expected = {}  # trial to what becomes of it


def add_trial(what, becomes, schedule="{}", on=None, **columns):
    """A queued row. `becomes` is its outcome, or None if nobody here can measure it."""
    row = {"session": session, "kernel": on or kernel, "kind": "search", "backend": "halide", "schedule": schedule,
           "proposer": "test", "state": "queued", "created": 0, **columns}
    connection = sqlite3.connect(database)
    cursor = connection.execute(f"INSERT INTO trials ({', '.join(row)}) VALUES ({', '.join('?' * len(row))})", [*row.values()])
    expected[cursor.lastrowid] = what, becomes
    connection.commit()
    connection.close()


def add_kernel(name="k", family=family, target=target, spec=spec, threads=1, key=None):
    key = key or hashlib.sha256(f"{family}\n{target}\n{spec}".encode()).hexdigest()[:32]
    connection = sqlite3.connect(database)
    cursor = connection.execute("INSERT INTO kernels (session, key, name, family, target, spec, calls, flops, threads) VALUES "
                                "(?, ?, ?, ?, ?, ?, 1, 1, ?)", [session, key, name, family, target, spec, threads])
    connection.commit()
    connection.close()
    return cursor.lastrowid


def changed(**fields):
    return compact({**json.loads(spec), **fields})


add_trial("deep JSON", "invalid", DEEP)
add_trial("no JSON", "invalid", "{")
add_trial("a list", "invalid", "[1]")
add_trial("nothing", "invalid", "")
add_trial("a string for a number", "invalid", '{"tile_m":"big"}')
add_trial("a number that is none", "invalid", '{"tile_m":1e999}')
add_trial("an unknown parameter", "invalid", '{"tile_q":3}')
add_trial("the fault of old tests", "invalid", '{"fault":"crash"}')
add_trial("text for a count", "invalid", '{"tile_m":1}', attempts="many")
add_trial("another backend", None, backend="tvm")
add_trial("an unknown backend", None, backend="/bin/sh")
add_trial("compared with another backend", None, kind="confirm", baseline_backend="tvm")
add_trial("another machine's kernel", None, on=add_kernel("other", target="arm-64"))
add_trial("a thousand million threads", "invalid", on=add_kernel("threads", spec=changed(position=False), threads=10**9))
add_trial("text for threads", "invalid", on=add_kernel("text", spec=changed(bias=False), threads="many"))
add_trial("an unknown family", "invalid", on=add_kernel("unknown", family="cooking"))
add_trial("a deep specification", "invalid", on=add_kernel("deep", spec=DEEP))
add_trial("a name that is none", "invalid", on=add_kernel("x; touch /tmp/x", spec=changed(position=False, bias=False)))
add_trial("another kernel's key", "invalid", on=add_kernel("key", spec=changed(height=32), key="../../etc/passwd"))
add_trial("an empty specification", "invalid", on=add_kernel("empty", spec="{}"))
add_trial("more than any memory", {"invalid", "crash", "memory"},
          on=add_kernel("huge", spec=changed(batch=2 * 10**9)))
add_trial("a result without a time", "invalid", '{"tile_m":3}', state="done", outcome="ok", finished=1, score=1e-9)
add_trial("a sound one", "ok", '{"prefetch":2}')
done = vitc("worker", "--db", database, "--idle", 3, program=program, timeout=500)
for id, (what, becomes) in expected.items():
    state, outcome, detail = rows(database, f"SELECT state, outcome, detail FROM trials WHERE id = {id}")[0]
    if becomes is None:
        assert state == "queued" and outcome is None, (what, state, outcome, detail)
    else:
        assert state == "done" and outcome in becomes and (detail or outcome == "ok"), (what, state, outcome, detail)
    print("ok", what, "->", outcome or state, (detail or "")[:100].replace("\n", " "))
assert "measured" in done.stdout, done.stdout

# The session can still be looked at, and goes on: what nobody here can measure is taken back.
change(database, "UPDATE sessions SET finished = 0")
again = tune("--db", database, "--trials", 3, "--resume", program=program)
assert again["finished"] and again["outcomes"]["ok"] >= 3, again["outcomes"]
assert not rows(database, "SELECT * FROM trials WHERE state IN ('queued', 'running')")

# A lease that ends in a day, where leases take seconds, was made before the clock was set back.
change(database, "UPDATE sessions SET finished = 0",
       f"UPDATE trials SET state = 'running', outcome = NULL, worker = 'elsewhere:1:2', lease_seconds = 5, lease = "
       f"(julianday('now') - 2440587.5) * 86400 + 86400 WHERE id = (SELECT max(id) FROM trials WHERE outcome = 'ok' AND kind = 'search')")
again = tune("--db", database, "--trials", 3, "--resume", "--lease", 5, program=program, timeout=120)
assert again["finished"] and not rows(database, "SELECT * FROM trials WHERE state = 'running'")
print("ok a lease of before the clock was set back")

# Records: the bad ones are passed over with a warning, the good one stays.
tried = rows(database, f"SELECT full_schedule, code FROM trials WHERE kernel = {kernel} AND outcome = 'ok' ORDER BY id")
made = make_record(figures, figures["kernels"][0], json.loads(spec), "halide", json.loads(tried[-1][0]), tried[-1][1],
                   ("halide", json.loads(tried[0][0]), tried[0][1], 2e-6), 1e-6)
records, exported = scratch / "records.sqlite", scratch / "out.jsonl"
(scratch / "made.jsonl").write_text(json.dumps(made) + "\n")
vitc("tune", "--db", records, "--import", scratch / "made.jsonl")
good = json.dumps(made)
for number, line in enumerate([good.replace("1e-06", "inf"), good.replace("1e-06", "1e999"), DEEP, "", "{}",
                               good.replace('"threads": 1', '"threads": "many"')]):
    assert line != good
    change(records, ("INSERT INTO records (key, cpu, backend, baseline_backend, line) VALUES (?, 'c', 'b', 'b', ?)",
                     [str(number), line]))
done = vitc("tune", "--db", records, "--export", exported)
assert "exported 1 records" in done.stdout and done.stderr.count("the record is left out") == 6, (done.stdout, done.stderr)
assert [json.loads(line) for line in exported.read_text().splitlines()] == [made]
done = vitc("compile", MODEL, "-o", scratch / "out", "--name", "out", "--tune-db", records, "-q")
assert done.stderr.count("the record is left out") == 6, done.stderr
print("ok records that cannot be read")
