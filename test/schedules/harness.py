# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Compiles kernels with a backend, loads them and calls them on memory that traps whoever leaves it.

The programs beside this file run under ctest for each backend, or by hand:
  VITC_BACKEND=build/bin/vitc-tvm python test_gemm.py
"""
import ctypes
import itertools
import json
import math
import mmap
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

import numpy as np

BACKEND = os.environ.get("VITC_BACKEND", "vitc-halide")
CXX = os.environ.get("CXX", "c++")
RUNTIME = pathlib.Path(__file__).resolve().parents[2] / "runtime"
TARGET = os.environ.get("VITC_TARGET", "x86-64-avx2")
EPS = float(np.finfo(np.float32).eps)
# Of the cases that a test has, one in so many is run: for backends that take long to compile. `tools/check --full` runs all.
EVERY = int(os.environ.get("VITC_EVERY", "1"))

# How halide_do_par_for runs the tasks; the kernel's context argument carries the choice.
SERIAL, REVERSED, THREADS = 0, 1, 2
PAR_FOR = r"""
#include <atomic>
#include <cstdint>
#include <thread>
extern "C" int halide_do_par_for(void *context, int (*f)(void *, int, uint8_t *), int min, int size, uint8_t *closure) {
  switch (reinterpret_cast<intptr_t>(context)) {
  case 1:
    for (int i = size - 1; i >= 0; --i)
      f(context, min + i, closure);
    return 0;
  case 2: {
    std::atomic<int> next{0};
    auto work = [&] {
      for (int i = next++; i < size; i = next++)
        f(context, min + i, closure);
    };
    std::thread other(work);
    work();
    other.join();
    return 0;
  }
  default:
    for (int i = 0; i < size; ++i)
      f(context, min + i, closure);
    return 0;
  }
}
"""

NAME = json.loads(subprocess.run([BACKEND, "--version"], capture_output=True, text=True, check=True).stdout)["backend"]
# What an object may leave to others: the C library's copies, and Halide's way to the threads. TVM's are run by their adapter.
ALLOWED_SYMBOLS = {"memcpy", "memset"} | ({"halide_do_par_for"} if NAME == "halide" else set())

# What is known of each target (schedules/targets), by its name in specifications.
LEVELS = {level["target"]: level
          for level in json.loads(subprocess.run([BACKEND, "--targets"], capture_output=True, text=True, check=True).stdout)}
# CPUs whose float32 kernels are no other's.
CPU_TARGETS = [name for name, level in LEVELS.items() if not level["gpu"] and level["float32_kernels"] == name]

FAMILIES = subprocess.run([BACKEND, "--help"], capture_output=True, text=True, check=True).stdout.split("families: ")[1].split("\n")[0].split()

# What follows from the families' definitions (schedules/families): fields, and arguments with roles, shapes and sizes.
DEFINITIONS = json.loads(pathlib.Path(os.environ.get(
    "VITC_FAMILIES", pathlib.Path(shutil.which(BACKEND) or BACKEND).resolve().parents[1] / "schedules/families/families.json")).read_text())
CONSTANTS = DEFINITIONS["constants"]

folder = tempfile.TemporaryDirectory(prefix="vitc-schedules-")
libc = ctypes.CDLL(None, use_errno=True)
libc.mprotect.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
count = 0
if EVERY > 1:
    print(f"one of {EVERY} cases; VITC_EVERY=1 runs all")


def specification(family, spec, schedule=None, target=TARGET, name=None):
    global count
    count += 1
    return {"protocol": 1, "name": name or f"{family}_{count}", "target": target, "family": family,
            "spec": spec, "schedule": schedule or {}}


def run_backend(specification, *options):
    """Runs the backend; returns (exit code, standard error, prefix of the files)."""
    prefix = os.path.join(folder.name, str(specification.get("name", "none")))
    path = prefix + ".spec"
    with open(path, "w") as file:
        json.dump(specification, file)
    environment = dict(os.environ)
    if LEVELS.get(str(specification.get("target")), {}).get("architecture") != os.uname().machine:
        environment.pop("CXX", None)  # it is this machine's
    done = subprocess.run([BACKEND, "--spec", path, "-o", prefix, *options], capture_output=True, text=True, env=environment)
    return done.returncode, done.stderr, prefix


def require_processor():
    """Ends a test that this processor cannot run; ctest calls it skipped."""
    missing = set(LEVELS[TARGET]["instructions"]) - set(pathlib.Path("/proc/cpuinfo").read_text().split())
    if missing:
        print(f"[SKIP] this processor cannot run {TARGET}: it has no {', '.join(sorted(missing))}")
        sys.exit(77)


def sampled(check):
    """A check of one case of many; the first case is always among those that are run."""
    numbers = itertools.count()

    def run(*arguments, **options):
        if next(numbers) % EVERY == 0:
            check(*arguments, **options)
    return run


def undefined_symbols(prefix):
    listing = subprocess.run(["nm", "-u", prefix + ".o"], capture_output=True, text=True, check=True).stdout
    return {line.split()[-1] for line in listing.splitlines()} - {"_GLOBAL_OFFSET_TABLE_"}  # the linker's own


def compiled_once(name, source, *options):
    """The object of a C++ source, compiled when it is first asked for."""
    path = os.path.join(folder.name, name + ".o")
    if not os.path.exists(path):
        subprocess.run([CXX, "-std=c++17", "-O1", "-fPIC", f"-I{RUNTIME}/include", *options, "-c", str(source), "-o", path],
                       check=True)
    return path


def on_device():
    return TARGET == "opencl"


def support_objects():
    """What a kernel's object needs besides: threads on a CPU, the runtime's side of the device on a GPU."""
    if on_device():
        device = RUNTIME / "src" / "device"
        sources = [device / name for name in ("entries.cpp", "functions.cpp", "launches.cpp", "shared.cpp", "opencl/opencl.cpp")]
        sources.append(pathlib.Path(__file__).parent / "device_harness.cpp")
        return [compiled_once(source.stem, source) for source in sources]
    source = pathlib.Path(folder.name) / "par_for.cpp"
    source.write_text(PAR_FOR)
    return [compiled_once("par_for", source)]


DEVICE_SYMBOLS = {"halide_copy_to_device", "halide_opencl_device_interface", "halide_opencl_finalize_kernels",
                  "halide_opencl_initialize_kernels", "halide_opencl_run"}


# Floats of the largest array that a thread keeps to itself: the accumulators of a product's tile, 16 rows by 4 columns.
MOST_PRIVATE_FLOATS = 64


def check_private_arrays(request, prefix):
    """A larger one means that threads compute what their neighbours do, and that compilers take minutes to unroll it."""
    data = pathlib.Path(prefix + ".o").read_bytes()
    source = data[data.index(b"/*OpenCL C"):].split(b"\0")[0].decode()
    for name, floats in re.findall(r"^ *float (\w+)\[(\d+)\];", source, re.MULTILINE):
        assert int(floats) <= MOST_PRIVATE_FLOATS, f"{request}: {name} has {floats} floats in each thread"


class Argument:
    """One of a kernel's arguments: name, role, element type, `elements` of its memory and `span`, without padding."""

    def __init__(self, definition, evaluate):
        self.name, self.role, self.type = definition["name"], definition["role"], definition["type"]
        self.elements = evaluate(definition["elements"])
        shape, strides = ([evaluate(text) for text in definition[key]] for key in ("shape", "strides"))
        self.span = 1 + sum((extent - 1) * stride for extent, stride in zip(shape, strides))
        self.bytes_of_element = DEFINITIONS["element_bytes"][self.type]


