#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The trained model of models/vit-fashion-mnist on its 500 test images: accuracy, classes and logits as in PyTorch.

    check_trained.py --vitc BUILD/bin/vitc MODEL
"""

import argparse
import os
import sys
import tempfile

import numpy as np

from vitc_library import Failure, run_vitc

CORRECT = 457
# PyTorch in float32 is within 2.4e-6 of the stored logits, which it computed in float64; ten times that is a fair bound (golden/README.md).
TOLERANCE = 2.4e-5
# 500 is no multiple of 7: the last run has fewer images.
BATCHES = (1, 7)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--vitc", required=True)
    parser.add_argument("model")
    arguments = parser.parse_args()
    path = lambda name: os.path.join(arguments.model, name)
    expected = np.load(path("test500_logits.npy"))
    with tempfile.TemporaryDirectory() as scratch:
        for batch in BATCHES:
            out = os.path.join(scratch, f"batch{batch}")
            run_vitc(arguments.vitc, "compile", arguments.model, "-o", out, "--batch", batch)
            text = run_vitc(arguments.vitc, "run", out, path("test500_images.npy"), "--labels", path("test500_labels.npy"), "--save", out + ".results")
            if f"{CORRECT} of {len(expected)} correct" not in text:
                raise Failure(f"batch {batch}: expected {CORRECT} of {len(expected)} correct, vitc says: {text}")
            logits = np.load(os.path.join(out + ".results", "logits.npy"))
            if logits.shape != expected.shape or (logits.argmax(1) != expected.argmax(1)).any():
                raise Failure(f"batch {batch}: classes differ from PyTorch's")
            error = np.abs(logits - expected).max()
            if error > TOLERANCE:
                raise Failure(f"batch {batch}: logits are off by {error:.3g}, allowed are {TOLERANCE:.3g}")
            print(f"pass batch {batch}: {CORRECT} of {len(expected)} correct, all classes as in PyTorch, logits within {error:.2g}")


try:
    main()
except Failure as failure:
    sys.exit(f"FAIL {failure}")
