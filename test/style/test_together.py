#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""test_together.py ROOT: the sources of a library can be compiled together, as tools/quickstart does: no two of them have a
type, a constant or a function with the same parameters of one name, even if each keeps it to itself."""
import collections
import pathlib
import re
import sys

from sources import sources

# The lists of a library's sources, and the lists that they read.
LIBRARY = re.compile(r"^add_(?:library|executable)\((\S+)([^)]*)\)", re.MULTILINE)
LISTED = re.compile(r"^vitc_listed_sources\((\S+) (\S+)\)", re.MULTILINE)
TYPE = re.compile(r"(?:class|struct|enum class|enum)\s+(\w+)[^;]*$")
CONSTANT = re.compile(r"(?:static )?(?:constexpr|const) [^(]*?(\w+)(?:\[\w*\])* ?[={]")
VARIABLE = re.compile(r"static [^(]*?(\w+)(?:\[\w*\])?(?: = .*)?;")
FUNCTION = re.compile(r"static [^=;]*?(\w+)\(")


def libraries(root):
    """Each target with its sources."""
    for name in sources(root):
        if not name.endswith("CMakeLists.txt") or name.startswith(("test/", "runtime/")):
            continue
        folder, text = (root / name).parent, (root / name).read_text()
        listed = {variable: re.findall(r'"([^"]+\.cpp)"', (folder / path).read_text()) for variable, path in LISTED.findall(text)}
        for target, words in LIBRARY.findall(text):
            own = [word for word in words.split() if word.endswith(".cpp") and not word.startswith("$")]
            for variable, paths in listed.items():
                if f"${{{variable}}}" in words:
                    own += sorted(set(paths))
            yield target, [folder / path for path in own]


def parameter_types(lines, at):
    """The parameters of the function whose declaration begins in a line, without their names."""
    text = " ".join(lines[at:at + 12])
    text, depth, kept = text[text.index("("):], 0, ""
    for letter in text:
        depth += (letter in "(<[{") - (letter in ")>]}")
        kept += letter
        if not depth:
            break
    parts = re.split(r",(?![^<]*>)", kept[1:-1])
    return tuple(re.sub(r"\s+|\w+$", "", re.sub(r"=.*", "", part).strip()) for part in parts)


def kept_names(path):
    """What a source keeps to itself: kind, name and namespace, with the line."""
    lines, spaces, found = path.read_text().splitlines(), [], {}
    for at, line in enumerate(lines):
        if match := re.match(r"namespace (?:([\w:]+) )?\{$", line):
            spaces.append(match[1] or "")
        elif line.startswith("} // namespace") and spaces:
            spaces.pop()
        inside = "" in spaces
        space = "::".join(filter(None, spaces))
        if match := FUNCTION.match(line):
            found[space, match[1], parameter_types(lines, at)] = at + 1
        elif match := CONSTANT.match(line) or VARIABLE.match(line):
            found[space, match[1]] = at + 1
        elif inside and (match := TYPE.match(line)):
            found[space, match[1]] = at + 1
    return found


def main(root):
    faults = checked = 0
    for target, paths in libraries(root):
        places = collections.defaultdict(list)
        for path in paths:
            checked += 1
            for name, line in kept_names(path).items():
                places[name].append(f"{path.relative_to(root)}:{line}")
        for name, found in places.items():
            if len(found) > 1:
                faults += 1
                print(f"{' and '.join(found)}: {name[1]} is in both, which {target} cannot have when its sources are compiled together")
    print(f"{checked} sources looked at, {faults} faults")
    return int(faults > 0 or not checked)


sys.exit(main(pathlib.Path(sys.argv[1]).resolve()))
