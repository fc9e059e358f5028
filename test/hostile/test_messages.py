# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Hostile texts in the place of each word of a config: what vitc says of them is one line, short, and no command for a terminal."""
import itertools

from hostile import *

TEXTS = [
    "a\nvitc: error: a message of vitc's own",
    "carriage\r\nreturn",
    "\x1b]0;owned\x07\x1b[2J",
    "nul\0inside",
    "\u202eright to left\u2028\u009b31m",
    "w" * 5000,
    "%n%s{}{0}",
    "../../../../etc/passwd",
]


def words(value, path=()):
    """The places of all strings and keys; the latter end in True."""
    if isinstance(value, str):
        yield path
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield *path, key, True
            yield from words(inner, (*path, key))
    elif isinstance(value, list):
        for number, inner in enumerate(value[:1]):
            yield from words(inner, (*path, number))


def replaced(config, path, text):
    config = json.loads(json.dumps(config))
    renames = path[-1] is True
    *outer, last = path[:-1] if renames else path
    inside = config
    for step in outer:
        inside = inside[step]
    if renames:
        inside[text] = inside.pop(last)
    else:
        inside[last] = text
    return config


model, texts, codes = scratch / "model", itertools.cycle(TEXTS), {0: 0, 1: 0}
model.mkdir()
seen = set()
for source in sorted(GOLDEN.glob("*/config.json")):
    config = json.loads(source.read_text())
    family = config.get("model_type") or config["architecture"].split("_")[0]
    for path in words(config):
        # A label is like another, and a field of a family like that of another model of it.
        kind = (family, *("*" if str(step).isdigit() and step is not True else step for step in path))
        if kind in seen:
            continue
        seen.add(kind)
        text = next(texts)
        (model / "config.json").write_text(json.dumps(replaced(config, path, text)))
        done = vitc("compile", model, "--random-weights", "1", "--until-after", "import", check=False)
        what = f"{source.parent.name}, {path}, {text[:40]!r}: exit code {done.returncode}\n{done.stderr.decode(errors='replace')[:2000]}"
        assert done.returncode in codes, what
        codes[done.returncode] += 1
        assert_terminal_safe(done)
        if done.returncode == 1:
            message = done.stderr.decode()
            assert message.startswith("vitc: error: ") and message.count("\n") == 1 and len(message) < 2000, what
assert len(seen) > 300 and codes[1] > 100, (len(seen), codes)
print(f"ok {len(seen)} words of configs, {codes[1]} refused in one line each")

# A hint at the nearest name is not worth hours: names that are long, and differ in everything.
model = own_model(scratch / "long", {"head": "h" * 10**6})
text = (model / "config.json").read_text()
(model / "config.json").write_text(text.replace("h" * 10**6, "g" * 10**6))
message = refuse("is missing", "compile", model, "-o", scratch / "never")
assert len(message) < 2000, len(message)
print("ok long names")
