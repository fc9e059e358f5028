# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Every pass that a Passes.td declares has a C++ file and a lit test of its name, and `vitc-opt --help` lists it; every constraint label of
a dialect's operations stands in the verifiers and in the dialect's errors.mlir. Arguments: the source folder, a file with the help text."""

import pathlib
import re
import sys

source, help_text = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]).read_text()
include = source / "compiler/include/vitc"
problems = []


def require(condition, message):
    if not condition:
        problems.append(message)


def passes():
    """(def without Pass, flag, folder of the tests, folder of the sources) of each pass."""
    for td in sorted(include.rglob("Passes.td")):
        area = td.parent.relative_to(include)
        # Transforms are an inner division; tests stand beside the dialect's others.
        tests = source / "test" / (area.parent if area.name == "Transforms" else area)
        for name, flag in re.findall(r'def (\w+)Pass\s*:\s*Pass<"([^"]+)"', td.read_text()):
            yield name, flag, tests, source / "compiler/lib" / area


count = 0
for name, flag, tests, sources in passes():
    count += 1
    # vit-fuse-qkv is tested in ViT/fuse-qkv.mlir, convert-vit-to-kernel in vit-to-kernel.mlir.
    test = tests / (flag.split("-", 1)[1] + ".mlir")
    require(test.is_file() and "--" + flag in test.read_text(), f"{flag}: no test of it in {test.relative_to(source)}")
    require(list(sources.rglob(name.removeprefix("Convert") + ".cpp")), f"{flag}: no {name.removeprefix('Convert')}.cpp in {sources.relative_to(source)}")
    require(re.search(rf"^\s+--{re.escape(flag)}\s", help_text, re.M), f"{flag}: not in vitc-opt --help")
require(count, "no pass found")
require("--vitc-lower" in help_text, "vitc-lower: not in vitc-opt --help")

for folder in sorted({td.parent for td in include.rglob("*Ops.td")}):
    dialect = folder.parent.name
    verifiers = "".join(file.read_text() for file in (source / "compiler/lib/Dialect" / dialect / "IR").glob("*.cpp"))
    errors = (source / "test/Dialect" / dialect / "errors.mlir").read_text()
    labels = [label for td in sorted(folder.glob("*Ops.td")) for label in re.findall(r"- `(\w+_c\d+)`", td.read_text())]
    require(labels, f"{dialect}: no constraint found")
    for label in labels:
        require(re.search(rf"// {label}\b", verifiers), f"{label}: not in the verifiers of {dialect}")
        require(re.search(rf"^// {label}\b", errors, re.M), f"{label}: no case in test/Dialect/{dialect}/errors.mlir")

print("\n".join(problems) or f"{count} passes, all tested")
sys.exit(bool(problems))