def arguments_of(family, spec):
    """The arguments of a kernel's function, in its order."""
    definition = DEFINITIONS["families"][family]
    known = {"roundup": round_up, "ceildiv": lambda x, y: -(-x // y), "min": min, "max": max, **CONSTANTS}
    values = dict(spec)

    class Names(dict):
        """Quantities are computed when they are asked for: some are only defined for some specifications."""

        def __missing__(self, name):
            if name in definition["quantities"]:
                return evaluate(definition["quantities"][name])
            raise NameError(f"{family}: there is no {name}")

    def evaluate(text):
        return eval(text, {"__builtins__": {}}, Names({**known, **values}))

    for field in definition["fields"]:
        if field["name"] not in values and field["otherwise"] and (not field["when"] or evaluate(field["when"])):
            values[field["name"]] = evaluate(field["otherwise"])
    return [Argument(each, evaluate) for each in definition["arguments"] if not each["when"] or evaluate(each["when"])]


def build(family, spec, schedule=None):
    """The kernel as a function of (arrays, mode)."""
    request = specification(family, spec, schedule)
    code, message, prefix = run_backend(request)
    assert code == 0, f"{request}: exit code {code}: {message}"
    extra = undefined_symbols(prefix) - (DEVICE_SYMBOLS if on_device() else ALLOWED_SYMBOLS)
    assert not extra, f"{request}: undefined symbols {extra}"
    if on_device():
        check_private_arrays(request, prefix)
    subprocess.run([CXX, "-std=c++17", "-O1", "-fPIC", "-shared", f"-I{RUNTIME}/include", prefix + ".cpp", prefix + ".o",
                    *support_objects(), "-pthread", "-ldl", "-o", prefix + ".so"], check=True)
    library = ctypes.CDLL(prefix + ".so")
    function = getattr(library, request["name"])
    function.restype = None
    if on_device():
        assert library.device_open() == 0, "no OpenCL device: install pocl-opencl-icd and ocl-icd-libopencl1"
        library.device_begin.restype = ctypes.c_void_p
        library.device_begin.argtypes = [ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p]
        library.device_end.argtypes = [ctypes.c_void_p]

    arguments = arguments_of(family, spec)

    def call(arrays, mode=SERIAL):
        assert len(arrays) == len(arguments), f"{request}: {len(arrays)} arguments, not {[each.name for each in arguments]}"
        for argument, array in zip(arguments, arrays):
            assert array.itemsize == argument.bytes_of_element and array.size >= argument.span, \
                f"{request}: {argument.name} has {array.size} elements of {array.itemsize} bytes, not {argument.span}"
        pointers = [ctypes.c_void_p(array.ctypes.data) for array in arrays]
        context = ctypes.c_void_p(mode)
        if on_device():
            count = len(arrays)
            hosts = (ctypes.c_void_p * count)(*(array.ctypes.data for array in arrays))
            sizes = (ctypes.c_size_t * count)(*(array.nbytes for array in arrays))
            context = ctypes.c_void_p(library.device_begin(count, hosts, sizes))
        function(context, *pointers)
        if on_device():
            assert library.device_end(context) == 1, f"{request}: the device reported an error"

    # New memory for the argument `scratch`, as a list: an empty one if the kernel has none.
    call.scratch = lambda: [guarded(each.elements) for each in arguments if each.role == "scratch"]
    call.report = json.loads(pathlib.Path(prefix + ".json").read_text())
    call.prefix = prefix
    return call


def guarded(elements, alignment=64, fill=np.nan, dtype=np.float32):
    """An array that ends at a page nobody may touch. With an alignment of 4 its start is as odd as it can be."""
    page = mmap.PAGESIZE
    size = (np.dtype(dtype).itemsize * elements + alignment - 1) // alignment * alignment
    pages = (size + page - 1) // page
    memory = mmap.mmap(-1, (pages + 1) * page)
    address = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    assert libc.mprotect(address + pages * page, page, 0) == 0
    array = np.frombuffer(memory, dtype, elements, pages * page - size)
    array[:] = fill
    return array


def place(values, strides, floats=None, alignment=64, fill=np.nan):
    """Puts a dense array into guarded memory with the given strides (in floats); everything between is NaN."""
    values = np.asarray(values, np.float32)
    last = sum((n - 1) * s for n, s in zip(values.shape, strides)) + 1
    array = guarded(floats or last, alignment, fill)
    view(array, values.shape, strides)[...] = values
    return array


def view(array, shape, strides):
    return np.lib.stride_tricks.as_strided(array, shape, [array.itemsize * s for s in strides])


def round_up(value, multiple):
    return (value + multiple - 1) // multiple * multiple


def pack(weights, panel):
    """[n][k] to [ceil(n/panel)][k][panel]."""
    n, k = weights.shape
    packed = np.zeros((round_up(n, panel), k), weights.dtype)
    packed[:n] = weights
    return packed.reshape(-1, panel, k).transpose(0, 2, 1).ravel()


def pack_strassen(weights, panel):
    """[n][k] to [n/2/panel][7][k/2][panel]: the right operands of Strassen's seven products, in double until the end."""
    n, k = weights.shape
    top, bottom = weights.astype(np.float64).reshape(2, n // 2, k).transpose(0, 2, 1)  # [k][n/2]: left and right columns
    b11, b21 = top[:k // 2], top[k // 2:]
    b12, b22 = bottom[:k // 2], bottom[k // 2:]
    parts = np.stack([b12 - b22, b21 - b11, b11 + b22, b11, b22, b11 + b12, b21 + b22]).astype(np.float32)
    return parts.reshape(7, k // 2, -1, panel).transpose(2, 0, 1, 3).ravel()


def padded(vector, floats):
    result = guarded(floats, fill=0)
    result[:len(vector)] = vector
    return result


def check_close(what, got, expected, tolerance):
    """`tolerance` is absolute, one number or one per element."""
    got = np.asarray(got, np.float64)
    error = np.abs(got - expected)
    bad = ~(error <= tolerance)
    if bad.any():
        where = tuple(int(i) for i in np.argwhere(bad)[0])
        limit = np.broadcast_to(tolerance, error.shape)[where]
        sys.exit(f"FAILED {what}: {bad.sum()} of {bad.size} wrong; at {where} got {got[where]}, "
                 f"expected {expected[where]}, tolerance {limit}")
    print(f"ok {what}: largest error {error.max():.2e}, {np.max(error / tolerance):.2f} of the tolerance")


def check_equal_bits(what, got, expected):
    if not np.array_equal(got.view(np.uint8), expected.view(np.uint8)):
        sys.exit(f"FAILED {what}: bits differ")


def run_all_modes(what, kernel, make_arguments, out=-1):
    """Calls the kernel with the tasks in order, reversed and on two threads; the bits must not change. Returns the
    output's array."""
    results = []
    for mode in (SERIAL, REVERSED, THREADS):
        arguments = make_arguments()
        kernel(arguments, mode)
        results.append(arguments[out])
    check_equal_bits(what + " (reversed)", results[1], results[0])
    check_equal_bits(what + " (threads)", results[2], results[0])
    return results[0]


REALS = {"pi": np.pi, "sqrt": np.sqrt, "exp": np.exp, "expm1": np.expm1, "log1p": np.log1p, "tanh": np.tanh, "abs": np.abs,
         "erf": np.vectorize(math.erf, otypes=[np.float64]), "min": np.minimum, "max": np.maximum, "where": np.where}


def real_function(text):
    """A function of x that the families' definitions give, in the precision of x."""
    code = compile(text, text, "eval")

    def evaluate(x):
        with np.errstate(over="ignore"):  # in the branch of a `where` that is not taken
            return eval(code, {"__builtins__": {}}, {**REALS, "x": x})
    return evaluate


ACTIVATIONS = {name: real_function(text) for name, text in DEFINITIONS["functions"]["Activation"].items()}
