#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Uses compiled libraries from outside, as products do. Each test is one function; `prepare` compiles the libraries for all.

    test_package.py --vitc BUILD/bin/vitc --source FOLDER --work FOLDER TEST
"""

import argparse
import os
import re
import shlex
import shutil
import subprocess
import sys

import numpy as np

HERE = os.path.dirname(os.path.abspath(__file__))
STRICT = ["-Wall", "-Wextra", "-Werror", "-pedantic"]
CC, CXX = os.environ.get("CC", "gcc"), os.environ.get("CXX", "g++")

ARM_ROOT, ARM_CC, ARM_READELF = "/usr/aarch64-linux-gnu", "aarch64-linux-gnu-gcc", "aarch64-linux-gnu-readelf"

# Statuses of a generated header.
OK, ARGUMENT, WORKSPACE, OPEN, FORMAT, MISMATCH, CORRUPT, IMAGE_SIZE = 0, 1, 3, 4, 5, 6, 7, 10


class Failure(Exception):
    """A test that did not pass; its text says why."""


def run(*command, cwd=None, env=None, status=0, shell=False):
    """Standard output of a program that must end with `status`."""
    line = command[0] if shell else " ".join(shlex.quote(str(word)) for word in command)
    process = subprocess.run(
        ["bash", "-euo", "pipefail", "-c", line],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=cwd, env={**os.environ, **(env or {})}, timeout=600)
    if process.returncode != status:
        raise Failure(f"`{line}` ended with {process.returncode}, expected {status}\n{process.stdout}{process.stderr}")
    return process.stdout


class Package:
    def __init__(self, arguments):
        self.vitc, self.source, self.work = arguments.vitc, arguments.source, arguments.work
        self.fashion, self.embedded = self.path("fashion"), self.path("embedded")
        self.golden, self.sources, self.arm = self.path("golden"), self.path("sources"), self.path("arm")
        self.model = os.path.join(self.source, "models", "vit-fashion-mnist")
        self.golden_model = os.path.join(self.source, "test", "numerics", "golden", "hf_vit_cls_p8")

    def path(self, *names):
        return os.path.join(self.work, *names)

    def scratch(self, name):
        """An empty folder of one test."""
        folder = self.path("scratch", name)
        shutil.rmtree(folder, ignore_errors=True)
        os.makedirs(folder)
        return folder

    def compile(self, model, out, name, *options):
        run(self.vitc, "compile", model, "-o", out, "--name", name, *options)

    def weights(self, folder="fashion", name=None):
        name = name or folder
        return self.path(folder, "share", name, name + ".weights")

    def build(self, folder, source, *libraries, compiler=CC, standard="-std=c11", out=None, headers=("fashion",)):
        """A program from one source of this folder; warnings are errors."""
        program = os.path.join(folder, out or os.path.splitext(source)[0])
        includes = [f"-I{self.path(name, 'include')}" for name in headers]
        # Whatever comes after the libraries is what a static library may need: libc has it all but libm.
        run(compiler, standard, *STRICT, "-O1", *includes, os.path.join(HERE, source), "-o", program, *libraries, "-lm", "-pthread")
        return program

    def static(self, name="fashion"):
        return self.path(name, "lib", f"lib{name}.a")

    def image(self, folder, library=None):
        """A test image as a raw file, and the logits that `vitc run` gives it."""
        image = np.load(os.path.join(self.model, "test500_images.npy"))[7]
        raw, npy = os.path.join(folder, "image.raw"), os.path.join(folder, "image.npy")
        image.tofile(raw)
        np.save(npy, image[:, :, None])
        run(self.vitc, "run", library or self.fashion, npy, "--save", os.path.join(folder, "results"))
        logits = np.load(os.path.join(folder, "results", "logits.npy"))[0]
        return [raw, image.shape[1], image.shape[0], 1], logits

    def expect_product(self, program, weights, folder, env=None):
        """The product in C gives the bits that `vitc run` gives."""
        image, want = self.image(folder)
        got = np.array([float.fromhex(line) for line in run(program, weights, *image, env=env).split()], np.float32)
        if got.tobytes() != want.tobytes():
            raise Failure(f"{program} prints {got}, `vitc run` gives {want}")


def prepare(package):
    shutil.rmtree(package.work, ignore_errors=True)
    os.makedirs(package.work)
    package.compile(package.model, package.fashion, "fashion")
    package.compile(package.model, package.path("embedded"), "fashion", "--embed-weights")
    package.compile(package.model, package.sources, "fashion", "--emit", "source")
    package.compile(package.golden_model, package.golden, "golden", "--batch", "2")
    package.compile(package.model, package.arm, "fashion", "--target", "arm-64")


def example_with_cmake(package):
    """OUT can be moved, also to a path with a space; the example finds the library beside itself, or where ID_ROOT says."""
    folder = package.scratch("example with cmake")
    moved = os.path.join(folder, "a moved copy")
    shutil.copytree(package.fashion, moved)
    for name, source in (("beside", os.path.join(moved, "example")), ("elsewhere", os.path.join(folder, "source"))):
        if not os.path.exists(source):
            shutil.copytree(os.path.join(moved, "example"), source)
        build = os.path.join(folder, "build " + name)
        run("cmake", "-S", source, "-B", build, f"-Dfashion_ROOT={moved}", "-DCMAKE_BUILD_TYPE=Release")
        run("cmake", "--build", build)
        text = run(os.path.join(build, "example"), os.path.join(moved, "share", "fashion", "fashion.weights"))
        if not re.match(r"logits\[0\] = -?\d", text):
            raise Failure(f"the example prints {text}")
        run(os.path.join(build, "example"), os.path.join(moved, "no such file"), status=1)


def example_with_pkg_config(package):
    folder = package.scratch("pkg-config")
    env = {"PKG_CONFIG_PATH": package.path("fashion", "lib", "pkgconfig")}
    flags = run("pkg-config", "--cflags", "--libs", "fashion", env=env).split()
    static_flags = run("pkg-config", "--cflags", "--libs", "--static", "fashion", env=env).split()
    weights = run("pkg-config", "--variable=weights", "fashion", env=env).strip()
    main = package.path("fashion", "example", "main.cpp")
    shared, static = os.path.join(folder, "shared"), os.path.join(folder, "static")
    run(CXX, "-std=c++17", *STRICT, main, *flags, "-Wl,-rpath," + package.path("fashion", "lib"), "-o", shared)
    run(CXX, "-std=c++17", *STRICT, main, "-static", *static_flags, "-o", static)
    if run(shared, weights) != run(static, weights):
        raise Failure("the shared and the static example print different numbers")


def product_in_c(package):
    folder = package.scratch("c")
    program = package.build(folder, "product.c", package.static(), standard="-std=c99")
    package.expect_product(program, package.weights(), folder)


def shared_library(package):
    folder = package.scratch("shared")
    program = package.build(folder, "product.c", "-L" + package.path("fashion", "lib"), "-lfashion", standard="-std=c99")
    package.expect_product(program, package.weights(), folder, env={"LD_LIBRARY_PATH": package.path("fashion", "lib")})


def embedded_weights(package):
    folder = package.scratch("embedded")
    if os.path.exists(package.path("embedded", "share", "fashion", "fashion.weights")):
        raise Failure("there is a weights file beside the library that has them inside")
    program = package.build(folder, "product.c", package.path("embedded", "lib", "libfashion.a"), headers=("embedded",))
    package.expect_product(program, "-", folder)
    run(package.vitc, "run", package.embedded, os.path.join(package.model, "test500_images.npy"), "--top", "1")


def build_from_source(package, folder, out):
    """The product, built of the sources in OUT alone."""
    src = os.path.join(out, "src")
    find = lambda *names: [os.path.join(src, *names, name) for name in sorted(os.listdir(os.path.join(src, *names)))]
    files = find() + find("kernels") + find("runtime", "src")
    code = [file for file in files if file.endswith((".cpp", ".o"))]
    program = os.path.join(folder, "product")
    includes = ["-I" + os.path.join(out, "include"), "-I" + os.path.join(src, "runtime", "include"), "-I" + src]
    run(CC, "-O1", "-c", *includes, os.path.join(HERE, "product.c"), "-o", program + ".o")
    run(CXX, "-std=c++17", "-O2", "-Wall", "-fno-exceptions", *includes, *code, program + ".o", "-o", program, "-lm", "-pthread")
    return program


def built_from_source(package):
    """--emit source: the C++ and the kernels' objects make the same library without vitc."""
    folder = package.scratch("source")
    package.expect_product(build_from_source(package, folder, package.sources), package.weights(), folder)


