# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What the tests of hostile names share: texts that mean something to C++, CMake, shells, browsers and terminals, and models that
have them as names. Each program here runs under ctest, or by hand: python test_library.py VITC.

Whatever such a text gets to run writes the file `canary` where the test's programs run; no test may find it.
"""
import atexit
import json
import os
import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile

VITC = os.path.abspath(sys.argv[1]) if len(sys.argv) > 1 else "vitc"
ROOT = pathlib.Path(__file__).resolve().parents[2]
GOLDEN = ROOT / "test" / "numerics" / "golden"
folder = tempfile.TemporaryDirectory(prefix="vitc-hostile-")
scratch = pathlib.Path(folder.name)
CANARY = scratch / "canary"

RUNS = 'extern "C" int system(const char *); __attribute__((constructor)) static void evil() { if (system("touch canary")) {} }'
SYSTEM = 'system("touch canary");'
# Without control characters: names that a model may have.
PLAIN = [
    "head\\",
    "trigraph??/",
    "????/",
    f"*/ {RUNS} /*",
    f'" ); {SYSTEM} ("',
    "`touch canary`",
    "$(touch canary)",
    "${HOME} $ENV{HOME} @VAR@ $<1:x>",
    "a;b;c",
    "%n%n%s%s%d",
    "{}{{}}{0}%1",
    "</script><script>alert(1)</script><!--",
    "</title><h1 onclick='x'>&lt;\"'>",
    "]]>]=]#[[ comment",
    "\u202eright to left\u2066\u2028",
    'h\u00e4d "q" 1 \U0001f600',
    "#define float int",
    "// /* nested",
    "R\"x(raw)x\" '\\''",
    "-rf --help @response",
    "n" * 3000,
    "...\\",
]
# Names of files may hold any bytes but / and NUL.
ANY = [
    f"x\n{RUNS}\n#pragma evil".encode(),
    f"x\r\n{RUNS}".encode(),
    b"x\nLibs: -levil\nCflags: -include evil.h\n",
    b"esc\x1b]0;owned\x07\x1b[31m\x1b[2J",
    b"not utf-8 \xff\xfe\xc3",
    b"tab\tbell\x07del\x7fc1\xc2\x9b31m",
    b"back\\\nslash",
]


def file_name(text):
    """`text` as the name of a file or folder."""
    return (text if isinstance(text, bytes) else text.encode()).replace(b"/", b"_").replace(b"\0", b"")[:180]


def run(*command, check=True, **options):
    done = subprocess.run([os.fsencode(word) if not isinstance(word, (str, bytes)) else word for word in command],
                          capture_output=True, timeout=600, **{"cwd": scratch, **options})
    if check and done.returncode:
        raise AssertionError(f"{command}: exit code {done.returncode}\n{done.stdout.decode(errors='replace')[-3000:]}"
                             f"{done.stderr.decode(errors='replace')[-3000:]}")
    return done


def vitc(*arguments, **options):
    return run(VITC, *arguments, **options)


def refuse(message, *arguments):
    """One message that says so, exit code 1, and nothing written."""
    before = listing(scratch)
    done = vitc(*arguments, check=False)
    text = done.stderr.decode(errors="replace")
    assert done.returncode == 1, f"{arguments}: exit code {done.returncode}\n{text}"
    assert message in text, f"{arguments}: {text!r} does not say {message!r}"
    assert listing(scratch) == before, f"{arguments}: files were left behind"
    assert_terminal_safe(done)
    return text


def listing(root):
    return sorted(os.path.join(path, name) for path, folders, files in os.walk(os.fsencode(root)) for name in folders + files)


def assert_terminal_safe(done):
    """What a terminal is shown has no commands for it."""
    for stream in (done.stdout, done.stderr):
        text = stream.decode()  # must be UTF-8
        bad = [c for c in text if (ord(c) < 32 and c not in "\n\t") or 0x7f <= ord(c) < 0xa0 or c in "\u2028\u2029"
               or "\u202a" <= c <= "\u202e" or "\u2066" <= c <= "\u2069"]
        assert not bad, f"control characters {bad} in {text!r}"


class Weights:
    """A safetensors file, taken apart."""

    def __init__(self, path):
        data = pathlib.Path(path).read_bytes()
        (length,) = struct.unpack("<Q", data[:8])
        self.header, self.data = json.loads(data[8:8 + length]), data[8 + length:]

    def write(self, path, rename):
        header = {rename(name): tensor for name, tensor in self.header.items()}
        assert len(header) == len(self.header), "two tensors got one name"
        text = json.dumps(header).encode()
        path.write_bytes(struct.pack("<Q", len(text)) + text + self.data)


# Roles of vitc's own config, and the names that the golden model gives them.
ROLES = {
    "patch": "patch_embedding", "class_token": "class_token", "position": "position",
    "attention_norm": "blocks.{layer}.attention_norm", "query": "blocks.{layer}.attention.query",
    "key": "blocks.{layer}.attention.key", "value": "blocks.{layer}.attention.value",
    "projection": "blocks.{layer}.attention.projection", "mlp_norm": "blocks.{layer}.mlp_norm",
    "mlp_up": "blocks.{layer}.mlp.up", "mlp_down": "blocks.{layer}.mlp.down", "final_norm": "norm", "head": "head",
}


def own_model(place, names=None, labels=None):
    """The golden model with layers called as `names` say (role: name) and labels."""
    source = GOLDEN / "own_learned_1d_interp"
    config = json.loads((source / "config.json").read_text())
    names = dict(names or {})
    if names:
        config["weights"] = names
    if labels:
        config["labels"] = labels
    table = {}
    for role, old in ROLES.items():
        for layer in "01" if "{layer}" in old else " ":
            table[old.replace("{layer}", layer)] = names.get(role, old).replace("{layer}", layer)

    def rename(name):
        stem, dot, ending = name.rpartition(".")
        return table[stem] + dot + ending if stem in table else table[name]

    os.makedirs(place)
    here = pathlib.Path(os.fsdecode(place))
    (here / "config.json").write_text(json.dumps(config))
    Weights(source / "model.safetensors").write(here / "model.safetensors", rename)
    return here


def hostile_names(start):
    """A hostile name for every role; other starts give other roles other names."""
    names = {}
    for number, (role, old) in enumerate(ROLES.items()):
        text = PLAIN[(start + number) % len(PLAIN)]
        # Apart from each other, and the dangerous end stays the end.
        names[role] = f"{number}.{{layer}} {text}" if "{layer}" in old else f"{number} {text}"
    return names


@atexit.register
def no_canary():
    if CANARY.exists():
        print("FAIL: a name was run as code", file=sys.stderr)
        os._exit(1)
