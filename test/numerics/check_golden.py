#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles golden models and compares every output with the one that the model's own library gave (golden/README.md).

    check_golden.py --vitc BUILD/bin/vitc CASE|FOLDER-OF-CASES... [--targets host x86-64-avx2 | all | reference | plan] [--backend tvm]
                    [--batch N] [--jobs N]

Each case is run from the ready tensor and from the image, its preprocessing is compared on its own, and `vitc verify`
compares it with the reference interpreter. A target that this CPU cannot run is compiled, and must be refused with a message;
one of another architecture runs under its emulator, where the preprocessing is only seen through the image's outputs.
The exit code is 77, which CTest shows as skipped, if no case could be run.
The target `reference` is the interpreter alone, with no library: it is run from the ready tensor. `plan` imports and lowers the model, and
compares nothing: what a vitc with sanitizers is there for.
"""

import argparse
import concurrent.futures
import json
import os
import subprocess
import sys
import tempfile

import numpy as np

from vitc_library import ERROR_CPU, ERROR_DEVICE, ERROR_DRIVER, OK, Context, Failure, Library, all_targets, host_target, is_native, run_vitc

# Outputs that are [layer, item, ...] in the files and [item, layer, ...] here.
PER_LAYER = ("hidden_states", "attentions")
# Preprocessing is exact up to the rounding of (pixel / 255 - mean) / std in float32.
PREPROCESS_TOLERANCE = 1e-6
# What `vitc verify` allows, as a share of an output's spread.
VERIFY_BOUND = 1e-4
# SKIP_RETURN_CODE in CMakeLists.txt.
ALL_SKIPPED = 77


class Skipped(Exception):
    """A case that cannot be run here; its text says why."""


class Case:
    def __init__(self, folder):
        self.folder = folder
        self.name = os.path.basename(os.path.normpath(folder))
        with open(os.path.join(folder, "meta.json")) as file:
            self.meta = json.load(file)
        self.tolerances = {name: output["tol_fp32_max_abs"] for name, output in self.meta["outputs"].items()}

    def suits_verify(self):
        """Whether the model's own library in float32 comes as near to the truth as `vitc verify` asks of everybody."""
        return all(output.get("lib_fp32_max_abs_err", 0) <= VERIFY_BOUND * output["std"] for output in self.meta["outputs"].values())

    def path(self, name):
        return os.path.join(self.folder, name)

    def load(self, name):
        return np.load(self.path(name))

    def expected(self, output):
        array = self.load(f"out_{output}.npy").astype(np.float64)
        return np.moveaxis(array, 0, 1) if output in PER_LAYER else array

    def model_options(self):
        """Which outputs, and for which image size."""
        options = []
        for name in self.tolerances:
            if not name.startswith("dino_maps"):
                options += ["--output", name]
        if self.meta.get("call", {}).get("interpolate_pos_encoding"):
            height, width = self.meta["input"]["shape"][2:]
            options += ["--image-size", f"{height}x{width}"]
        return options


