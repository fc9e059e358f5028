# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""`--backend auto` takes, kernel by kernel, what records say is faster than Halide's default; and a record counts only for the
code that it was measured with."""
from harness import *

# Codes and schedules of one kernel by both backends, as a session finds them.
database = scratch / "both.sqlite"
figures = tune("--db", database, "--backend", "auto", "--trials", 16, "--kernel", "patch_embed")
kernel = figures["kernels"][0]
tried = rows(database, "SELECT backend, schedule, full_schedule, code FROM trials WHERE kind = 'search' AND outcome = 'ok'")
default = {backend: (json.loads(full), code) for backend, schedule, full, code in tried if schedule == "{}"}
assert set(default) == {"halide", "tvm"}, tried
other = {backend: (json.loads(full), code) for backend, _, full, code in tried if code != default[backend][1]}
assert set(other) == {"halide", "tvm"}, tried
spec = json.loads(rows(database, "SELECT spec FROM kernels")[0][0])
baselines = set(rows(database, "SELECT DISTINCT baseline_backend FROM trials WHERE kind = 'confirm'"))
assert baselines <= {("halide",)}, f"compared with {baselines} at the end, not with what is used without records"


def record(backend, found, baseline, seconds, baseline_seconds):
    return make_record(figures, kernel, spec, backend, *found, (baseline, *default[baseline], baseline_seconds), seconds)


def compile_with(records, backend="auto"):
    """The kernel as the manifest has it, and warnings."""
    store, text = scratch / "records.sqlite", scratch / "records.jsonl"
    store.unlink(missing_ok=True)
    text.write_text("".join(json.dumps(line) + "\n" for line in records))
    vitc("tune", "--db", store, "--import", text)
    done = vitc("compile", MODEL, "-o", scratch / "out", "--name", "out", "--tune-db", store, "--ignore-records", "--backend",
                backend, "-q")
    manifest = json.loads((scratch / "out/share/out/manifest.json").read_text())
    shutil.rmtree(scratch / "out")
    return next(k for k in manifest["kernels"] if k["name"] == kernel["name"]), done.stderr


def expect(what, records, backend, schedule, recorded, chooser="auto", warning=None):
    found, text = compile_with(records, chooser)
    assert found["backend"] == backend and found["schedule"] == schedule, (what, found)
    assert (found["record"] is not None) == recorded, (what, found)
    assert (warning in text) if warning else not text, (what, text)
    print("ok", what)
    return found


tvm, halide = other["tvm"], other["halide"]
faster = record("tvm", tvm, "halide", 1e-3, 2e-3)
found = expect("TVM alone has a record, against Halide's default", [faster], "tvm", tvm[0], True)
assert found["record"]["baseline"]["backend"] == "halide" and found["record"]["baseline"]["seconds"] == 2e-3, found
expect("the same without auto", [faster], "halide", default["halide"][0], False, chooser="halide")
expect("the same with TVM alone, whose default it was not compared with", [faster], "tvm", default["tvm"][0], False, chooser="tvm")
among = record("tvm", tvm, "tvm", 1e-3, 2e-3)
expect("a record among TVM's own says nothing about Halide's", [among], "halide", default["halide"][0], False)
expect("but it serves TVM", [among], "tvm", tvm[0], True, chooser="tvm")
# The gain over the common baseline decides: seconds of different sessions do not compare.
expect("both, TVM's gain is greater", [record("halide", halide, "halide", 1e-3, 1.1e-3), record("tvm", tvm, "halide", 4e-3, 6e-3)],
       "tvm", tvm[0], True)
slower = record("halide", halide, "halide", 4e-3, 6e-3)
expect("both, Halide's gain is greater", [slower, record("tvm", tvm, "halide", 1e-3, 1.1e-3)], "halide", halide[0], True)
expect("TVM's default, where that is faster", [record("tvm", default["tvm"], "halide", 1e-3, 2e-3)], "tvm", default["tvm"][0], True)

# A kernel that has changed since, and a default that has.
outdated = "1 record was measured with other code than the kernels have now"
expect("the kernel has changed", [{**faster, "code": "0" * 32}], "halide", default["halide"][0], False, warning=outdated)
expect("the default has changed", [{**faster, "baseline": {**faster["baseline"], "code": "0" * 32}}], "halide", default["halide"][0],
       False, warning=outdated)
expect("the next best one is current", [{**faster, "code": "0" * 32}, slower], "halide", halide[0], True, warning=outdated)
