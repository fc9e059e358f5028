#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""perturb.py IN.safetensors OUT.safetensors TENSOR [AMOUNT [COUNT]]: copies the file with AMOUNT (1) added to the tensor's first COUNT (1) values."""
import json, struct, sys

source, target, name, *rest = sys.argv[1:]
amount = float(rest[0]) if rest else 1.0
count = int(rest[1]) if len(rest) > 1 else 1
with open(source, "rb") as f:
    data = bytearray(f.read())
head = struct.unpack("<Q", data[:8])[0]
start = 8 + head + json.loads(data[8:8 + head])[name]["data_offsets"][0]
values = struct.unpack(f"<{count}f", data[start:start + 4 * count])
data[start:start + 4 * count] = struct.pack(f"<{count}f", *(value + amount for value in values))
with open(target, "wb") as f:
    f.write(data)
