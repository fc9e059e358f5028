# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Layers and labels with hostile names: the library computes the same, its tables have the names byte by byte, and everything that
vitc generated compiles with g++ and clang without a warning."""
import ctypes
import re

from hostile import *

GCC = ["-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Wconversion", "-Wsign-conversion", "-Wundef", "-Wformat=2", "-Wcomment",
       "-Wtrigraphs", "-Wunused", "-Wcast-align", "-Wcast-qual", "-Wnull-dereference", "-Wdouble-promotion", "-Werror"]
GXX = GCC + ["-Wold-style-cast", "-Wnon-virtual-dtor", "-Woverloaded-virtual", "-Wextra-semi", "-Wredundant-decls", "-Wuseless-cast"]
# All but those that ask for another standard, another language, or a header for what only one file calls.
CLANG = ["-Weverything", "-Wno-padded", "-Wno-unsafe-buffer-usage", "-Wno-missing-prototypes", "-Werror"]
CLANGXX = CLANG + ["-Wno-c++98-compat", "-Wno-c++98-compat-pedantic", "-Wno-pre-c++17-compat"]


def tool(*names):
    found = next(filter(None, map(shutil.which, names)), None)
    assert found, f"{names[0]} is missing: tools/setup installs it"
    return found


COMPILERS = {"c": [(tool("gcc"), GCC), (tool("clang-22", "clang"), CLANG)],
             "c++": [(tool("g++"), GXX), (tool("clang++-22", "clang++"), CLANGXX)]}


def check_sources(out):
    """Every generated file, with every warning an error; the header in C99 and C++17, also as ISO C with trigraphs."""
    (header,) = (out / "include").iterdir()
    product = scratch / "product.c"
    product.write_text(f'#include "{header}"\n')
    includes = ["-I", out / "include", "-I", out / "src" / "runtime" / "include", "-I", out / "src"]
    for language, standards in (("c", ("c99", "c17", "gnu11")), ("c++", ("c++17", "c++20", "gnu++17"))):
        for compiler, warnings in COMPILERS[language]:
            for standard in standards:
                for trigraphs in ([], ["-trigraphs"]):
                    run(compiler, "-x", language, f"-std={standard}", *trigraphs, *warnings, "-fsyntax-only", product)
    sources = [*(out / "src").glob("*.cpp"), *(out / "src" / "kernels").glob("*.cpp"), out / "example" / "main.cpp"]
    assert len(sources) > 5, sources
    for compiler, warnings in COMPILERS["c++"]:
        for source in sources:
            for trigraphs in ([], ["-trigraphs"]):
                run(compiler, "-std=c++17", *trigraphs, *warnings, "-fsyntax-only", *includes, source)
    return sources


def calls(out):
    """The kernel calls that the compilers see, with trigraphs and without."""
    found = set()
    for compiler, _ in COMPILERS["c++"]:
        for trigraphs in ([], ["-trigraphs"]):
            text = ""
            for forward in sorted((out / "src").glob("forward_*.cpp")):
                text += run(compiler, "-std=c++17", *trigraphs, "-E", "-P", "-I", out / "src" / "runtime" / "include", forward).stdout.decode()
            found.add(tuple(re.findall(r"^\s*\w+\(run\.threads.*\);", text, re.M)))
    assert len(found) == 1, "compilers do not agree on the calls"
    return found.pop()


class Step(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("kernel", ctypes.c_char_p), ("flops", ctypes.c_double), ("bytes", ctypes.c_double),
                ("images", ctypes.c_int32), ("type", ctypes.c_int), ("buffer", ctypes.c_int64 * 4)]


class Model(ctypes.Structure):  # vitc/runtime/model.h, as far as the labels
    _fields_ = [("version", ctypes.c_uint32), ("name", ctypes.c_char_p), ("target", ctypes.c_char_p), ("size", ctypes.c_int32 * 4),
                ("workspace", ctypes.c_size_t), ("weights", ctypes.c_uint64), ("flops", ctypes.c_double),
                ("output_count", ctypes.c_int32), ("outputs", ctypes.c_void_p), ("step_count", ctypes.c_int32),
                ("steps", ctypes.POINTER(Step)), ("label_count", ctypes.c_int32), ("labels", ctypes.POINTER(ctypes.c_char_p))]


def table(out, name):
    library = ctypes.CDLL(str(out / "lib" / f"lib{name}.so"))
    get = getattr(library, f"{name}_model")
    get.restype = ctypes.POINTER(Model)
    return library, get().contents


def steps(out, name):
    _, model = table(out, name)
    return [model.steps[i].name.decode() for i in range(model.step_count)]


def labels_of(out, name):
    """Through the function, which must say the same as the table."""
    library, model = table(out, name)
    get = getattr(library, f"{name}_label")
    get.restype, get.argtypes = ctypes.c_char_p, [ctypes.c_int32]
    found = [get(i) for i in range(model.label_count)]
    assert found == [model.labels[i] for i in range(model.label_count)]
    assert bool(model.labels) == bool(found) and get(-1) is None and get(model.label_count) is None
    return found


def compile_model(model, out, *options):
    done = vitc("compile", model, "-o", out, "--name", "net", "--emit", "source", "--verify", *options)
    assert b"FAIL" not in done.stdout
    assert_terminal_safe(done)
    return json.loads((out / "share" / "net" / "manifest.json").read_text())


benign = scratch / "benign"
compile_model(own_model(scratch / "model"), benign)
check_sources(benign)
expected = calls(benign)
assert len(expected) > 10, expected
assert labels_of(benign, "net") == [], "a model without names has labels"
print(f"ok {len(expected)} calls")

# Every hostile name once for a role that has a call of its own, and once more elsewhere.
seen = set()
for start in range(0, len(PLAIN), len(ROLES) // 2):
    names, out = hostile_names(start), scratch / f"out{start}"
    labels = [f"{i} {PLAIN[(start + i) % len(PLAIN)]}\n\t\x1b[31m\0" for i in range(7)]
    manifest = compile_model(own_model(scratch / f"model{start}", names, labels), out)
    assert calls(out) == expected, f"start {start}: other calls than the benign model's"
    assert manifest["labels"] == labels
    # In C, a label ends at its first NUL.
    assert labels_of(out, "net") == [label.encode().split(b"\0")[0] for label in labels]
    layers = [step["layer"] for step in manifest["steps"]]
    assert steps(out, "net") == layers, "the library's table and the manifest differ"
    known = {pattern.replace("{layer}", layer) for pattern in names.values() for layer in "01"}
    seen |= {layer for layer in layers if any(layer.startswith(name) for name in known)}
    check_sources(out)
    for command in (["bench", out, "--runs", "1", "--per-kernel"], ["run", out, GOLDEN / "own_learned_1d_interp" / "image.npy"]):
        assert_terminal_safe(vitc(*command))
        json.loads(vitc(*command, "--json").stdout)
assert len(seen) > 15, seen
print(f"ok {len(seen)} hostile layers, same calls, no warning")

# The weights inside the library, and the texts of a GPU's library, which has others.
out = scratch / "embedded"
compile_model(own_model(scratch / "model-embedded", hostile_names(0)), out, "--embed-weights")
check_sources(out)
out = scratch / "opencl"
vitc("compile", scratch / "model-embedded", "-o", out, "--name", "net", "--emit", "source", "--target", "opencl")
check_sources(out)
print("ok embedded weights and OpenCL")