def embedded_from_source(package):
    """--emit source --embed-weights: the sources have the weights and no path, so that they can be moved."""
    folder = package.scratch("whole")
    out, moved = os.path.join(folder, "compiled"), os.path.join(folder, "a moved one")
    run(package.vitc, "compile", package.model, "-o", out, "--name", "fashion", "--emit", "source", "--embed-weights")
    os.rename(out, moved)  # whatever still points there fails
    places = (package.work, package.source, os.path.dirname(package.vitc), os.environ.get("VITC_CACHE_DIR", ".vitc-"), ".vitc-")
    for path, _, names in os.walk(os.path.join(moved, "src")):
        for name in names:
            with open(os.path.join(path, name), "rb") as file:
                text = file.read()
            for place in places:
                if place.encode() in text:
                    raise Failure(f"src/{name} has the path {place}")
    package.expect_product(build_from_source(package, folder, moved), "-", folder)


def two_models(package):
    folder = package.scratch("two")
    libraries = [package.static("fashion"), package.static("golden")]
    texts = set()
    for order, files in (("forward", libraries), ("backward", libraries[::-1])):
        program = package.build(
            folder, "two_models.cpp", *files, compiler=CXX, standard="-std=c++17", out=order, headers=("fashion", "golden"))
        texts.add(run(program, package.weights("fashion"), package.weights("golden")))
    if len(texts) != 1:
        raise Failure(f"the order of the libraries changes the numbers: {texts}")
    # One's weights are not the other's.
    run(program, package.weights("golden"), package.weights("fashion"), status=1)


