# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""targets_tables.py VITC PAGE [--write]: the tables of docs/Targets.md are what `vitc targets --json` says; --write renews them."""
import json
import pathlib
import subprocess
import sys


def code(words):
    return ", ".join(f"`{word}`" for word in words)


def table(header, rows):
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join(f"| {' | '.join(map(str, line))} |" for line in lines)


def tile(level):
    return "x".join(map(str, level["tile"])) if "tile" in level else ""


def targets_table(targets):
    rows = []
    for target in targets:
        tiles = dict.fromkeys(filter(None, map(tile, target["levels"])))
        rows.append([code([target["name"]]), target["summary"], code(level["name"] for level in target["levels"]), target["panel"],
                     ", ".join(tiles)])
    return table(["target", "runs on", "levels", "panel", "tile"], rows)


def levels_table(targets):
    levels = {level["name"]: level for target in targets for level in target["levels"] if not target["device"]}
    rows = [[code([level["name"]]), code([level["kernel_target"]]), code([level["float32_kernels"]]), code(level["features"]),
             f"{level['vector_bytes']} bytes", level["registers"], tile(level)] for level in levels.values()]
    return table(["level", "in specifications", "float32 kernels", "needs", "vectors", "registers", "tile"], rows)


def main(vitc, page, *options):
    targets = json.loads(subprocess.run([vitc, "targets", "--json"], capture_output=True, text=True, check=True).stdout)["targets"]
    path = pathlib.Path(page)
    text = now = path.read_text()
    for name, lines in [("targets", targets_table(targets)), ("levels", levels_table(targets))]:
        start, end = f"<!-- {name}: written by test/Driver/Inputs/targets_tables.py -->\n", f"\n<!-- end of {name} -->"
        if text.count(start) != 1 or text.count(end) != 1:
            sys.exit(f"{page}: expected once each: {start.strip()} and {end.strip()}")
        before, rest = text.split(start)
        text = before + start + lines + end + rest.split(end)[1]
    if "--write" in options:
        path.write_text(text)
    elif text != now:
        sys.exit(f"{page} is stale: run `python {sys.argv[0]} {vitc} {page} --write`")
    print(f"{page} has {len(targets)} targets")


main(*sys.argv[1:])
