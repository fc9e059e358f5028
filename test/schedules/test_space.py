# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The space that a kernel declares: what it lists is accepted, proposals are moved to what is allowed, spills are counted."""
from harness import *

GEMM = {"m": 50, "n": 64, "k": 96, "lda": 96, "ldc": 64, "panel": 16, "bias": True, "activation": "none", "residual": False}
ATTENTION = {"batch": 1, "heads": 2, "tokens": 50, "head_dim": 32, "scale": 1.0, "ldq": 64, "ldk": 64, "ldv": 64, "ldo": 64,
             "probabilities": False}
NORM = {"rows": 20, "cols": 64, "ldx": 64, "ldy": 64, "eps": 1e-6, "affine": False}


def ask(family, spec, *options):
    path = os.path.join(folder.name, "ask.spec")
    pathlib.Path(path).write_text(json.dumps(specification(family, spec)))
    done = subprocess.run([BACKEND, "--spec", path, *options], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def complete(family, spec, proposals):
    path = os.path.join(folder.name, "proposals.json")
    pathlib.Path(path).write_text(json.dumps(proposals))
    return ask(family, spec, "--complete", path)


for family, spec in [("gemm", GEMM), ("attention", ATTENTION), ("norm", NORM)]:
    space = ask(family, spec, "--space")
    assert space["backend"] == NAME, space
    defaults = {p["name"]: p["default"] for p in space["parameters"]}
    assert complete(family, spec, [{}]) == [defaults]
    for parameter in space["parameters"]:
        assert parameter["meaning"] and parameter["default"] in parameter["values"], parameter
        assert parameter["values"] == sorted(set(parameter["values"])), parameter
        # Each candidate is allowed beside the defaults, and the proposal of it is kept.
        schedules = complete(family, spec, [{parameter["name"]: value} for value in parameter["values"]])
        assert [s[parameter["name"]] for s in schedules] == parameter["values"], (parameter, schedules)
    code, error, _ = run_backend(specification(family, spec, defaults))
    assert code == 0, error
    print("ok", family, {p["name"]: len(p["values"]) for p in space["parameters"]})

# What is not allowed gives way to what is nearest; every schedule that comes back is accepted as it is.
proposals = [{"tile_n": 5, "tile_m": 1000, "unroll_k": 7, "block_m": 31}, {"tile_m": 7, "block_m": 20}, {"prefetch": -3}]
for schedule in complete("gemm", GEMM, proposals):
    assert GEMM["panel"] % schedule["tile_n"] == 0 and schedule["block_m"] % schedule["tile_m"] == 0, schedule
    assert GEMM["k"] % schedule["unroll_k"] == 0 and schedule["prefetch"] >= 0, schedule
    code, error, _ = run_backend(specification("gemm", GEMM, schedule))
    assert code == 0, error
path = os.path.join(folder.name, "proposals.json")
pathlib.Path(path).write_text("{}")
good = os.path.join(folder.name, "good.spec")
pathlib.Path(good).write_text(json.dumps(specification("gemm", GEMM)))
done = subprocess.run([BACKEND, "--spec", good, "--complete", path], capture_output=True, text=True)
assert done.returncode == 1 and "expected a list of schedules" in done.stderr, done.stderr
done = subprocess.run([BACKEND, "--spec", good, "--space", "-o", path], capture_output=True, text=True)
assert done.returncode == 1 and "one of -o, --space and --complete" in done.stderr, done.stderr
print("ok proposals")

# 14 rows of 16 floats need 28 of AVX2's 16 registers: the report says so. The default needs 12. TVM's assembly has no notes on
# spills, so its report does not count them; test_tvm_objects.py reads the instructions.
_, _, prefix = run_backend(specification("gemm", GEMM, {"tile_m": 14}), "--emit-assembly")
crowded = json.loads(pathlib.Path(prefix + ".json").read_text())
_, _, prefix = run_backend(specification("gemm", GEMM), "--emit-assembly")
default = json.loads(pathlib.Path(prefix + ".json").read_text())
if NAME == "tvm":
    assert "spills" not in crowded and "spills" not in default
else:
    assert crowded["spills"] > 0 and default["spills"] == 0
print("ok spills")
