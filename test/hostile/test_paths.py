# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Folders and files with hostile names: of the model, of OUT, of images. Products still find the library with CMake and pkg-config,
the manifest is JSON, the terminal gets no commands, and nothing of a name becomes code or a field."""
import shlex

from hostile import *

PROJECT = """cmake_minimum_required(VERSION 3.16)
project(product LANGUAGES C CXX)
find_package({name} REQUIRED)
add_executable(static main.cpp)
target_link_libraries(static PRIVATE {name}::{name})
add_executable(shared main.cpp)
target_link_libraries(shared PRIVATE {name}::shared)
file(WRITE "${{CMAKE_BINARY_DIR}}/weights" "${{{name}_WEIGHTS}}")
"""
# CMake and Ninja cannot have these in the path of a library at all, pkg-config not those.
NOT_CMAKE, NOT_PKG_CONFIG = b'\\;:",`|\n\r', b"\\'\"$()`\t\n\r:<>*{}|"


def fields(text):
    """The fields and variables of a pkg-config file, by their names; comments are none."""
    return [line.split(b":")[0].split(b"=")[0] for line in text.splitlines() if line.strip() and not line.startswith(b"#")]


def flags(text):
    """What pkg-config makes of a file, in a folder of a plain name."""
    place = scratch / "pkgconfig"
    place.mkdir(exist_ok=True)
    (place / "net.pc").write_bytes(text)
    command = ["pkg-config", "--print-errors", "--cflags", "--libs", "--static", "--print-requires", "--print-variables", "net"]
    return run(*command, env={**os.environ, "PKG_CONFIG_PATH": str(place)}).stdout


def check_cmake(out, name, number):
    project = scratch / f"product{number}"
    project.mkdir()
    (project / "CMakeLists.txt").write_text(PROJECT.format(name=name))
    shutil.copy(os.path.join(out, b"example", b"main.cpp"), os.fsencode(project))
    build = project / "build"
    run("cmake", "-G", "Ninja", "-S", project, "-B", build, b"-D" + name.encode() + b"_ROOT=" + out)
    run("cmake", "--build", build)
    weights = (build / "weights").read_bytes()
    assert weights == os.path.join(out, b"share", name.encode(), name.encode() + b".weights"), weights
    outputs = {run(build / kind, weights).stdout for kind in ("static", "shared")}
    assert len(outputs) == 1 and b"logits[0] = " in outputs.pop()


def check_pkg_config(out, name, number):
    line = f'eval g++ -std=c++17 "\\"$OUT/example/main.cpp\\"" "$(pkg-config --cflags --libs {name})" -o "$PROGRAM"'
    program = scratch / f"program{number}"
    run("bash", "-euo", "pipefail", "-c", line, env={
        **os.environb, b"OUT": out, b"PROGRAM": os.fsencode(program), b"PKG_CONFIG_PATH": os.path.join(out, b"lib", b"pkgconfig")})
    # The loader takes ; and : for separators.
    shutil.copy(os.path.join(out, b"lib", b"lib" + name.encode() + b".so"), os.fsencode(scratch))
    run(program, os.path.join(out, b"share", name.encode(), name.encode() + b".weights"),
        env={**os.environ, "LD_LIBRARY_PATH": str(scratch)})


base = scratch / "base"
vitc("compile", own_model(scratch / "model"), "-o", base, "--name", "net")
benign = {path: (base / path).read_bytes() for path in
          ("include/net.h", "lib/cmake/net/netConfig.cmake", "lib/pkgconfig/net.pc", "example/main.cpp", "example/CMakeLists.txt")}

built = {"cmake": 0, "pkg-config": 0}
for number, text in enumerate(PLAIN + ANY):
    name = file_name(text)
    model = os.path.join(os.fsencode(scratch / f"models{number}"), name)
    own_model(model)
    # The model's folder, OUT and the folder that it is in.
    out = os.path.join(os.fsencode(scratch / f"outs{number}"), name, name)
    embed = ["--embed-weights"] if number % 3 == 0 else []
    done = vitc("compile", model, "-o", out, "--name", "net", *(["--verify"] if number % 2 else []))
    assert_terminal_safe(done)
    # The command that it proposes is for the folder, whatever a shell makes of its name.
    if out.decode(errors="replace").replace("\ufffd", "\n").isprintable():
        (line,) = [line for line in done.stdout.decode().splitlines() if line.startswith("next: ")]
        assert os.fsencode(shlex.split(line.removeprefix("next: "))[2]) == out, line
    for path, old in benign.items():
        new = pathlib.Path(os.fsdecode(os.path.join(out, path.encode()))).read_bytes()
        same = [a == b for a, b in zip(old.splitlines(), new.splitlines())]
        lines = {"include/net.h": 1, "lib/pkgconfig/net.pc": 1}.get(path, 0)  # with the model's name
        assert len(old.splitlines()) == len(new.splitlines()) and same.count(False) <= lines, (name, path, new)
        assert len(set(new) & set(range(32))) == 1, (name, path)  # newlines alone
    pc = pathlib.Path(os.fsdecode(os.path.join(out, b"lib", b"pkgconfig", b"net.pc"))).read_bytes()
    assert fields(pc) == fields(benign["lib/pkgconfig/net.pc"]), pc
    assert flags(pc) == flags(benign["lib/pkgconfig/net.pc"]), pc
    manifest = json.loads(pathlib.Path(os.fsdecode(os.path.join(out, b"share", b"net", b"manifest.json"))).read_bytes())
    assert manifest["model"]["source"].encode(errors="replace")[:20] == model.decode(errors="replace").encode()[:20]
    if embed:
        whole = out + b" embedded"
        vitc("compile", model, "-o", whole, "--name", "net", *embed)
        done = vitc("run", whole, GOLDEN / "own_learned_1d_interp" / "image.npy")
        assert_terminal_safe(done)
    if not set(NOT_CMAKE) & set(out):
        check_cmake(out, "net", number)
        built["cmake"] += 1
    if not set(NOT_PKG_CONFIG) & set(out) and b"--" not in name:
        check_pkg_config(out, "net", number)
        built["pkg-config"] += 1
    # Images, in text and in JSON; and names of files that are not there.
    image = os.path.join(os.fsencode(scratch), name + b".npy")
    shutil.copy(GOLDEN / "own_learned_1d_interp" / "image.npy", image)
    assert_terminal_safe(vitc("run", out, image))
    (item,) = json.loads(vitc("run", out, image, "--json").stdout)["items"]
    assert item["file"] == image.decode(errors="replace") or b"\xff" in image, item
    os.remove(image)
    refuse("error:", "run", out, image)
    refuse("no such folder", "compile", b"./" + name, "-o", scratch / "never")
    assert_terminal_safe(vitc("models", model))
    json.loads(vitc("models", model, "--json").stdout)
    assert_terminal_safe(vitc("compile", model, "--until-after", "plan"))
    # A name that is derived from the folder's is one.
    done = vitc("compile", model, "-o", scratch / f"derived{number}", "--emit", "mlir")
    (ir,) = os.listdir(scratch / f"derived{number}")
    assert ir.removesuffix(".mlir").isidentifier() and "__" not in ir and ir.isascii(), ir
assert built["cmake"] >= 8 and built["pkg-config"] >= 4, built
print(f"ok {len(PLAIN + ANY)} names of folders and files, {built} products built")

# Weights by the name of their file, which becomes the model's.
for number, text in enumerate(ANY + PLAIN[:5]):
    model, out = own_model(scratch / f"file{number}"), scratch / f"file-out{number}"
    weights = os.path.join(os.fsencode(model), file_name(text) + b".safetensors")
    os.rename(os.path.join(os.fsencode(model), b"model.safetensors"), weights)
    assert_terminal_safe(vitc("compile", weights, "--config", model / "config.json", "-o", out, "--verify"))
    (header,) = os.listdir(out / "include")
    assert header[:-2].isidentifier() and header.isascii(), header
    json.loads((out / "share" / header[:-2] / "manifest.json").read_bytes())
print("ok names of weights files")

# CMake cannot use ;, and the package says so where CMake finds it.
moved = os.path.join(os.fsencode(scratch), b"a;b")
shutil.copytree(os.fsencode(base), moved)
project = scratch / "semicolon"
project.mkdir()
(project / "CMakeLists.txt").write_text(PROJECT.format(name="net").replace(
    "find_package(net REQUIRED)", f'include("{scratch}/a;b/lib/cmake/net/netConfig.cmake")\nmessage("${{net_NOT_FOUND_MESSAGE}}")\nreturn()'))
assert b"CMake cannot use" in run("cmake", "-S", project, "-B", project / "build").stderr
print("ok the package names ; as the reason")

# Texts on the command line.
for text in PLAIN + [text for text in ANY if b"\0" not in text]:
    for option in ("--name", "--output", "--target", "--backend", "--emit"):
        refuse("error:", "compile", scratch / "model", "-o", scratch / "never", option, text)
    refuse("error:", text)
print("ok options")

# A manifest names the compiler that a library was made with; it is not run.
script = scratch / "compiler"
script.write_text("#!/bin/sh\ntouch canary\necho aarch64-linux-gnu\n")
script.chmod(0o755)
place = base / "share" / "net" / "manifest.json"
manifest = json.loads(place.read_text())
manifest["target"] = "arm-64"
manifest["options"].update(cxx=str(script), sysroot=str(scratch))
place.write_text(json.dumps(manifest))
for command in (["run", base, GOLDEN / "own_learned_1d_interp" / "image.npy"], ["bench", base], ["verify", base, scratch / "model"]):
    refuse("error:", *command)
    assert not CANARY.exists(), command
print("ok a manifest's compiler")
