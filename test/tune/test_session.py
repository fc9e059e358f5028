# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A session from the start to a compiled library: figures, records, what the manifest says, wrong inputs."""
from harness import *

database = scratch / "tune.sqlite"
figures = tune("--db", database, "--trials", 40)
check_trials(lambda query: rows(database, query), figures, trials=40)
check_nothing_left()
assert figures["finished"] and figures["measured"] >= 24, figures["outcomes"]
assert figures["speedup"] >= 1, figures["speedup"]
assert 0 < figures["share_of_peak_before"] <= figures["share_of_peak_after"] < 1.05, figures
for kernel in figures["kernels"]:
    # What is not kept is the default itself: a tuned model is never slower.
    assert kernel["best_seconds"] <= kernel["default_seconds"], kernel
    assert kernel["kept"] or kernel["best_schedule"] == kernel["default_schedule"], kernel
curve = [point["model_seconds"] for point in figures["progress"]]
assert curve == sorted(curve, reverse=True) and len(curve) > 1, curve
print("ok", figures["trials"], "trials,", figures["outcomes"], f"{figures['speedup']:.3f}x")

# Records go out as text and come back the same.
exported, again = scratch / "out.jsonl", scratch / "again.jsonl"
vitc("tune", "--db", database, "--export", exported)
records = [json.loads(line) for line in exported.read_text().splitlines()]
assert len(records) == sum(kernel["kept"] for kernel in figures["kernels"]), records

# `vitc compile` takes them, and says so. One more record, so that there is one whatever the machine measured: what the session
# tried last.
for kernel in sorted((k for k in figures["kernels"] if k["family"] == "gemm"), key=lambda k: -k["flops"]):
    spec, number = rows(database, f"SELECT spec, id FROM kernels WHERE name = '{kernel['name']}'")[0]
    tried = rows(database, "SELECT schedule, full_schedule, code FROM trials WHERE kind = 'search' AND outcome = 'ok' AND "
                 f"kernel = {number} ORDER BY id")
    if len(tried) > 1:
        break
(_, standard, standard_code), (_, other, other_code) = tried[0], tried[-1]
assert tried[0][0] == "{}" and json.loads(standard) == kernel["default_schedule"] and other != standard, tried
made = make_record(figures, kernel, json.loads(spec), "halide", json.loads(other), other_code,
                   ("halide", json.loads(standard), standard_code, 2e-6), 1e-6)
line = scratch / "made.jsonl"
line.write_text("# a comment\n\n" + json.dumps(made) + "\n")
vitc("tune", "--db", database, "--import", line)
vitc("tune", "--db", database, "--export", again)
assert [json.loads(text) for text in again.read_text().splitlines()].count(made) == 1
vitc("compile", MODEL, "-o", scratch / "tuned", "--name", "tuned", "--tune-db", database, "-q", "--verify")
manifest = json.loads((scratch / "tuned/share/tuned/manifest.json").read_text())
compiled = next(k for k in manifest["kernels"] if k["name"] == kernel["name"])
assert compiled["schedule"] == made["schedule"], compiled
assert compiled["record"]["date"] == made["date"] and compiled["record"]["cpu"] == figures["cpu"], compiled
vitc("compile", MODEL, "-o", scratch / "plain", "--name", "plain", "--ignore-records", "-q")
manifest = json.loads((scratch / "plain/share/plain/manifest.json").read_text())
assert all(k["record"] is None for k in manifest["kernels"]), manifest["kernels"]
assert next(k for k in manifest["kernels"] if k["name"] == kernel["name"])["schedule"] == kernel["default_schedule"]
print("ok records")

