# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Kernels with few schedules: the session goes on until every schedule of every kernel has been tried, and says so."""
import itertools

from harness import *

# Of each family the first parameters that have a choice, with two values each: spaces of one to three bits.
BACKEND = '''
import json, subprocess, sys
done = subprocess.run([REAL, *sys.argv[1:]], stdout=subprocess.PIPE, text=True)
if "--space" in sys.argv and done.returncode == 0:
    space = json.loads(done.stdout)
    bits = {"gemm": 2, "attention": 3}.get(json.load(open(sys.argv[sys.argv.index("--spec") + 1]))["family"], 1)
    for parameter in space["parameters"]:
        values = [value for value in parameter["values"] if value != parameter["default"]]
        choice = bits > 0 and values and not parameter["for_threads"]
        parameter["values"] = sorted([parameter["default"]] + values[:1 if choice else 0])
        bits -= bool(choice)
    print(json.dumps(space))
else:
    sys.stdout.write(done.stdout)
sys.exit(done.returncode)
'''
program, database = install("small", BACKEND), scratch / "small.sqlite"
done = vitc("tune", MODEL, "--db", database, "--trials", 1000, program=program)
assert "every schedule of every kernel has been tried" in done.stdout, done.stdout
figures = json.loads(vitc("tune", "--db", database, "--json").stdout)
assert figures["exhausted"] and figures["finished"], figures
check_trials(lambda query: rows(database, query), figures)


def ask(kernel, schedule, *arguments):
    request = scratch / "request.json"
    name, family, target, spec = kernel
    request.write_text(json.dumps({"protocol": 1, "name": name, "target": target, "family": family, "spec": json.loads(spec),
                                   "schedule": schedule}))
    return json.loads(subprocess.run([pathlib.Path(program).with_name("vitc-halide"), "--spec", request, *arguments], check=True,
                                     capture_output=True, text=True).stdout)


sizes = set()
for kernel in rows(database, "SELECT name, family, target, spec FROM kernels"):
    free = [parameter for parameter in ask(kernel, {}, "--space")["parameters"] if len(parameter["values"]) > 1]
    proposals = [dict(zip([parameter["name"] for parameter in free], values))
                 for values in itertools.product(*[parameter["values"] for parameter in free])]
    (scratch / "all.json").write_text(json.dumps([{}, *proposals]))
    expected = {compact(schedule) for schedule in ask(kernel, {}, "--complete", scratch / "all.json")}
    tried = rows(database, "SELECT t.schedule, t.full_schedule FROM trials t JOIN kernels k ON k.id = t.kernel WHERE "
                 f"t.kind = 'search' AND k.name = '{kernel[0]}'")
    found = {full if schedule == "{}" else schedule for schedule, full in tried}
    assert found == expected and len(tried) == len(expected), (kernel[0], len(tried), found ^ expected)
    sizes.add(len(expected))
assert min(sizes) <= 2 and max(sizes) >= 4, sizes
print(f"ok all {figures['trials']} schedules of {len(figures['kernels'])} kernels, {min(sizes)} to {max(sizes)} each")

# A session that was told to stop before is not exhausted.
figures = tune("--db", scratch / "part.sqlite", "--trials", 14, program=program)
assert figures["trials"] == 14 and not figures["exhausted"], figures
