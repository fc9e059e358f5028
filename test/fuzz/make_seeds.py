#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes the inputs that the fuzz targets start from: one folder of small files for each target.

    make_seeds.py --vitc BUILD/bin/vitc OUT

Configs, processors and kernel specifications are those of the golden models (test/numerics/golden); weights files are made here,
with a few tensors each.
"""

import argparse
import glob
import io
import json
import os
import pickle
import re
import struct
import subprocess
import sys
import types
import zipfile

import numpy as np
from PIL import Image

GOLDEN = os.path.normpath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "../numerics/golden"))
# Its backbone is smaller than the published one, which only its tensors tell.
NEEDS_TENSORS = {"timm_hybrid_mci"}
TARGETS = ("x86-64-avx2", "x86-64-avx512", "x86-64-zen4", "arm-64", "opencl")


def golden_models():
    """Name, folder and config of each golden model."""
    for path in sorted(glob.glob(os.path.join(GOLDEN, "*", "config.json"))):
        folder = os.path.dirname(path)
        with open(path) as file:
            yield os.path.basename(folder), folder, json.load(file)


def read_json(path):
    if not os.path.exists(path):
        return None
    with open(path) as file:
        return json.load(file)


class Seeds:
    def __init__(self, folder):
        self.folder = folder

    def add(self, target, name, data):
        folder = os.path.join(self.folder, target)
        os.makedirs(folder, exist_ok=True)
        if not isinstance(data, bytes):
            data = json.dumps(data, separators=(",", ":")).encode()
        with open(os.path.join(folder, name), "wb") as file:
            file.write(data)


def add_configs(seeds):
    """Every golden model with its own tensors, and once without any."""
    for name, folder, config in golden_models():
        case = {"config": config, "weights": name}
        if processor := read_json(os.path.join(folder, "preprocessor_config.json")):
            case["processor"] = processor
        meta = read_json(os.path.join(folder, "meta.json"))
        case["outputs"] = [output for output in meta["outputs"] if not output.startswith("dino_maps")]
        if meta.get("call", {}).get("interpolate_pos_encoding"):
            case["image_size"] = meta["input"]["shape"][2:]
        for target in ("config", "lowering"):
            seeds.add(target, name, case)
            if name not in NEEDS_TENSORS:
                seeds.add(target, name + "-random", {"config": config})
        if processor:
            size = meta["input"]["shape"] if "input" in meta else [1, 3, 32, 32]
            seeds.add("processor", name, {"processor": processor, "channels": size[1], "size": size[2:]})
        elif isinstance(config.get("pretrained_cfg"), dict):
            seeds.add("processor", name, {"processor": config["pretrained_cfg"], "channels": 3, "size": [32, 32]})


def safetensors_head(tensors):
    head, offset = {"__metadata__": {"format": "pt"}}, 0
    for name, (kind, shape, size) in tensors.items():
        bytes_ = int(np.prod(shape)) * size
        head[name] = {"dtype": kind, "shape": shape, "data_offsets": [offset, offset + bytes_]}
        offset += bytes_
    return head, offset


def add_safetensors(seeds):
    tensors = {
        "a.weight": ("F32", [2, 3], 4), "a.bias": ("F16", [3], 2), "b": ("BF16", [2], 2), "c": ("I64", [1], 8),
        "d": ("BOOL", [3], 1), "scalar": ("F64", [], 8), "none": ("F32", [0, 4], 4)}
    for count in range(1, len(tensors) + 1):
        head, size = safetensors_head(dict(list(tensors.items())[:count]))
        text = json.dumps(head).encode()
        seeds.add("safetensors", f"{count}", struct.pack("<Q", len(text)) + text + b"\1" * size)
    first, size = safetensors_head({"x": ("F32", [4], 4), "y": ("F32", [2, 2], 4)})
    second, _ = safetensors_head({"z": ("F32", [8], 4)})
    index = {"metadata": {"total_size": 2 * size}, "weight_map": {"x": "a.safetensors", "y": "a.safetensors", "z": "b.safetensors"}}
    seeds.add("shards", "two", {"index": index, "a": first, "b": second, "bytes": size})
    seeds.add("shards", "one", {"index": {"weight_map": {"x": "a.safetensors", "y": "a.safetensors"}}, "a": first, "b": {}, "bytes": size})


def npy(array, order="C"):
    buffer = io.BytesIO()
    np.lib.format.write_array(buffer, np.asarray(array, order=order), allow_pickle=False)
    return buffer.getvalue()


def add_arrays(seeds):
    arrays = [npy(np.zeros((4, 2, 3), np.float32)), npy(np.ones((2, 2, 3, 4), np.float16)), npy(np.zeros((1, 5, 4), np.float64), "F"),
              npy(np.arange(4)), npy(np.zeros(3, np.uint8)), npy(np.array(True))]
    # Images come in fewer types than weights.
    for index, array in enumerate((arrays[0], arrays[3], arrays[4], npy(np.zeros((2, 2), np.float64)))):
        seeds.add("arrays", f"npy-{index}", b"n" + array)
    for kind in b"sd":
        seeds.add("arrays", f"members-{chr(kind)}", bytes([kind]) + b"\n----\n".join(arrays[:1] * 2 + arrays))
    for method in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w", method) as archive:
            archive.writestr("head/kernel.npy", arrays[0])
            archive.writestr("head/bias.npy", arrays[3])
        seeds.add("arrays", f"zip-{method}", b"z" + buffer.getvalue())


def torch_pickle(count):
    """A state dict as torch.save pickles it, without torch."""
    torch, utils = types.ModuleType("torch"), types.ModuleType("torch._utils")

    class FloatStorage:
        pass

    def _rebuild_tensor_v2(*arguments):
        return arguments

    for module, made in ((torch, FloatStorage), (utils, _rebuild_tensor_v2)):
        made.__module__, made.__qualname__ = module.__name__, made.__name__
        setattr(module, made.__name__, made)
        sys.modules[module.__name__] = module

    class Tensor:
        def __init__(self, storage, shape, strides):
            self.storage, self.shape, self.strides = storage, shape, strides

        def __reduce__(self):
            return _rebuild_tensor_v2, (self.storage, 0, self.shape, self.strides, False, {})

    class Storage:
        def __init__(self, key, elements):
            self.key, self.elements = key, elements

    class Pickler(pickle.Pickler):
        def persistent_id(self, value):
            if isinstance(value, Storage):
                return ("storage", FloatStorage, value.key, "cpu", value.elements)

    tensors = {"a.weight": Tensor(Storage("0", 16), (4, 4), (4, 1)), "a.bias": Tensor(Storage("1", 6), (3,), (2,)),
               "t": Tensor(Storage("0", 16), (2, 8), (1, 2))}
    state = dict(list(tensors.items())[:count])
    buffer = io.BytesIO()
    Pickler(buffer, protocol=2).dump({"state_dict": state, "epoch": 3, "best": 0.5, "args": ["a", None, True]} if count == 3 else state)
    return buffer.getvalue()


def add_torch(seeds):
    for count in (1, 2, 3):
        pickled = torch_pickle(count)
        seeds.add("torch", f"archive-{count}", b"a" + pickled)
        if count == 1:
            seeds.add("torch", "old", b"o" + pickled)
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w") as archive:
            archive.writestr("archive/data.pkl", pickled)
            archive.writestr("archive/data/0", b"\1" * 64)
            archive.writestr("archive/data/1", b"\2" * 24)
        seeds.add("torch", f"file-{count}", b"f" + buffer.getvalue())


def add_images(seeds):
    pixels = (np.arange(12 * 9 * 3).reshape(9, 12, 3) % 251).astype(np.uint8)
    image = Image.fromarray(pixels)
    variants = {
        "rgb.png": (image, {}), "grey.png": (image.convert("L"), {}), "palette.png": (image.convert("P"), {}),
        "alpha.png": (image.convert("RGBA"), {}), "bit.png": (image.convert("1"), {}),
        "sixteen.png": (Image.fromarray(pixels[:, :, 0].astype(np.uint16) * 257), {}), "rgb.jpeg": (image, {}),
        "grey.jpeg": (image.convert("L"), {}), "cmyk.jpeg": (image.convert("CMYK"), {}),
        "progressive.jpeg": (image, {"progressive": True}), "rgb.ppm": (image, {}), "grey.ppm": (image.convert("L"), {})}
    for name, (variant, options) in variants.items():
        buffer = io.BytesIO()
        variant.save(buffer, format=name.split(".")[1].upper(), **options)
        seeds.add("image", name, buffer.getvalue())
    seeds.add("image", "text.ppm", b"P3 2 1 255 1 2 3 4 5 6\n")
    seeds.add("image", "text.pgm", b"P2\n# a comment\n2 1\n255\n1 2\n")


def add_weights(seeds):
    """WeightsFuzzer.cpp has the sizes: a call of 14 bytes, a head, 32 floats."""
    data = np.arange(32, dtype=np.float32).tobytes()
    head = b"VITCWGT1" + struct.pack("<QQQ", len(data), 42, 0) + bytes(32)
    for resize in range(4):
        for filter_ in range(6):
            crop = (1, 2, 7, 6) if filter_ % 2 else (0, 0, 0, 0)
            call = struct.pack("<5Bbh5bx", 0, resize, filter_, 9 + filter_, 12 - resize, filter_, -5 if resize == 1 else 3, 1 + resize % 2, *crop)
            seeds.add("weights", f"{resize}-{filter_}", call + head + data)


RECORD = {
    "record": 3, "family": "gemm", "target": "x86-64-avx2", "spec": {"m": 50, "n": 64, "k": 96, "bias": True, "activation": "none"},
    "cpu": "cpu", "machine": "machine", "backend": "halide", "backend_version": "21.0.0", "vitc": "0.1.0", "schedule": {"tile_m": 6},
    "code": "0123456789abcdef", "threads": 1, "seconds": 1.5e-5, "share_of_peak": 0.8, "date": "2025-01-31", "command": "vitc tune",
    "baseline": {"backend": "halide", "backend_version": "21.0.0", "schedule": {"tile_m": 4}, "code": "fedcba98", "seconds": 2e-5}}


def add_tuning(seeds):
    seeds.add("records", "one", RECORD)
    line = json.dumps(RECORD).encode()
    seeds.add("records", "two", b"# records\n\n" + line + b"\n" + line + b"\n")
    session = {"model": "m", "target": "x86-64-avx2", "cpu": "cpu", "machine": "machine", "command": "vitc tune", "options": "{\"trials\": 3}",
               "threads": 1, "finished": 0, "created": 1.7e9, "seconds": 2.5}
    kernel = {"session": 1, "key": "key", "name": "gemm_1", "family": "gemm", "target": "x86-64-avx2", "spec": "{\"m\": 50}", "calls": 2,
              "flops": 1e6, "threads": 1}
    trial = {"session": 1, "kernel": 1, "kind": "search", "backend": "halide", "schedule": "{}", "proposer": "default", "attempts": 0,
             "created": 1.7e9, "baseline_backend": "halide"}
    done = {**trial, "state": "done", "worker": "host:1:2", "lease": 1.7e9, "finished": 1.7e9, "outcome": "ok", "detail": "", "seconds": 1e-5,
            "warm_seconds": 1e-5, "baseline_seconds": 2e-5, "paired_ratio": 0.5, "score": 1e-5, "noise": 0.01, "compile_seconds": 0.4,
            "peak": 1e11, "backend_version": "21.0.0", "full_schedule": "{\"tile_m\": 6}", "code": "01", "baseline_backend_version": "21.0.0",
            "baseline_schedule": "{\"tile_m\": 4}", "baseline_code": "02"}
    record = {"key": "key", "cpu": "cpu", "backend": "halide", "baseline_backend": "halide", "line": json.dumps(RECORD)}
    tables = {"sessions": session, "kernels": kernel, "records": record}
    seeds.add("store", "queued", {**tables, "trials": {**trial, "state": "queued"}})
    seeds.add("store", "running", {**tables, "trials": {**trial, "state": "running", "worker": "host:1:2", "lease": 1.0, "attempts": 2}})
    seeds.add("store", "done", {**tables, "trials": done})
    seeds.add("store", "confirmed", {**tables, "trials": {**done, "kind": "confirm"}})


def add_manifest(seeds):
    manifest = {
        "format": 2, "vitc": "0.1.0", "name": "model", "target": "x86-64-avx2", "precision": "f32", "backend": "halide",
        "model": {"source": "models/m", "random_weights": None, "files": [{"file": "config.json", "bytes": 3, "hash": "sha256:00"}]},
        "options": {"batch": 1, "image_size": [32, 32], "outputs": ["logits"], "embed_weights": False, "disabled_rewrites": [],
                    "fast_matmul": False, "tensor_cores": False, "winograd": False},
        "labels": ["cat", "dog"]}
    seeds.add("manifest", "plain", manifest)
    manifest["model"]["random_weights"] = 7
    manifest["options"].update(cxx="g++", sysroot="/", embed_weights=True)
    seeds.add("manifest", "random", manifest)
    seeds.add("manifest", "foreign", {**manifest, "target": "arm-64"})


KERNEL = re.compile(r'kernel\.spec @(\w+) #kernel\.(\w+)<(.*?)> words')
FIELD = re.compile(r'(\w+) = (?:\[([^\]]*)\]|(true|false)|([-+]?\d[-+.\dEe]*)|(\w+))')


def parse_spec(text):
    """The attributes of a kernel.spec, as the compiler hands them to a backend."""
    spec = {}
    for name, array, flag, number, word in FIELD.findall(text):
        if array:
            spec[name] = [int(value) for value in array.split(",")]
        elif flag:
            spec[name] = flag == "true"
        elif number:
            spec[name] = int(number) if re.fullmatch(r"-?\d+", number) else float(number)
        else:
            spec[name] = word
    return spec


def add_kernels(seeds, vitc):
    """The first kernels of each kind, by family and the fields that it has."""
    seen = set()
    models = [(folder, "f32") for _, folder, _ in golden_models()]
    models += [(models[0][0], precision) for precision in ("int8", "bf16", "f16")]
    for folder, precision in models:
        ir = subprocess.run([vitc, "compile", folder, "--until-after", "kernels", "--precision", precision], check=True,
                            capture_output=True, text=True).stdout
        for name, family, text in KERNEL.findall(ir):
            spec = parse_spec(text)
            kind = (family, tuple(sorted(spec)), *(value for value in spec.values() if isinstance(value, (str, bool))))
            if kind in seen:
                continue
            seen.add(kind)
            targets = TARGETS if precision == "f32" else [target for target in TARGETS if target != "opencl"]
            target = targets[len(seen) % len(targets)]
            document = {"protocol": 1, "name": name, "target": target, "family": family, "spec": spec, "schedule": {}}
            seeds.add("kernel", name, {"spec": document, "proposals": [{}, {"tile_m": 3, "parallel": 0}]})
    if not seen:
        sys.exit("no kernel specifications in the IR")
    # What no golden model has.
    rows = {"rows": 50, "cols": 24, "ldx": 32, "ldy": 48}
    maps = {"batch": 2, "height": 7, "width": 5, "out_h": 14, "out_w": 3, "cols": 24, "ldx": 32, "ldy": 48}
    for family, spec in (("softmax", rows), ("scale", {**rows, "factor": 0.125}), ("resize", maps)):
        document = {"protocol": 1, "name": family, "target": "x86-64-avx2", "family": family, "spec": spec, "schedule": {}}
        seeds.add("kernel", family, {"spec": document, "proposals": [{}, {"block_rows": 3, "parallel": 0}]})


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--vitc", required=True)
    parser.add_argument("out")
    arguments = parser.parse_args()
    seeds = Seeds(arguments.out)
    add_configs(seeds)
    add_safetensors(seeds)
    add_arrays(seeds)
    add_torch(seeds)
    add_images(seeds)
    add_weights(seeds)
    add_tuning(seeds)
    add_manifest(seeds)
    add_kernels(seeds, arguments.vitc)


main()
