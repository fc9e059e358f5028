# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""A vitc that is built without PostgreSQL's library and without OpenCV tunes with a file, and says what is missing.

  python test_lean.py VITC      VITC is built with -DVITC_WITH_POSTGRESQL=OFF -DVITC_WITH_OPENCV=OFF"""
from harness import *

database = scratch / "lean.sqlite"
done = vitc("tune", MODEL, "--db", database, "--trials", 30, "--json")
figures = json.loads(done.stdout)
check_trials(lambda query: rows(database, query), figures, trials=30)
assert figures["finished"] and figures["measured"] >= 20, figures["outcomes"]
assert "built without OpenCV" in done.stderr.splitlines()[0], done.stderr
proposers = dict(rows(database, "SELECT proposer, count(*) FROM trials WHERE kind = 'search' GROUP BY 1"))
assert proposers.get("evolution", 0) > 0 and "model" not in proposers, proposers
vitc("compile", MODEL, "-o", scratch / "out", "--name", "out", "--tune-db", database, "-q")
check_nothing_left()
for arguments in [["worker", "--db", "postgresql://tune@server/tune"],
                  ["tune", MODEL, "--db", "postgresql://tune@server/tune", "--trials", 1],
                  ["compile", MODEL, "-o", scratch / "x", "--tune-db", "postgresql://tune@server/tune"]]:
    refuse("install libpq-dev and build vitc again with -DVITC_WITH_POSTGRESQL=ON", *arguments)
assert not (scratch / "x").exists()
libraries = subprocess.run(["ldd", VITC], capture_output=True, text=True, check=True).stdout
assert "libpq" not in libraries and "opencv" not in libraries, libraries
print(f"ok {figures['trials']} trials: {figures['outcomes']}, {proposers}")
