#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The runtime inside compiled libraries: floating-point environments, small stacks, sanitizers. Needs test_package.py's `prepare`.

    test_runtime.py --vitc BUILD/bin/vitc --source FOLDER --work FOLDER TEST

VITC_TEST_ROUNDS is how often the sanitized program goes through everything (20).
"""

import json
import os
import signal

from test_package import ARM_CC, CXX, HERE, STRICT, Failure, emulated, main, run

ARM_CXX = ARM_CC.replace("gcc", "g++")
ROUNDS = os.environ.get("VITC_TEST_ROUNDS", "20")
SEGMENTATION_FAULT = -signal.SIGSEGV


def floats(package):
    """Rounding modes, subnormal numbers off, exceptions that trap: the same bits, and the product keeps its environment."""
    folder = package.scratch("floats")
    run(package.build(folder, "floats.cpp", package.static(), compiler=CXX, standard="-std=c++17"), package.weights(), 5, 1)


def cross_floats(package):
    folder = package.scratch("cross floats")
    library = os.path.join(package.arm, "lib", "libfashion.a")
    program = package.build(folder, "floats.cpp", library, "-static", compiler=ARM_CXX, standard="-std=c++17", headers=("arm",))
    emulated(program, os.path.join(package.arm, "share", "fashion", "fashion.weights"), 1, 3)  # emulated NaNs take long


def read_manifest(out):
    with open(os.path.join(out, "share", "subject", "manifest.json")) as file:
        return json.load(file)


def build_stack(out, program, compiler, *flags):
    run(compiler, "-std=c++17", *STRICT, "-O1", "-I" + os.path.join(out, "include"), os.path.join(HERE, "stack.cpp"),
        os.path.join(out, "lib", "libsubject.a"), *flags, "-o", program, "-lm", "-pthread")
    return os.path.join(out, "share", "subject", "subject.weights")


def used_of(text, manifest, what):
    """The bytes of stack that were used, which must not be more than were promised."""
    used, promised = (int(word) for word in text.split(" of "))
    print(f"{what}: {used} of {promised} bytes of stack")
    if promised != manifest["stack_bytes"] or used > promised:
        raise Failure(f"{what} uses {used} bytes of stack, the header promises {promised}, the manifest {manifest['stack_bytes']}")
    # What is not known exactly: the C library's share, and how deep the runtime is where the kernels are called.
    if promised > 1.25 * used + 20 * 1024:
        raise Failure(f"{what} uses {used} bytes of stack, far less than the {promised} that the header asks for")
    return used


def stack(package):
    """Models run on a stack of ID_STACK_BYTES, and use a good part of it, on every level that this CPU has."""
    golden = os.path.join(package.source, "test", "numerics", "golden")
    models = {"vit-tiny": ["vit-tiny-patch16-224", "--random-weights", "1"], "swin": [os.path.join(golden, "hf_swin")],
              "coatnet": [os.path.join(golden, "timm_coatnet")]}
    for name, (model, *options) in models.items():
        folder = package.scratch("stack " + name)
        out, program = os.path.join(folder, "out"), os.path.join(folder, "stack")
        package.compile(model, out, "subject", "--target", "x86-64", *options)
        weights, manifest = build_stack(out, program, CXX), read_manifest(out)
        used = max(used_of(run(program, weights, env={"VITC_LEVEL": level}), manifest, f"{name} for {level}")
                   for level in ("avx2", "avx512"))
        if max(kernel["stack_bytes"] for kernel in manifest["kernels"]) > manifest["stack_bytes"]:
            raise Failure(f"a kernel of {name} needs more stack than the library")
        # Otherwise the program proves nothing.
        run(program, weights, used // 2, status=SEGMENTATION_FAULT)


def cross_stack(package):
    folder = package.scratch("cross stack")
    out, program = os.path.join(folder, "out"), os.path.join(folder, "stack")
    package.compile(package.model, out, "subject", "--target", "arm-64")
    weights, manifest = build_stack(out, program, ARM_CXX, "-static"), read_manifest(out)
    for cpu in ("max", "cortex-a53"):
        used_of(emulated(program, weights, cpu=cpu), manifest, f"fashion on {cpu}")


def strain(package, name, *flags):
    """Right and wrong calls from several threads, with the library's C++ built anew with sanitizers. Any report ends the program."""
    folder = package.scratch("strain " + name)
    src = os.path.join(package.sources, "src")
    find = lambda *names: [os.path.join(src, *names, name) for name in sorted(os.listdir(os.path.join(src, *names)))]
    code = [file for file in find() + find("kernels") + find("runtime", "src") if file.endswith((".cpp", ".o"))]
    program = os.path.join(folder, "strain")
    run(CXX, "-std=c++17", "-O1", "-g", "-fno-omit-frame-pointer", *flags, "-I" + os.path.join(package.sources, "include"),
        "-I" + os.path.join(src, "runtime", "include"), *code, os.path.join(HERE, "strain.cpp"), "-o", program, "-lm", "-pthread")
    print(run(program, package.weights("sources", "fashion"), ROUNDS), end="")


def strain_plain(package):
    strain(package, "plain")


def strain_address(package):
    strain(package, "address", "-fsanitize=address,undefined", "-fno-sanitize-recover=all")


def strain_thread(package):
    strain(package, "thread", "-fsanitize=thread")


if __name__ == "__main__":
    main([floats, cross_floats, stack, cross_stack, strain_plain, strain_address, strain_thread], __doc__)
