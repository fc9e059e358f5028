"""The promises of `vitc tune` in full, on a model of real size; part of `tools/check --full`, about 20 minutes.

  python long_sessions.py VITC

Five minutes measure at least 200 candidates and never yield a slower model; from schedules drawn at random, ten minutes
reach at least 95% of the best that is known."""
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


database = scratch / "five.sqlite"
figures = tune_for(5, "--db", database)
check_trials(lambda query: rows(database, query), figures)
assert figures["measured"] >= 200, figures["outcomes"]
print(f"ok {figures['measured']} candidates measured in {figures['seconds']:.0f} s, kernels {figures['speedup']:.3f}x")

# The whole model, tuned and not, in turn.
for name, options in [("tuned", ["--tune-db", database]), ("standard", ["--ignore-records"])]:
    vitc("compile", ARCHITECTURE, "--random-weights", 1, "-o", scratch / name, "--name", name, "-q", *options)
times = {"tuned": [], "standard": []}
for _ in range(10):
    for name, taken in times.items():
        done = vitc("bench", scratch / name, "--threads", 1, "--seconds", 2, "--json")
        taken.append(json.loads(done.stdout)["min_ms"])
ratio = min(times["standard"]) / min(times["tuned"])
assert ratio >= 0.99, times
print(f"ok the model: {min(times['standard']):.2f} -> {min(times['tuned']):.2f} ms, {ratio:.3f}x")

best = {kernel["name"]: kernel["best_seconds"] / kernel["default_seconds"] for kernel in figures["kernels"]}
figures = tune_for(10, "--db", scratch / "ten.sqlite", "--ignore-records", "--start", "random")
known = found = 0
for kernel in figures["kernels"]:
    # Both relative to the default, with which each was compared at the end.
    (ratio,), = rows(scratch / "ten.sqlite", "SELECT min(t.seconds / t.rival_seconds) FROM trials t JOIN kernels k ON "
                     f"k.id = t.kernel WHERE k.name = '{kernel['name']}' AND t.kind = 'confirm' AND t.outcome = 'ok'")
    weight = kernel["default_seconds"] * kernel["calls"]
    known += best[kernel["name"]] * weight
    found += ratio * weight
assert known / found >= 0.95, (known, found)
print(f"ok from random schedules: {known / found:.1%} of the best known after {figures['trials']} trials")
