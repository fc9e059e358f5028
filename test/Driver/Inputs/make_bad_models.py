#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes models that are wrong in one way each, out of one that is right.

    make_bad_models.py GOOD-MODEL OUT      writes OUT/NAME/ for each
"""

import json
import os
import shutil
import struct
import sys

WEIGHT = "vit.encoder.layer.0.output.dense.weight"


class Model:
    """A folder's config and its model.safetensors, taken apart."""

    def __init__(self, folder):
        with open(os.path.join(folder, "config.json")) as file:
            self.config = file.read()
        with open(os.path.join(folder, "model.safetensors"), "rb") as file:
            data = file.read()
        (length,) = struct.unpack("<Q", data[:8])
        self.header = json.loads(data[8 : 8 + length])
        self.data = data[8 + length :]

    def edited_config(self, **fields):
        config = json.loads(self.config)
        for name, value in fields.items():
            if value is None:
                del config[name]
            else:
                config[name] = value
        return json.dumps(config, indent=2) + "\n"

    def safetensors(self, header=None, data=None, length=None):
        text = header if isinstance(header, bytes) else json.dumps(self.header if header is None else header).encode()
        return struct.pack("<Q", len(text) if length is None else length) + text + (self.data if data is None else data)

    def edited_header(self, tensor=WEIGHT, **fields):
        header = json.loads(json.dumps(self.header))
        header[tensor].update(fields)
        return self.safetensors(header)


def bad_configs(model):
    good = model.config
    return {
        "config-empty": "",
        "config-cut": good[: len(good) // 2],
        "config-no-json": "hidden_size: 32\n",
        "config-list": "[1, 2]\n",
        "config-binary": b"\x89PNG\r\n\x1a\n\0\0\0\xff",
        "config-twice": good.replace('"hidden_size": 32', '"hidden_size": 32, "hidden_size": 48'),
        "config-wrong-type": model.edited_config(hidden_size="32"),
        "config-fraction": model.edited_config(num_hidden_layers=2.5),
        "config-negative": model.edited_config(num_hidden_layers=-3),
        "config-huge": good.replace('"hidden_size": 32', '"hidden_size": 123456789012345678901234567890'),
        "config-heads": model.edited_config(hidden_size=33),
        "config-image": model.edited_config(image_size=3),
        "config-model-type": model.edited_config(model_type="resnet"),
        "config-no-model-type": model.edited_config(model_type=None),
        "config-activation": model.edited_config(hidden_act="geluu"),
        "config-architecture": model.edited_config(architectures=["ViTForSomething"]),
        "config-labels": model.edited_config(id2label={"0": "a", "2": "b"}),
    }


def bad_weights(model):
    start, end = model.header[WEIGHT]["data_offsets"]
    shape = model.header[WEIGHT]["shape"]
    without = {name: entry for name, entry in model.header.items() if name != WEIGHT}
    # The last tensor goes, so that nothing but its absence is wrong.
    last = max((name for name in model.header if name != "__metadata__"), key=lambda name: model.header[name]["data_offsets"][1])
    renamed = {("vit.encoder.layer.0.output.dence.weight" if name == WEIGHT else name): entry for name, entry in model.header.items()}
    missing = {name: entry for name, entry in model.header.items() if name != last}
    extra = dict(model.header, **{"vit.extra.weight": {"dtype": "F32", "shape": [1], "data_offsets": [len(model.data), len(model.data) + 4]}})
    text = json.dumps(model.header)
    entry = json.dumps(WEIGHT) + ": " + json.dumps(model.header[WEIGHT])
    twice = text[:-1] + ", " + entry + "}"
    whole = model.safetensors()
    nan = bytearray(model.data)
    for i in range(3):
        nan[start + 40 * i : start + 40 * i + 4] = struct.pack("<f", float("nan"))
    return {
        "weights-empty": b"",
        "weights-cut": whole[:-5],
        "weights-cut-in-length": whole[:5],
        "weights-cut-in-header": whole[:200],
        "weights-header-too-long": model.safetensors(length=1 << 40),
        "weights-header-overflow": model.safetensors(length=(1 << 64) - 1),
        "weights-header-no-json": model.safetensors(header=b"hello, this is no header"),
        "weights-overlap": model.edited_header(data_offsets=[start - 4, end - 4]),
        "weights-hole": model.safetensors(without),
        "weights-trailing": model.safetensors(data=model.data + b"\0\0\0\0"),
        "weights-twice": model.safetensors(header=twice.encode()),
        "weights-negative-shape": model.edited_header(shape=[-shape[0], -shape[1]]),
        "weights-overflowing-shape": model.edited_header(shape=[1 << 40, 1 << 40]),
        "weights-backwards": model.edited_header(data_offsets=[end, start]),
        "weights-beyond": model.edited_header(data_offsets=[start, end + (1 << 40)]),
        "weights-dtype-unknown": model.edited_header(dtype="F33"),
        "weights-dtype-size": model.edited_header(dtype="F16"),
        "weights-dtype-integer": model.edited_header(dtype="I32"),
        "weights-shape": model.edited_header(shape=[shape[1], shape[0]]),
        "weights-renamed": model.safetensors(renamed),
        "weights-missing": model.safetensors(missing, model.data[: model.header[last]["data_offsets"][0]]),
        "weights-extra": model.safetensors(extra, model.data + struct.pack("<f", 1)),
        "weights-control": model.safetensors({name.replace(WEIGHT, "a\nb\x1b"): tensor for name, tensor in model.header.items()}),
        "weights-nan": model.safetensors(data=bytes(nan)),
    }


def bad_indices(model):
    names = [name for name in model.header if name != "__metadata__"]
    index = lambda shard: json.dumps({"metadata": {}, "weight_map": {name: shard for name in names}})
    return {
        "shard-outside": index("../good/model.safetensors"),
        "shard-absolute": index("/etc/passwd"),
        "shard-missing": index("model-00001-of-00001.safetensors"),
        "shard-no-map": json.dumps({"metadata": {}}),
    }


def write(folder, name, content):
    with open(os.path.join(folder, name), "wb") as file:
        file.write(content if isinstance(content, bytes) else content.encode())


def main():
    good, out = sys.argv[1:]
    model = Model(good)
    shutil.copytree(good, os.path.join(out, "good"))
    processor = os.path.join(good, "preprocessor_config.json")

    def folder(name, config=model.config, weights=model.safetensors(), index=None):
        path = os.path.join(out, name)
        os.makedirs(path)
        shutil.copy(processor, path)
        if config is not None:
            write(path, "config.json", config)
        if index is not None:
            write(path, "model.safetensors.index.json", index)
        elif weights is not None:
            write(path, "model.safetensors", weights)

    folder("config-missing", config=None)
    folder("weights-none", weights=None)
    for name, config in bad_configs(model).items():
        folder(name, config=config)
    for name, weights in bad_weights(model).items():
        folder(name, weights=weights)
    for name, index in bad_indices(model).items():
        folder(name, index=index)


main()