def lent(package):
    folder = package.scratch("lent")
    run(package.build(folder, "lent.cpp", package.static(), compiler=CXX, standard="-std=c++17"), package.weights())


def no_allocation(package):
    folder = package.scratch("no_allocation")
    print(run(package.build(folder, "no_allocation.c", package.static()), package.weights()), end="")


def statuses(package):
    folder = package.scratch("statuses")
    with open(package.weights(), "rb") as file:
        good = file.read()

    def flipped(place):
        return good[:place] + bytes([good[place] ^ 1]) + good[place + 1 :]

    cases = {
        "good": (good, OK),
        "cut-short": (good[:-1], FORMAT),
        "cut-in-head": (good[:40], FORMAT),
        "empty": (b"", FORMAT),
        "too-long": (good + b"\0", FORMAT),
        "flipped-magic": (flipped(0), FORMAT),
        "flipped-reserved": (flipped(40), FORMAT),
        "flipped-identity": (flipped(16), MISMATCH),
        "flipped-checksum": (flipped(24), CORRUPT),
        "flipped-first-byte": (flipped(64), CORRUPT),
        "flipped-last-byte": (flipped(len(good) - 1), CORRUPT),
    }
    want = {}
    for name, (data, status) in cases.items():
        path = os.path.join(folder, name)
        with open(path, "wb") as file:
            file.write(data)
        want[path] = status
    want[package.weights("golden")] = MISMATCH
    want[os.path.join(folder, "missing")] = OPEN
    want[folder] = OPEN
    files = list(want)
    want.update({
        "no-weights": ARGUMENT, "small-workspace": WORKSPACE, "crooked-workspace": WORKSPACE, "good-workspace": OK,
        "negative-threads": ARGUMENT, "no-context": ARGUMENT, "good-image": OK, "no-images": ARGUMENT, "no-output": ARGUMENT,
        "no-tensor": ARGUMENT, "no-pixels": ARGUMENT, "no-width": ARGUMENT, "negative-height": ARGUMENT, "unknown-format": ARGUMENT, "wide-crop": ARGUMENT, "no-count": ARGUMENT, "negative-count": ARGUMENT, "large-count": ARGUMENT,
        "short-stride": ARGUMENT, "other-size": IMAGE_SIZE, "good-image-again": OK,
    })
    text = run(package.build(folder, "statuses.c", package.static()), *files)
    got = {name: int(status) for name, status in (line.rsplit(" ", 1) for line in text.splitlines())}
    wrong = [f"{name}: {got.get(name)}, expected {status}" for name, status in want.items() if got.get(name) != status]
    if wrong:
        raise Failure("wrong statuses:\n" + "\n".join(wrong))


