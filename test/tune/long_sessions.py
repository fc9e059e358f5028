# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The promises of `vitc tune` in full, on a model of real size; part of `tools/check --full`, about 20 minutes.

  python long_sessions.py VITC

Five minutes measure at least 200 candidates, or every one that there is, and never yield a slower model; from schedules drawn
at random, ten minutes reach at least 95% of the best that is known."""
import statistics
import time

from harness import *

ARCHITECTURE = "vit-small-patch16-224"


def tune_for(minutes, *options):
    start = time.time()
    figures = json.loads(vitc("tune", ARCHITECTURE, "--minutes", minutes, "--json", "-q", *options,
                              timeout=minutes * 60 + 300).stdout)
    seconds = time.time() - start
    assert seconds <= minutes * 60 + 15, f"{minutes} minutes took {seconds:.0f} s"
    return figures


def compare_models(standard, tuned):
    """How many times faster the tuned model is. A machine's clock moves by more than what is looked for, within seconds:
    short runs of both next to each other meet the same clock, and a lucky moment of one is a single ratio of many."""
    ratios = []
    for round in range(40):
        least = {}
        for model in [standard, tuned] if round % 2 == 0 else [tuned, standard]:
            done = vitc("bench", model, "--threads", 1, "--runs", 10, "--json")
            least[model] = json.loads(done.stdout)["min_ms"]
        ratios.append(least[standard] / least[tuned])
    return statistics.median(ratios)


database = scratch / "five.sqlite"
figures = tune_for(5, "--db", database)
check_trials(lambda query: rows(database, query), figures)
assert figures["measured"] >= 200 or figures["exhausted"], figures["outcomes"]
print(f"ok {figures['measured']} candidates measured in {figures['seconds']:.0f} s, kernels {figures['speedup']:.3f}x")

for name, options in [("tuned", ["--tune-db", database]), ("standard", ["--ignore-records"])]:
    vitc("compile", ARCHITECTURE, "--random-weights", 1, "-o", scratch / name, "--name", name, "-q", *options)
ratio = compare_models(scratch / "standard", scratch / "tuned")
assert ratio >= 0.99, f"the tuned model does {ratio:.3f} times what the standard one does"
print(f"ok the model: {ratio:.3f}x")

best = {kernel["name"]: kernel["best_seconds"] / kernel["default_seconds"] for kernel in figures["kernels"]}
figures = tune_for(10, "--db", scratch / "ten.sqlite", "--ignore-records", "--start", "random")
known = found = 0
for kernel in figures["kernels"]:
    # Both relative to the default, with which each was compared at the end.
    (ratio,), = rows(scratch / "ten.sqlite", "SELECT min(t.seconds / t.baseline_seconds) FROM trials t JOIN kernels k ON "
                     f"k.id = t.kernel WHERE k.name = '{kernel['name']}' AND t.kind = 'confirm' AND t.outcome = 'ok'")
    weight = kernel["default_seconds"] * kernel["calls"]
    known += best[kernel["name"]] * weight
    found += ratio * weight
assert known / found >= 0.95, (known, found)
print(f"ok from random schedules: {known / found:.1%} of the best known after {figures['trials']} trials")
