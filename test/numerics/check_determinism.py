#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The same bits, whatever the number of threads, the size of the batch, the images that are given, their place in it, and what other
contexts do.

    check_determinism.py --vitc BUILD/bin/vitc [--random-weights SEED] [--target x86-64] [--backend tvm] [--fast-matmul] [--precision int8] [--logits-only] [--batch N]
                         MODEL
"""

import argparse
import os
import sys
import tempfile
import threading

import numpy as np

from vitc_library import Context, Failure, Library, run_vitc

THREADS = (1, 2, 3, 8)
ALL_TOKENS = ("last_hidden_state", "attentions")
# Long enough for two contexts to meet each other at every step.
RUNS_AT_ONCE = 50


def same_bits(what, got, want):
    for name in want:
        if got[name].tobytes() != want[name].tobytes():
            difference = np.abs(got[name].astype(np.float64) - want[name]).max()
            raise Failure(f"{what}: {name} has other bits, off by {difference:.3g}")


def check_threads(single, pixels, wanted):
    for threads in THREADS:
        with Context(single, threads) as context:
            for item, want in zip(pixels, wanted):
                for attempt in range(3):
                    same_bits(f"{threads} threads, run {attempt}", context.run_tensor(item[None]), want)
    print(f"pass {', '.join(map(str, THREADS))} threads")


def check_batch(batched, single, pixels):
    batch = len(pixels)
    with Context(batched, threads=1) as context:
        reference = context.run_tensor(pixels)
    for threads in THREADS:
        with Context(batched, threads) as context:
            for shift in range(batch):
                order = np.roll(np.arange(batch), shift)
                want = {name: array[order] for name, array in reference.items()}
                same_bits(f"batch {batch} shifted by {shift}, {threads} threads", context.run_tensor(pixels[order]), want)
    print(f"pass batch {batch}: the same bits at every place, {', '.join(map(str, THREADS))} threads")
    for threads in THREADS:
        with Context(batched, threads) as context:
            for count in range(batch, 0, -1):
                # As many of each output as there are images; windows of one image follow each other.
                want = {name: array[: len(array) // batch * count] for name, array in reference.items()}
                same_bits(f"{count} of {batch} images, {threads} threads", context.run_tensor(pixels[:count]), want)
    print(f"pass 1 to {batch} images of a batch of {batch}: the same bits, and no other results are written")
    for item in range(batch):
        got = {name: array[item : item + 1] for name, array in reference.items()}
        same_bits(f"item {item}, batch {batch} against batch 1", got, single[item])
    print(f"pass batch {batch} against batch 1")


def check_contexts(single, pixels, wanted):
    """Two contexts, each with two threads of its own, run different items at once."""
    failures = []

    def work(item):
        try:
            with Context(single, threads=2) as context:
                for attempt in range(RUNS_AT_ONCE):
                    same_bits(f"context {item}, run {attempt}", context.run_tensor(pixels[item][None]), wanted[item])
        except Failure as failure:
            failures.append(failure)

    workers = [threading.Thread(target=work, args=(item,)) for item in range(2)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    if failures:
        raise failures[0]
    print(f"pass two contexts at once, {RUNS_AT_ONCE} runs each")


def check(vitc, model, options, scratch, size):
    libraries = {}
    for batch in (1, size):
        out = os.path.join(scratch, f"batch{batch}")
        run_vitc(vitc, "compile", model, "-o", out, "--name", f"batch{batch}", "--batch", batch, *options)
        libraries[batch] = Library(out)
    table = libraries[1].table
    pixels = np.random.default_rng(1).standard_normal((size, table.channels, table.height, table.width), np.float32)
    with Context(libraries[1], threads=1) as context:
        wanted = [context.run_tensor(item[None]) for item in pixels]
    if wanted[0]["logits"].tobytes() == wanted[1]["logits"].tobytes():
        raise Failure("different inputs give the same logits")
    check_threads(libraries[1], pixels, wanted)
    check_batch(libraries[size], wanted, pixels)
    check_contexts(libraries[1], pixels, wanted)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--vitc", required=True)
    parser.add_argument("--random-weights", metavar="SEED")
    parser.add_argument("--target", default="host")
    parser.add_argument("--backend", default="halide")
    parser.add_argument("--precision", default="f32")
    parser.add_argument("--fast-matmul", action="store_true")
    parser.add_argument("--logits-only", action="store_true")
    parser.add_argument("--batch", type=int, default=3)
    parser.add_argument("model")
    arguments = parser.parse_args()
    options = ["--target", arguments.target, "--backend", arguments.backend, "--precision", arguments.precision]
    options += ["--random-weights", arguments.random_weights] if arguments.random_weights else []
    options += ["--fast-matmul"] if arguments.fast_matmul else []
    # What a classifier needs; and all tokens of all layers, which takes other kernels.
    everything = [] if arguments.logits_only else [["logits", "probabilities", *ALL_TOKENS]]
    for outputs in [["logits"], *everything]:
        print(f"outputs {', '.join(outputs)}")
        with tempfile.TemporaryDirectory() as scratch:
            check(arguments.vitc, arguments.model, options + [word for output in outputs for word in ("--output", output)], scratch,
                  arguments.batch)


try:
    main()
except Failure as failure:
    sys.exit(f"FAIL {failure}")
