#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""check_estimate.py MANIFEST.json ESTIMATE.json: computes the roofline times again, from the manifest, as docs/Targets.md has them."""
import json, sys

manifest, estimate = (json.load(open(path)) for path in sys.argv[1:])
batch = manifest["options"]["batch"]
totals = {part["name"]: 0.0 for part in estimate["parts"]}
assert len(totals) == 6, totals
seen = 0
for entry in estimate["kernels"]:
    # A library with two levels lists each kernel twice, and runs one of them.
    listed = next(kernel for kernel in manifest["kernels"] if kernel["name"].startswith(entry["kernel"]))
    calls = sum(batch // step["images"] for step in manifest["steps"] if step["kernel"] == entry["kernel"])
    spec = listed["spec"]
    assert listed["family"] != "gemm" or listed["flops"] == 2 * spec["m"] * spec["n"] * spec["k"], listed
    assert (entry["calls"], entry["flops"], entry["bytes"]) == (calls, listed["flops"], listed["bytes"]), entry
    seen += calls
    for part, figure in zip(estimate["parts"], entry["parts"]):
        arithmetic, memory = listed["flops"] / part["gflops"] / 1e3, listed["bytes"] / part["gb_per_s"] / 1e3
        assert abs(figure["us"] - calls * max(arithmetic, memory)) <= 1e-9 * figure["us"], (entry["kernel"], figure)
        assert figure["bound"] == ("memory" if memory > arithmetic else "arithmetic"), (entry["kernel"], figure)
        totals[part["name"]] += figure["us"]
batched = sum(step["images"] == batch for step in manifest["steps"])
assert batched > 0 and seen == batched + batch * (len(manifest["steps"]) - batched), f"{seen} calls"
for part in estimate["parts"]:
    assert abs(part["us"] - totals[part["name"]]) <= 1e-9 * part["us"], part