# A record that the backend no longer understands is passed over with a warning; one for another CPU in silence.
line.write_text(json.dumps({**made, "schedule": {"tile_q": 3}}) + "\n")
vitc("tune", "--db", database, "--import", line)
done = vitc("compile", MODEL, "-o", scratch / "stale", "--name", "stale", "--tune-db", database, "-q")
assert "default schedules are used" in done.stderr and "tile_q" in done.stderr, done.stderr
other = scratch / "other.sqlite"
line.write_text(json.dumps({**made, "cpu": "another"}) + "\n")
vitc("tune", "--db", other, "--import", line)
vitc("compile", MODEL, "-o", scratch / "other", "--name", "other", "--tune-db", other, "--ignore-records", "-q")
manifest = json.loads((scratch / "other/share/other/manifest.json").read_text())
assert all(k["record"] is None for k in manifest["kernels"])
print("ok stale and foreign records")

line.write_text('{"record": 3, "family": 3}\n')
refuse("made.jsonl:1:25: family must be a string, found 3", "tune", "--db", database, "--import", line)
line.write_text(json.dumps({**made, "schedule": {"tile_m": "big"}}) + "\n")
refuse("schedule must be an object of integers", "tune", "--db", database, "--import", line)
line.write_text(json.dumps({**made, "baseline": {**made["baseline"], "seconds": 0}}) + "\n")
refuse("seconds 0 is not more than 0", "tune", "--db", database, "--import", line)
line.write_text(json.dumps({**made, "record": 1}) + "\n")
refuse("made.jsonl:1:12: record must be 3, the version of the format", "tune", "--db", database, "--import", line)
line.write_text("{\n")
refuse("made.jsonl:1:2: not valid JSON", "tune", "--db", database, "--import", line)
refuse("there is no such database", "compile", MODEL, "-o", scratch / "x", "--tune-db", scratch / "none.sqlite")
refuse("there is no such database", "tune", MODEL, "--resume", "--db", scratch / "none.sqlite")
refuse("there is no unfinished session", "tune", MODEL, "--resume", "--db", database)
text = scratch / "text.sqlite"
text.write_text("not a database, but a text that is long enough to be looked at as one\n" * 20)
refuse("text.sqlite: file is not a database", "tune", MODEL, "--db", text)
(scratch / "empty").touch()
refuse("holds no tuning session", "compile", MODEL, "-o", scratch / "x", "--tune-db", scratch / "empty")
assert (scratch / "empty").stat().st_size == 0
refuse("vitc tune needs a MODEL", "tune")
refuse("--coordinate needs --db postgresql://", "tune", MODEL, "--coordinate", "--db", database)
refuse("--cpu needs --coordinate", "tune", MODEL, "--cpu", "x", "--db", database)
refuse("--resume needs a MODEL", "tune", "--resume", "--json", "--db", database)
refuse("leave out MODEL", "tune", MODEL, "--export", exported, "--db", database)
refuse("postgresql://nobody@127.0.0.1:1/x", "worker", "--db", "postgresql://nobody:secret@127.0.0.1:1/x")
assert "secret" not in vitc("worker", "--db", "postgresql://nobody:secret@127.0.0.1:1/x", check=False).stderr
refuse("vitc worker needs --db", "worker")
assert not (scratch / "x").exists()

# The records that come with vitc are such that its backends accept them.
for path in sorted((pathlib.Path(MODEL).parents[1] / "schedules" / "records").glob("*.jsonl")):
    vitc("tune", "--db", scratch / "shipped.sqlite", "--import", path)
    for text in path.read_text().splitlines():
        record = json.loads(text)
        request = scratch / "shipped.json"
        request.write_text(json.dumps({"protocol": 1, "name": "shipped", "target": record["target"], "family": record["family"],
                                       "spec": record["spec"], "schedule": record["schedule"]}))
        backend = pathlib.Path(VITC).with_name("vitc-" + record["backend"])
        done = subprocess.run([backend, "--spec", request, "--space"], capture_output=True, text=True)
        assert done.returncode == 0, (path.name, done.stderr)
    assert path.stem == record["cpu"], path
    print("ok", path.name)