def dino_maps(attentions, shape):
    """The last layer's attention of the CLS token over the patches, one map for each head; enlarged if `shape` asks for it."""
    items, heads, height, width = shape
    maps = attentions[:, -1, :, 0, 1:]
    side = int(maps.shape[-1] ** 0.5)
    maps = maps.reshape(items, heads, side, side)
    return maps.repeat(height // side, axis=2).repeat(width // side, axis=3)


def compare(case, folder, items):
    """The largest error, as a share of what is allowed."""
    worst = 0.0
    for name, tolerance in case.tolerances.items():
        want = case.expected(name)[items]
        if name.startswith("dino_maps"):
            got = dino_maps(np.load(os.path.join(folder, "attentions.npy")), want.shape)
        else:
            got = np.load(os.path.join(folder, name + ".npy"))
        if got.shape != want.shape:
            raise Failure(f"{name} has the shape {got.shape}, expected {want.shape}")
        if not np.isfinite(got).all():
            raise Failure(f"{name} is not finite everywhere")
        error = np.abs(got - want).max()
        if error > tolerance:
            raise Failure(f"{name} is off by {error:.3g}, allowed are {tolerance:.3g}")
        worst = max(worst, error / tolerance)
    return worst


def check_preprocessing(case, library):
    with Context(library) as context:
        pixels = context.preprocess(case.load("image.npy"))
    error = np.abs(pixels[0] - case.load("input.npy")[0]).max()
    if error > PREPROCESS_TOLERANCE:
        raise Failure(f"the image's tensor is off by {error:.3g}, allowed are {PREPROCESS_TOLERANCE:.3g}")


def can_run(library):
    """Whether this CPU has the instructions, or the machine has the device; the library itself says so."""
    with Context(library, statuses=(OK, ERROR_CPU, ERROR_DRIVER, ERROR_DEVICE)) as context:
        return context.status == OK


def check_refusal(vitc, out, case, target):
    """vitc must say which target the library is for, and which one this machine is."""
    process = subprocess.run([vitc, "run", out, case.path("input.npy")], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if target.startswith(("cuda", "opencl")):
        if process.returncode != 1 or ("driver" not in process.stderr and "device" not in process.stderr):
            raise Failure(f"vitc run exited with {process.returncode}, expected 1 and a word about driver or device: {process.stderr}")
        return
    if process.returncode != 1 or target not in process.stderr or host_target(vitc) not in process.stderr:
        raise Failure(f"vitc run exited with {process.returncode}, expected 1 and a message with both targets: {process.stderr}")


def check(case, vitc, target, scratch, backend, batch):
    """One line about a case that passed; Skipped if it can only be compiled."""
    out = os.path.join(scratch, f"{case.name}-{target}")
    run_vitc(vitc, "compile", case.folder, "-o", out, "--name", "golden", "--target", target, "--backend", backend,
             "--batch", batch, *case.model_options())
    native = is_native(vitc, target)
    library = Library(out) if native else None  # the others are seen through `vitc run` alone
    if native and not can_run(library):
        if target == host_target(vitc):
            raise Failure("the library says that this CPU cannot run its own target")
        check_refusal(vitc, out, case, target)
        raise Skipped("compiled, and refused as it should be: this machine cannot run it")
    run_vitc(vitc, "run", out, case.path("input.npy"), "--save", out + ".tensor")
    tensor = compare(case, out + ".tensor", slice(None))
    if native:
        check_preprocessing(case, library)
    run_vitc(vitc, "run", out, case.path("image.npy"), "--save", out + ".image")
    image = compare(case, out + ".image", slice(0, 1))
    text = f"error {100 * tensor:.0f}% of the tolerance from the tensor, {100 * image:.0f}% from the image"
    if not case.suits_verify():
        return text + "; too sensitive for vitc verify, as its library's own float32 is"
    run_vitc(vitc, "verify", out, case.folder, "--quiet")
    return text


def check_reference(case, vitc, scratch):
    results = os.path.join(scratch, f"{case.name}-reference")
    run_vitc(vitc, "run", case.folder, case.path("input.npy"), "--reference", "--save", results, *case.model_options())
    return f"error {100 * compare(case, results, slice(None)):.0f}% of the tolerance"


def check_plan(case, vitc):
    ir = run_vitc(vitc, "compile", case.folder, "--until-after", "plan", *case.model_options())
    calls = ir.count("kernel.call")
    if not calls:
        raise Failure("there are no kernel calls in the plan")
    return f"{calls} kernel calls"


def find_cases(folders):
    for folder in folders:
        if os.path.exists(os.path.join(folder, "meta.json")):
            yield Case(folder)
            continue
        for name in sorted(os.listdir(folder)):
            if os.path.exists(os.path.join(folder, name, "meta.json")):
                yield Case(os.path.join(folder, name))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--vitc", required=True)
    parser.add_argument("--targets", nargs="+", default=["host"])
    parser.add_argument("--backend", default="halide")
    parser.add_argument("--batch", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("cases", nargs="+")
    arguments = parser.parse_args()
    targets = all_targets(arguments.vitc) if arguments.targets == ["all"] else arguments.targets
    # `host` is one of the others by another name.
    targets = list(dict.fromkeys(host_target(arguments.vitc) if target == "host" else target for target in targets))

    counts = {"passed": 0, "failed": 0, "skipped": 0}

    def report(result, name, target, text):
        counts[result] += 1
        print(f"{result} {name} {target}: {text}", flush=True)

    def check_one(case, target, scratch):
        try:
            if target == "reference":
                text = check_reference(case, arguments.vitc, scratch)
            elif target == "plan":
                text = check_plan(case, arguments.vitc)
            else:
                text = check(case, arguments.vitc, target, scratch, arguments.backend, arguments.batch)
            report("passed", case.name, target, text)
        except Skipped as skipped:
            report("skipped", case.name, target, skipped)
        except Failure as failure:
            report("failed", case.name, target, failure)

    with tempfile.TemporaryDirectory() as scratch, concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        futures = [pool.submit(check_one, case, target, scratch) for case in find_cases(arguments.cases) for target in targets]
        for future in futures:
            future.result()
    if not any(counts.values()):
        sys.exit("no golden case found in " + " ".join(arguments.cases))
    print(", ".join(f"{count} {result}" for result, count in counts.items()))
    if counts["failed"]:
        sys.exit(1)
    if not counts["passed"]:
        sys.exit(ALL_SKIPPED)


if __name__ == "__main__":
    main()