def repeated_declarations(package):
    """What the header repeats of the runtime's cannot part from it: the library's source does not compile then."""
    folder = package.scratch("repeated")
    with open(package.path("sources", "include", "fashion.h")) as file:
        text = file.read()
    runtime = package.path("sources", "src", "runtime", "include")
    edits = {
        "nothing": ("", "", True),
        "a status": ("fashion_ERROR_CPU = 8,", "fashion_ERROR_CPU = 80,", False),
        "a pixel format": ("fashion_PIXELS_BGR = 3", "fashion_PIXELS_BGR = 9", False),
        "the order of fields": ("int32_t x, y, width, height;", "int32_t y, x, width, height;", False),
        "the size of a field": ("int32_t format;", "int16_t format, more;", False),
        "a field more": ("  size_t workspace_bytes;", "  size_t workspace_bytes, more;", False),
    }
    for what, (old, new, compiles) in edits.items():
        if old not in text:
            raise Failure(f"the header does not have {old}")
        with open(os.path.join(folder, "fashion.h"), "w") as file:
            file.write(text.replace(old, new, 1))
        process = subprocess.run([CXX, "-std=c++17", "-fsyntax-only", "-I", folder, "-I", runtime, package.path("sources", "src", "api.cpp")],
                                 stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        if (process.returncode == 0) != compiles or ("do not match" in process.stderr) == compiles:
            raise Failure(f"{what} changed in the header: the compiler ends with {process.returncode}\n{process.stderr}")


def dependencies(package):
    """The C library, libm and the loader; nothing else."""
    for folder in (package.fashion, package.golden, package.embedded):
        (library,) = [os.path.join(folder, "lib", name) for name in os.listdir(os.path.join(folder, "lib")) if name.endswith(".so")]
        names = [os.path.basename(line.split()[0]) for line in run("ldd", library).splitlines()]
        extra = [name for name in names if not re.match(r"(linux-vdso|libc|libm|ld-linux-x86-64)\.so", name)]
        if extra or not names:
            raise Failure(f"{library} needs {extra} (all: {names})")


def symbols(package):
    """Only ID_* can be seen from outside."""
    functions = {"create", "run", "run_tensor", "label", "destroy", "status_text", "model"}
    for folder, name in ((package.fashion, "fashion"), (package.golden, "golden"), (package.embedded, "fashion"),
                         (package.arm, "fashion")):
        base = os.path.join(folder, "lib", "lib" + name)
        for command in (["nm", "-D", "--defined-only", base + ".so"], ["nm", "-g", "--defined-only", base + ".a"]):
            found = {line.split()[2] for line in run(*command).splitlines() if len(line.split()) == 3}
            if found != {f"{name}_{function}" for function in functions}:
                raise Failure(f"{' '.join(command)} shows {sorted(found)}")


def header(package):
    """Compiles alone, in C and C++, with every warning an error."""
    path = package.path("fashion", "include", "fashion.h")
    compilers = {"c": [CC, "clang"], "c++": [CXX, "clang++"]}
    for language, standards in (("c", ("c99", "c11", "c17")), ("c++", ("c++11", "c++17", "c++20"))):
        for compiler in filter(shutil.which, compilers[language]):
            for standard in standards:
                run(compiler, "-x", language, f"-std={standard}", *STRICT, "-Wshadow", "-Wconversion", "-fsyntax-only", path)
    folder = package.scratch("header")
    # Twice in one file, and from two files of one program.
    for name in ("one", "two"):
        with open(os.path.join(folder, name + ".cpp"), "w") as file:
            file.write('#include "fashion.h"\n#include "fashion.h"\n' + ("int main() {}\n" if name == "one" else ""))
    run(CXX, "-I" + package.path("fashion", "include"), os.path.join(folder, "one.cpp"), os.path.join(folder, "two.cpp"), package.static(),
        "-lm", "-pthread", "-o", os.path.join(folder, "both"))


def reproducible(package):
    """Two compiles of one model, the second with kernels and objects of its own, are equal to the byte."""
    folder = package.scratch("reproducible")
    for name in ("first", "second"):
        run(package.vitc, "compile", package.model, "-o", os.path.join(folder, name), "--name", "fashion",
            env={"VITC_CACHE_DIR": os.path.join(folder, "cache-" + name)})
    run("diff", "-r", os.path.join(folder, "first"), os.path.join(folder, "second"))


def emulated(*command, cpu="max", env=None):
    """Standard output of an ARM program under qemu."""
    return run("qemu-aarch64", "-L", ARM_ROOT, "-cpu", cpu, *command, env=env)


def cross_example(package):
    """The example is cross-built with the toolchain file beside it, and gives this machine's numbers on any ARM."""
    folder = package.scratch("cross example")
    native, arm = os.path.join(folder, "native"), os.path.join(folder, "arm")
    example = os.path.join(package.arm, "example")
    run("cmake", "-S", example, "-B", arm, "-DCMAKE_BUILD_TYPE=Release",
        "-DCMAKE_TOOLCHAIN_FILE=" + os.path.join(example, "toolchain.cmake"), env={"CC": "", "CXX": ""})
    run("cmake", "--build", arm)
    run("cmake", "-S", package.path("fashion", "example"), "-B", native, "-DCMAKE_BUILD_TYPE=Release")
    run("cmake", "--build", native)
    numbers = lambda text: np.array([float(line.split("=")[1]) for line in text.splitlines()])
    want = numbers(run(os.path.join(native, "example"), package.weights()))
    for cpu in ("max", "cortex-a53"):
        got = numbers(emulated(os.path.join(arm, "example"), os.path.join(package.arm, "share", "fashion", "fashion.weights"), cpu=cpu))
        if got.shape != want.shape or np.abs(got - want).max() > 1e-5:
            raise Failure(f"on {cpu} the example prints {got}, here {want}")


def cross_product(package):
    """A product in C, static and shared: the bits that `vitc run` gives, on every level."""
    folder = package.scratch("cross product")
    image, want = package.image(folder, package.arm)
    weights = os.path.join(package.arm, "share", "fashion", "fashion.weights")
    lib = os.path.join(package.arm, "lib")
    programs = [package.build(folder, "product.c", os.path.join(lib, "libfashion.a"), "-static", compiler=ARM_CC, out="static", headers=("arm",)),
                package.build(folder, "product.c", "-L" + lib, "-lfashion", compiler=ARM_CC, out="shared", headers=("arm",))]
    for program in programs:
        for cpu in ("max", "cortex-a53"):
            text = emulated("-E", "LD_LIBRARY_PATH=" + lib, program, weights, *image, cpu=cpu)
            got = np.array([float.fromhex(line) for line in text.split()], np.float32)
            if got.tobytes() != want.tobytes():
                raise Failure(f"{program} on {cpu} prints {got}, `vitc run` gives {want}")
    needed = re.findall(r"NEEDED.*\[(.*)\]", run(ARM_READELF, "-d", os.path.join(lib, "libfashion.so")))
    if not needed or set(needed) - {"libc.so.6", "libm.so.6", "ld-linux-aarch64.so.1"}:
        raise Failure(f"the ARM library needs {needed}")


def cross_levels(package):
    """The level is chosen by what the CPU says of itself, and VITC_LEVEL keeps it down."""
    folder = package.scratch("cross levels")
    weights = os.path.join(package.arm, "share", "fashion", "fashion.weights")
    program = os.path.join(folder, "level")
    run(ARM_CC, "-std=c11", *STRICT, "-I" + os.path.join(package.source, "runtime", "include"), os.path.join(HERE, "level.c"),
        os.path.join(package.arm, "lib", "libfashion.a"), "-o", program, "-lm", "-pthread")
    for cpu, level, want in (("max", None, "dotprod"), ("cortex-a76", None, "dotprod"), ("cortex-a53", None, "neon"),
                             ("max", "neon", "neon"), ("cortex-a53", "dotprod", "neon")):
        got = emulated(program, weights, cpu=cpu, env={"VITC_LEVEL": level} if level else None).strip()
        if got != want:
            raise Failure(f"on {cpu} with VITC_LEVEL={level} the level is {got}, expected {want}")


def embedding_page(package):
    """Every file and every command of docs/Embedding.md, in its order."""
    folder = package.scratch("page")
    os.symlink(os.path.join(package.source, "models"), os.path.join(folder, "models"))
    with open(os.path.join(package.source, "docs", "Embedding.md")) as file:
        page = file.read()
    blocks = re.findall(r"(?:^`([\w.]+)`:\n\n)?^```(\w+)\n(.*?)^```$", page, re.M | re.S)
    env = {"PATH": os.path.dirname(package.vitc) + os.pathsep + os.environ["PATH"]}
    commands = 0
    for name, language, text in blocks:
        if language == "sh":
            commands += 1
            print(run(text, shell=True, cwd=folder, env=env), end="")
        elif name:
            with open(os.path.join(folder, name), "w") as file:
                file.write(text)
    if not commands:
        raise Failure("docs/Embedding.md has no commands")


def installed(package):
    """vitc where `cmake --install` puts it: no file of the build folder is needed, and the models are known by name."""
    prefix = os.path.join(package.scratch("installed"), "prefix")
    run("cmake", "--install", os.path.dirname(os.path.dirname(package.vitc)), "--prefix", prefix)
    vitc = os.path.join(prefix, "bin", "vitc")
    for program in ("vitc", "vitc-halide", "vitc-measure"):
        missing = [line for line in run("ldd", os.path.join(prefix, "bin", program)).splitlines()
                   if "not found" in line or os.path.dirname(os.path.dirname(package.vitc)) + os.sep + "venv" in line]
        if missing:
            raise Failure(f"{program} needs {missing}")
    out = os.path.join(prefix, "tiny")
    run(vitc, "compile", "vit-tiny-patch16-224", "--random-weights", "1", "-o", out)
    run(vitc, "verify", out)
    arm = os.path.join(prefix, "arm")
    run(vitc, "compile", package.model, "--target", "arm-64", "-o", arm)
    run(vitc, "verify", arm, package.model)
    shutil.rmtree(prefix)  # half a gigabyte


TESTS = [
    prepare, example_with_cmake, example_with_pkg_config, product_in_c, reproducible, shared_library, embedded_weights, built_from_source,
    embedded_from_source, two_models, lent, no_allocation, statuses, repeated_declarations, dependencies, symbols, header, cross_example, cross_product,
    cross_levels, embedding_page, installed,
]


def main(tests, description):
    tests = {test.__name__: test for test in tests}
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("vitc", "source", "work"):
        parser.add_argument("--" + name, required=True, type=os.path.abspath)
    parser.add_argument("test", choices=tests)
    arguments = parser.parse_args()
    try:
        tests[arguments.test](Package(arguments))
    except Failure as failure:
        sys.exit(f"FAIL {arguments.test}: {failure}")
    print(f"pass {arguments.test}")


if __name__ == "__main__":
    main(TESTS, __doc__)
