#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Golden models in fewer bits: how far their main outputs are from what the models' own libraries gave, over many models.

    check_precision.py --vitc BUILD/bin/vitc CASE|FOLDER-OF-CASES... --precision int8|bf16|f16 [--target T] [--jobs N]

An output's error is the root mean square of the differences by the spread of its values. One model of odd sizes and random weights says
little; the median over the cases must keep the precision's bound, and no case may leave another. Embeddings must point where they did.
`vitc verify` compares each library with the interpreter of the same program.
"""
import argparse
import concurrent.futures
import os
import sys
import tempfile

import numpy as np

from check_golden import find_cases
from vitc_library import Failure, host_target, run_vitc

# Median over the cases, the worst case, and the median cosine of pooled vectors.
# Where x86 has no dot products of bytes, activations have 7 bits, and steps twice as large.
BOUNDS = {"int8": (0.03, 0.15, 0.998), "int8, 7-bit activations": (0.06, 0.3, 0.99), "bf16": (0.01, 0.15, 0.9995), "f16": (0.002, 0.02, 0.99999)}
EMBEDDINGS = ("pooler_output", "image_embeds", "embedding", "pre_logits")


def measure(case, options, scratch):
    """(error by spread, least cosine of embeddings or None) of a case."""
    out = os.path.join(scratch, case.name)
    run_vitc(options.vitc, "compile", case.folder, "-o", out, "--name", "golden", "--precision", options.precision, "--target", options.target,
             *case.model_options())
    run_vitc(options.vitc, "run", out, case.path("input.npy"), "--save", out + ".results")
    errors, cosines = [], []
    for name in case.tolerances:
        if name.startswith("dino_maps") or name in ("attentions", "probabilities"):
            continue
        want, got = case.expected(name), np.load(os.path.join(out + ".results", name + ".npy")).astype(np.float64)
        if not np.isfinite(got).all():
            raise Failure(f"{name} is not finite everywhere")
        errors.append(np.sqrt(((got - want)**2).mean()) / (want.std() or 1))
        if name in EMBEDDINGS:
            rows, expected = got.reshape(-1, got.shape[-1]), want.reshape(-1, want.shape[-1])
            sizes = np.linalg.norm(rows, axis=1) * np.linalg.norm(expected, axis=1)
            cosines.append(((rows * expected).sum(axis=1) / sizes).min())
    run_vitc(options.vitc, "verify", out, case.folder, "--quiet")
    return max(errors), min(cosines, default=None)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--vitc", required=True)
    parser.add_argument("--precision", required=True, choices=("int8", "bf16", "f16"))
    parser.add_argument("--target", default="host")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("cases", nargs="+")
    options = parser.parse_args()
    seven_bits = options.precision == "int8" and options.target in ("x86-64-avx2", "x86-64-avx512")
    if options.target == "host":
        seven_bits = options.precision == "int8" and host_target(options.vitc) in ("x86-64-avx2", "x86-64-avx512")
    median_bound, most, cosine_bound = BOUNDS["int8, 7-bit activations" if seven_bits else options.precision]
    errors, cosines, failures = {}, [], 0
    with tempfile.TemporaryDirectory(prefix="vitc-precision-") as scratch, concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        running = {pool.submit(measure, case, options, scratch): case for case in find_cases(options.cases)}
        for done in concurrent.futures.as_completed(running):
            case = running[done]
            try:
                error, cosine = done.result()
            except Failure as failure:
                failures += 1
                print(f"FAILED {case.name}: {failure}", flush=True)
                continue
            errors[case.name] = error
            cosines += [cosine] if cosine is not None else []
            failures += error > most
            print(f"{'ok' if error <= most else 'FAILED'} {case.name}: error {error:.4f} of the spread"
                  + (f", cosine {cosine:.5f}" if cosine is not None else ""), flush=True)
    if not errors:
        sys.exit("no case was run")
    median = float(np.median(list(errors.values())))
    print(f"{options.precision}, {len(errors)} cases: median error {median:.4f} of the spread (at most {median_bound}), largest "
          f"{max(errors.values()):.4f} (at most {most})" + (f", median cosine {np.median(cosines):.5f} (at least {cosine_bound})" if cosines else ""))
    if failures or median > median_bound or (cosines and np.median(cosines) < cosine_bound):
        sys.exit(1)


main()
