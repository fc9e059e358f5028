# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A candidate that crashes, one that hangs, one that eats memory and one that computes something else: each is recorded as
what it is, and the session goes on."""
from harness import *

# The first candidates whose inner loops keep clear of the stack get something into their code, one each.
BACKEND = '''
import json, os, re, subprocess, sys
code = subprocess.run([REAL, *sys.argv[1:]]).returncode
if code == 0 and "-o" in sys.argv:
    request = json.load(open(sys.argv[sys.argv.index("--spec") + 1]))
    prefix = sys.argv[sys.argv.index("-o") + 1]
    adapter = open(prefix + ".cpp").read()
    output = re.search(r"float \\*(\\w+)\\) \\{", adapter).group(1)
    faults = {"crash": "__builtin_trap();", "timeout": "for (volatile int i = 0;;) i = i + 1;",
              "memory": "for (;;) { auto *p = new volatile char[1 << 24]; for (int i = 0; i < 1 << 24; i += 4096) p[i] = 1; }",
              "wrong": output + "[0] += 1;"}
    for outcome, fault in faults.items():
        if request.get("schedule") and not json.load(open(prefix + ".json"))["spills"]:
            try:
                os.mkdir(os.path.join(STATE, outcome))
            except FileExistsError:
                continue
            end = adapter.rindex("}")
            open(prefix + ".cpp", "w").write(adapter[:end] + "  " + fault + "\\n" + adapter[end:])
            json.dump([request["name"], request.get("schedule")], open(os.path.join(STATE, outcome, "who"), "w"))
            break
sys.exit(code)
'''
program, database = install("faulty", BACKEND), scratch / "faults.sqlite"
figures = tune("--db", database, "--trials", 24, program=program)
check_trials(lambda query: rows(database, query), figures, trials=24)
for outcome in ["crash", "timeout", "memory", "wrong"]:
    name, schedule = json.loads((scratch / "faulty/state" / outcome / "who").read_text())
    found = rows(database, "SELECT outcome, detail FROM trials t JOIN kernels k ON k.id = t.kernel WHERE t.kind = 'search' AND "
                 f"k.name = '{name}' AND schedule = '{compact(schedule)}'")
    assert len(found) == 1 and found[0][0] == outcome, (outcome, found)
    assert found[0][1], f"{outcome}: nothing is said about it"
    assert figures["outcomes"][outcome] >= 1, figures["outcomes"]
    print("ok", outcome, "->", found[0][1])
assert figures["finished"] and figures["outcomes"]["ok"] >= 12, figures["outcomes"]
check_nothing_left()

# Only what was asked for.
figures = tune("--db", scratch / "part.sqlite", "--trials", 6, "--kernel", "patch_embed")
assert [kernel["family"] for kernel in figures["kernels"]] == ["patch_embed"] and figures["trials"] == 6, figures
assert "not among those asked for" in {skipped["reason"] for skipped in figures["not_tuned"]}
done = vitc("tune", MODEL, "--db", scratch / "none.sqlite", "--trials", 6, "--kernel", "nothing", check=False)
assert done.returncode == 1 and "has no kernel to tune here: not among those asked for" in done.stderr, done.stderr
