# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Copies a model in safetensors and puts a value into a tensor: poison_weights.py MODEL COPY TENSOR VALUE."""
import json
import pathlib
import shutil
import struct
import sys

model, copy, tensor, value = sys.argv[1:]
shutil.copytree(model, copy)
path = pathlib.Path(copy) / "model.safetensors"
data = bytearray(path.read_bytes())
head = struct.unpack_from("<Q", data)[0]
begin, _ = json.loads(data[8:8 + head])[tensor]["data_offsets"]
struct.pack_into("<f", data, 8 + head + begin, float(value))
path.write_bytes(data)
