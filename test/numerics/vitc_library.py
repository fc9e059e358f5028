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


class Image(ctypes.Structure):
    _fields_ = [
        ("pixels", ctypes.c_void_p),
        ("width", ctypes.c_int32),
        ("height", ctypes.c_int32),
        ("channels", ctypes.c_int32),
        ("stride", ctypes.c_ssize_t),
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
        ("rank", ctypes.c_int32),
        ("shape", ctypes.c_int64 * 6),
        ("elements", ctypes.c_int64),
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
        ("create", ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_char_p, ctypes.POINTER(Options), ctypes.POINTER(ctypes.c_void_p))),
        ("run", ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.POINTER(Image), ctypes.POINTER(ctypes.c_void_p))),
        ("run_tensor", ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.POINTER(ctypes.c_void_p))),
        ("preprocess", ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.POINTER(Image), ctypes.c_void_p)),
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
        self.weights = os.path.join(folder, "share", name, name + ".weights").encode()
        self.outputs = {}
        for i in range(self.table.output_count):
            output = self.table.outputs[i]
            self.outputs[output.name.decode()] = tuple(output.shape[: output.rank])


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
        """Outputs by name for one batch, float32 [batch, channels, height, width]."""
        pixels = np.ascontiguousarray(pixels, np.float32)
        results = {name: np.full(shape, np.nan, np.float32) for name, shape in self.library.outputs.items()}
        pointers = (ctypes.c_void_p * len(results))(*[array.ctypes.data for array in results.values()])
        self.check(self.library.table.run_tensor(self.handle, pixels.ctypes.data, pointers))
        return results

    def preprocess(self, picture):
        """What the library makes of one uint8 picture [height, width, channels]; every place of the batch gets the same one."""
        table = self.library.table
        picture = np.ascontiguousarray(picture)
        height, width, channels = picture.shape
        images = (Image * table.batch)(*[Image(picture.ctypes.data, width, height, channels, width * channels)] * table.batch)
        pixels = np.empty((table.batch, table.channels, table.height, table.width), np.float32)
        self.check(table.preprocess(self.handle, images, pixels.ctypes.data))
        return pixels
