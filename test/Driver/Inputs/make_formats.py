#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes the weights of a model in every other format that is read, with NumPy's and Python's own writers.

    make_formats.py GOOD-MODEL OUT      writes OUT/NAME/ for each, and OUT/code/, whose pickle runs a command
"""

import collections
import io
import json
import os
import pickle
import shutil
import struct
import sys
import types
import zipfile

import numpy as np


def read_safetensors(path):
    with open(path, "rb") as file:
        data = file.read()
    (length,) = struct.unpack("<Q", data[:8])
    header = json.loads(data[8 : 8 + length])
    header.pop("__metadata__", None)
    arrays = {}
    for name, entry in header.items():
        assert entry["dtype"] == "F32"
        begin, end = entry["data_offsets"]
        arrays[name] = np.frombuffer(data[8 + length + begin : 8 + length + end], "<f4").reshape(entry["shape"])
    return arrays


def _rebuild_tensor_v2(*arguments):
    raise AssertionError("only its name is pickled")


# PyTorch is not needed: a pickle has the names of these, and nothing else of them.
_rebuild_tensor_v2.__module__ = "torch._utils"
FloatStorage = type("FloatStorage", (), {"__module__": "torch"})
for name, member in (("torch", FloatStorage), ("torch._utils", _rebuild_tensor_v2)):
    sys.modules[name] = types.ModuleType(name)
    setattr(sys.modules[name], member.__name__, member)


class Storage:
    def __init__(self, key, size):
        self.id = ("storage", FloatStorage, key, "cpu", size)


class Tensor:
    """Pickled as torch.Tensor is."""

    def __init__(self, storage, shape, strides):
        self.arguments = (storage, 0, shape, strides, False, collections.OrderedDict())

    def __reduce__(self):
        return _rebuild_tensor_v2, self.arguments


class Pickler(pickle.Pickler):
    def persistent_id(self, value):
        return value.id if isinstance(value, Storage) else None


def write_torch(path, arrays, wrap=lambda tensors: tensors, protocol=2):
    """What torch.save(wrap(arrays), path) writes. Matrices are stored transposed, as views."""
    storages, tensors = {}, collections.OrderedDict()
    for name, array in arrays.items():
        key = str(len(storages))
        storages[key] = array.tobytes(order="F" if array.ndim == 2 else "C")
        strides = np.empty(array.shape, "u1", order="F" if array.ndim == 2 else "C").strides
        tensors[name] = Tensor(Storage(key, array.size), array.shape, strides)
    pickled = io.BytesIO()
    Pickler(pickled, protocol).dump(wrap(tensors))
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("weights/data.pkl", pickled.getvalue())
        archive.writestr("weights/byteorder", "little")
        for key, data in storages.items():
            archive.writestr("weights/data/" + key, data)
        archive.writestr("weights/version", "3\n")


class Code:
    def __init__(self, command):
        self.command = command

    def __reduce__(self):
        return os.system, (self.command,)


def main(good, out):
    arrays = read_safetensors(os.path.join(good, "model.safetensors"))

    def folder(name):
        path = os.path.join(out, name)
        os.makedirs(path)
        shutil.copy(os.path.join(good, "config.json"), path)
        return path

    np.savez(os.path.join(folder("npz"), "weights.npz"), **arrays)
    np.savez_compressed(
        os.path.join(folder("npz-deflated"), "weights.npz"), **{name: np.asfortranarray(array) for name, array in arrays.items()}
    )
    write_torch(os.path.join(folder("pth"), "checkpoint.pth"), arrays)
    write_torch(
        os.path.join(folder("pth-training"), "last.pt"),
        {"module." + name: array for name, array in arrays.items()},
        lambda tensors: {"epoch": 3, "lr": 1e-3, "model": tensors, "optimizer": {"state": {}, "param_groups": [{"betas": (0.9, 0.999)}]}},
        protocol=4,
    )
    write_torch(os.path.join(folder("bin"), "pytorch_model.bin"), arrays)
    sharded = folder("bin-sharded")
    names = sorted(arrays)
    weight_map = {}
    for shard, part in (("a.bin", names[::2]), ("b.bin", names[1::2])):
        write_torch(os.path.join(sharded, shard), {name: arrays[name] for name in part})
        weight_map.update({name: shard for name in part})
    with open(os.path.join(sharded, "pytorch_model.bin.index.json"), "w") as file:
        json.dump({"metadata": {}, "weight_map": weight_map}, file)
    code = folder("code")
    command = "touch " + os.path.join(code, "was-run")
    write_torch(os.path.join(code, "checkpoint.pth"), arrays, lambda tensors: {"model": tensors, "args": Code(command)})
    np.savez(os.path.join(folder("two"), "a.npz"), **arrays)
    write_torch(os.path.join(out, "two", "b.pth"), arrays)


if __name__ == "__main__":
    main(*sys.argv[1:])
