# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the tests of whole models share: running vitc, and driving an emitted .so through its uniform table (vitc/runtime/model.h)."""

import ctypes
import glob
import json
import os
import subprocess

import numpy as np


# Statuses of vitc/runtime/model.h.
OK, ERROR_CPU, ERROR_DRIVER, ERROR_DEVICE = 0, 8, 11, 12


class Failure(Exception):
    """A test that did not pass; its text says why."""


def run_vitc(vitc, *arguments, timeout=600):
    """Standard output of vitc; a Failure with all it said if it does not exit with 0."""
    command = [vitc, *map(str, arguments)]
    process = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=timeout)
    if process.returncode:
        raise Failure(f"`{' '.join(command)}` exited with {process.returncode}:\n{process.stdout}{process.stderr}")
    return process.stdout


def host_target(vitc):
    return json.loads(run_vitc(vitc, "targets", "--json"))["host"]


def all_targets(vitc):
    return [target["name"] for target in json.loads(run_vitc(vitc, "targets", "--json"))["targets"]]


def is_native(vitc, target):
    """Whether libraries for the target are for this machine's architecture; others run under an emulator."""
    return next(entry["native"] for entry in json.loads(run_vitc(vitc, "targets", "--json"))["targets"] if entry["name"] == target)


VERSION = 2
F32 = 1  # vitc_element_type
NATIVE, GREY, RGB, BGR, RGBA, BGRA = range(6)  # vitc_pixel_format


class Image(ctypes.Structure):
    _fields_ = [
        ("pixels", ctypes.c_void_p),
        ("width", ctypes.c_int32),
        ("height", ctypes.c_int32),
        ("format", ctypes.c_int32),
        ("stride", ctypes.c_ssize_t),
        ("crop", ctypes.c_int32 * 4),  # x, y, width, height
    ]


class Options(ctypes.Structure):
    _fields_ = [
        ("threads", ctypes.c_int32),
        ("parallel_for", ctypes.c_void_p),
        ("parallel_user", ctypes.c_void_p),
        ("workspace", ctypes.c_void_p),
        ("workspace_bytes", ctypes.c_size_t),
    ]


class Output(ctypes.Structure):
    _fields_ = [
        ("name", ctypes.c_char_p),
        ("type", ctypes.c_int),
        ("kind", ctypes.c_int),
        ("layout", ctypes.c_char_p),
        ("rank", ctypes.c_int32),
        ("shape", ctypes.c_int64 * 6),
        ("elements", ctypes.c_int64),
        ("bytes", ctypes.c_uint64),
    ]


class Model(ctypes.Structure):
    _fields_ = [
        ("version", ctypes.c_uint32),
        ("name", ctypes.c_char_p),
        ("target", ctypes.c_char_p),
        ("batch", ctypes.c_int32),
        ("channels", ctypes.c_int32),
        ("height", ctypes.c_int32),
        ("width", ctypes.c_int32),
        ("workspace_bytes", ctypes.c_size_t),
        ("weights_bytes", ctypes.c_uint64),
        ("flops", ctypes.c_double),
        ("output_count", ctypes.c_int32),
        ("outputs", ctypes.POINTER(Output)),
        ("step_count", ctypes.c_int32),
        ("steps", ctypes.c_void_p),
        ("label_count", ctypes.c_int32),
        ("labels", ctypes.POINTER(ctypes.c_char_p)),
        ("create", ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_char_p, ctypes.POINTER(Options), ctypes.POINTER(ctypes.c_void_p))),
        ("run", ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.POINTER(Image), ctypes.c_int32, ctypes.POINTER(ctypes.c_void_p))),
        ("run_tensor", ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int32, ctypes.POINTER(ctypes.c_void_p))),
        ("preprocess", ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.POINTER(Image), ctypes.c_int32, ctypes.c_void_p)),
        ("observe", ctypes.c_void_p),
        ("destroy", ctypes.CFUNCTYPE(None, ctypes.c_void_p)),
        ("status_text", ctypes.CFUNCTYPE(ctypes.c_char_p, ctypes.c_int)),
    ]


class Library:
    """A folder that `vitc compile` wrote."""

    def __init__(self, folder):
        (path,) = glob.glob(os.path.join(folder, "lib", "lib*.so"))
        name = os.path.basename(path)[len("lib") : -len(".so")]
        function = getattr(ctypes.CDLL(path), name + "_model")
        function.restype = ctypes.POINTER(Model)
        self.table = function().contents
        if self.table.version != VERSION:
            raise Failure(f"{path} has version {self.table.version} of the table, expected {VERSION}")
        self.weights = os.path.join(folder, "share", name, name + ".weights").encode()
        self.outputs = {}
        for i in range(self.table.output_count):
            output = self.table.outputs[i]
            shape = tuple(output.shape[: output.rank])
            if output.type != F32 or output.elements != np.prod(shape) or output.bytes != 4 * output.elements:
                raise Failure(f"{output.name}: type {output.type}, {output.elements} elements, {output.bytes} bytes, shape {shape}")
            if len(output.layout) != output.rank:
                raise Failure(f"{output.name}: layout {output.layout} for shape {shape}")
            self.outputs[output.name.decode()] = shape


class Context:
    """One context of a library. ctypes lets other Python threads run while a call is under way.

    A status of `create` other than `statuses` is a Failure; without success there is nothing to run."""

    def __init__(self, library, threads=0, statuses=(OK,)):
        self.library = library
        self.handle = ctypes.c_void_p()
        options = Options(threads=threads)
        self.status = library.table.create(library.weights, ctypes.byref(options), ctypes.byref(self.handle))
        if self.status not in statuses:
            self.check(self.status)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.handle:
            self.library.table.destroy(self.handle)

    def check(self, status):
        if status:
            raise Failure(self.library.table.status_text(status).decode())

    def run_tensor(self, pixels):
        """Outputs by name for one batch or fewer images, float32 [images, channels, height, width]. Memory is there for a whole batch,
        and what belongs to images that are not given must stay as it is."""
        pixels = np.ascontiguousarray(pixels, np.float32)
        results = {name: np.full(shape, np.nan, np.float32) for name, shape in self.library.outputs.items()}
        pointers = (ctypes.c_void_p * len(results))(*[array.ctypes.data for array in results.values()])
        self.check(self.library.table.run_tensor(self.handle, pixels.ctypes.data, len(pixels), pointers))
        for name, array in results.items():
            given = len(array) // self.library.table.batch * len(pixels)
            if not np.isnan(array[given:]).all():
                raise Failure(f"{name}: a run of {len(pixels)} images writes the results of others")
            results[name] = array[:given]
        return results

    def preprocess(self, image):
        """What the library makes of one uint8 image [height, width, channels]: float32 [1, channels, height, width]."""
        table = self.library.table
        image = np.ascontiguousarray(image)
        height, width, channels = image.shape
        images = (Image * 1)(Image(image.ctypes.data, width, height, {1: GREY, 3: RGB}.get(channels, NATIVE), width * channels))
        pixels = np.empty((1, table.channels, table.height, table.width), np.float32)
        self.check(table.preprocess(self.handle, images, 1, pixels.ctypes.data))
        return pixels
