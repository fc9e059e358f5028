# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""lit: IR tests by area (Dialect, Conversion, Target) and tests of the command line (Driver)."""

import ctypes
import os
import shutil
import subprocess
import tempfile

import lit.formats

config.name = "vitc"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".mlir", ".test"]
config.excludes = ["unit", "schedules", "hostile", "numerics", "package", "fuzz", "performance", "promises", "style", "tune", "Inputs"]
config.test_source_root = os.path.join(config.vitc_source_dir, "test")
config.test_exec_root = os.path.join(config.vitc_test_dir, "lit")

config.environment["PATH"] = os.pathsep.join(
    [config.vitc_bin_dir, config.llvm_tools_dir, config.environment["PATH"]]
)
# Tests share one kernel cache of their own: the user's stays untouched.
config.environment["VITC_CACHE_DIR"] = os.path.join(config.vitc_test_dir, "kernel-cache")

# A test of what is said without a driver has nothing to see on a machine with one.
try:
    ctypes.CDLL("libcuda.so.1")
except OSError:
    config.available_features.add("no-cuda-driver")

# Some tests need what only root may do on most machines; elsewhere lit lists them as unsupported.
def works(*command):
    try:
        return subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode == 0
    except OSError:
        return False


with tempfile.TemporaryDirectory() as folder:
    if works("mount", "-t", "tmpfs", "-o", "size=64k", "vitc-test", folder):
        subprocess.run(["umount", folder], check=True)
        config.available_features.add("mounts")
if works("unshare", "--fork", "--pid", "true"):
    config.available_features.add("pid-namespaces")
if os.geteuid() == 0:
    config.available_features.add("root")

# TVM writes the kernels for tensor cores, nvcc compiles them; both are optional.
if os.path.exists(os.path.join(config.vitc_bin_dir, "vitc-tvm")):
    config.available_features.add("tvm")
if shutil.which("nvcc") or shutil.which("/usr/local/cuda/bin/nvcc"):
    config.available_features.add("nvcc")

config.substitutions += [
    ("%vitc-opt", os.path.join(config.vitc_bin_dir, "vitc-opt")),
    ("%vitc", os.path.join(config.vitc_bin_dir, "vitc")),
    ("%python", config.vitc_python),
    ("%source", config.vitc_source_dir),
]
