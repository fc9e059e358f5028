# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A candidate that crashes, one that hangs, one that eats memory and one that computes something else: each is recorded as
what it is, and the session goes on."""
from harness import *

database = scratch / "faults.sqlite"
faults = {"crash": "crash", "hang": "timeout", "memory": "memory", "wrong": "wrong"}
figures = tune("--db", database, "--trials", 24, env={**os.environ, "VITC_TUNE_FAULTS": ",".join(faults)})
check_trials(lambda query: rows(database, query), figures, trials=24)
found = dict(rows(database, "SELECT schedule, outcome FROM trials WHERE proposer = 'fault'"))
assert found == {json.dumps({"fault": fault}, separators=(",", ":")): outcome for fault, outcome in faults.items()}, found
for fault, detail in rows(database, "SELECT schedule, detail FROM trials WHERE proposer = 'fault'"):
    assert detail, f"{fault}: nothing is said about it"
    print("ok", fault, "->", detail)
for outcome in faults.values():
    assert figures["outcomes"][outcome] >= 1, figures["outcomes"]
assert figures["finished"] and figures["outcomes"]["ok"] >= 12, figures["outcomes"]
check_nothing_left()

# Only what was asked for.
figures = tune("--db", scratch / "part.sqlite", "--trials", 6, "--kernel", "patch_embed")
assert [kernel["family"] for kernel in figures["kernels"]] == ["patch_embed"] and figures["trials"] == 6, figures
assert "not among those asked for" in {skipped["reason"] for skipped in figures["not_tuned"]}
done = vitc("tune", MODEL, "--db", scratch / "none.sqlite", "--trials", 6, "--kernel", "nothing", check=False)
assert done.returncode == 1 and "has no kernel to tune here: not among those asked for" in done.stderr, done.stderr
