#!/usr/bin/env python3
"""perturb.py IN.safetensors OUT.safetensors TENSOR: copies the file with 1 added to the tensor's first value."""
import json, struct, sys

source, target, name = sys.argv[1:]
with open(source, "rb") as f:
    data = bytearray(f.read())
head = struct.unpack("<Q", data[:8])[0]
start = 8 + head + json.loads(data[8:8 + head])[name]["data_offsets"][0]
value = struct.unpack("<f", data[start:start + 4])[0]
data[start:start + 4] = struct.pack("<f", value + 1)
with open(target, "wb") as f:
    f.write(data)
