#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""test_layers.py ROOT: includes go down the layers of docs/Architecture.md, never up, never in a circle, and cross between the parts
of the project only where a rule says so."""
import fnmatch
import pathlib
import re
import sys

# Rooms, lowest first. Those of one line know nothing of each other. Frontend's families see what they share; the table of families in
# Import.cpp names their functions, not their headers. A kernel.constant packs a vit.parameter, so the kernel dialect is above the
# vit dialect; some passes on the vit dialect ask for the target, an attribute of the kernel dialect, and are above both.
COMPILER = ["Support", "TargetInfo", "Checkpoint Preprocess", "Dialect/ViT/IR", "Dialect/Kernel", "Dialect/ViT", "Reference", "Frontend/Builder", "Frontend",
            "Frontend/Own Frontend/Timm Frontend/Transformers", "Conversion", "Pipelines", "Backend Target", "Records", "Driver", "Tune"]
TOOL = ["terminal", "model", "library", "commands"]
LEVEL = {f"compiler/{room}": level for level, rooms in enumerate(COMPILER) for room in rooms.split()}
LEVEL |= {f"tools/vitc/{room}": len(COMPILER) + level for level, room in enumerate(TOOL)}
LEVEL["tools/vitc"] = len(COMPILER) + len(TOOL)

# What one part of the project may include of another: the includer, what it includes (a pattern), and why. Nothing includes tools or
# test, and runtime includes nothing.
CROSSINGS = [
    ("compiler", "runtime/include/vitc/runtime/*.def", "lists without code that both sides agree on"),
    ("compiler", "schedules/families/*", "the one definition of all kernel families"),
    ("compiler", "schedules/targets/*", "the one description of all targets"),
    ("schedules", "compiler/include/vitc/Support/Escape.h", "text is escaped in one way; needs no LLVM"),
    ("schedules", "runtime/include/vitc/runtime/*.def", "lists without code that both sides agree on"),
    ("tools", "compiler/include/*", "programs are made of the compiler"),
    ("tools", "runtime/include/vitc/runtime/model.h", "the table through which libraries are driven"),
    ("tools/vitc", "tools/runner/protocol.h", "what vitc and the runner tell each other"),
    ("tools/vitc-measure", "runtime/include/vitc/runtime/threads.h", "kernels are timed on the threads that products have"),
    ("tools", "schedules/families/*", "the one definition of all kernel families"),
    ("tools", "tools/common/*", "what the programs share"),
    ("test", "compiler/include/*", "tests use what they test"),
    ("test", "runtime/include/*", "tests use what they test"),
    ("test", "schedules/*", "tests use what they test"),
    ("test", "tools/*", "tests use what they test"),
    ("test/schedules/device_harness.cpp", "runtime/src/device/*", "stands in for the runtime's device.cpp"),
]

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]+"([^"]+)"', re.M)
RAW_STRING = re.compile(r'R"(\w*)\(.*?\)\1"', re.S)
# Folders that the build gives to the compiler, beside that of the including file.
ROOTS = ["compiler/include", "runtime/include", "schedules", "schedules/halide", "compiler/lib/Checkpoint", "compiler/lib/Frontend",
         "tools/vitc", "tools", "test/fuzz", "test/unit/readers"]
PARTS = ["compiler", "runtime", "schedules", "tools", "test"]


def includes(path, root):
    """Line and file of each include of a file of the project."""
    # What generated code includes stands in raw strings.
    text = RAW_STRING.sub(lambda match: "\n" * match[0].count("\n"), path.read_text(errors="replace"))
    for match in INCLUDE.finditer(text):
        for folder in [path.parent] + [root / name for name in ROOTS]:
            target = (folder / match[1]).resolve()
            if target.is_file() and target.is_relative_to(root):
                yield text.count("\n", 0, match.start()) + 1, target.relative_to(root).as_posix()
                break


def room(name):
    """compiler/lib/Dialect/ViT/IR/X.cpp and compiler/include/vitc/Dialect/ViT/IR/X.h are in compiler/Dialect/ViT."""
    folder = re.sub(r"^compiler/(lib|include/vitc)", "compiler", name).rpartition("/")[0]
    while folder and folder not in LEVEL and folder.count("/") > 1:
        folder = folder.rpartition("/")[0]
    return folder


def fault(includer, included):
    """Why `includer` may not include `included`; None if it may."""
    source, target = room(includer), room(included)
    part = source.split("/")[0]
    if source in LEVEL and target in LEVEL and (part == "compiler" or target.startswith("tools/")):
        if source == target:
            return None
        if LEVEL[source] <= LEVEL[target]:
            return f"{source} is {'beside' if LEVEL[source] == LEVEL[target] else 'below'} {target} in the order of the layers"
        if included.startswith("compiler/lib/") and source.split("/")[1] != target.split("/")[1]:
            return f"it is private to {target}"
        return None
    if part == target.split("/")[0] and (part != "tools" or source == target):
        return None
    if any((includer + "/").startswith(who + "/") and fnmatch.fnmatchcase(included, what) for who, what, _ in CROSSINGS):
        return None
    return f"{part} may not include that; CROSSINGS of test/style/test_layers.py has the exceptions"


def cycles(graph):
    """The first circle of includes that each start finds."""
    found, done = [], set()

    def visit(name, path):
        if name in path:
            found.append(path[path.index(name):] + [name])
        elif name not in done:
            for _, target in graph.get(name, []):
                visit(target, path + [name])
            done.add(name)

    for name in sorted(graph):
        visit(name, [])
    return found


def main(root):
    graph = {}
    for part in PARTS:
        for path in sorted((root / part).rglob("*")):
            if path.suffix in {".c", ".cpp", ".def", ".h", ".inc", ".td"}:
                graph[path.relative_to(root).as_posix()] = list(includes(path, root))
    faults = []
    for name, edges in graph.items():
        if re.match("compiler/.*/.*/|tools/vitc/", name) and room(name) not in LEVEL:
            faults.append(f"{name}:1: {room(name)} has no place in the order of the layers in test/style/test_layers.py")
        for line, target in edges:
            reason = fault(name, target)
            if reason:
                faults.append(f"{name}:{line}: includes {target}: {reason}")
    faults += [f"{circle[0]}:1: circle of includes: {' -> '.join(circle)}" for circle in cycles(graph)]
    edges = sum(map(len, graph.values()))
    print(*faults, sep="\n")
    print(f"{len(graph)} files with {edges} includes of each other, {len(faults)} faults")
    if len(graph) < 500 or edges < 1000:
        print("too few were found: the search is broken")
        return 1
    return int(bool(faults))


sys.exit(main(pathlib.Path(sys.argv[1]).resolve()))
