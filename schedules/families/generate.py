#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Makes everything that follows from the definitions of the kernel families.

  llvm-tblgen --dump-json -I .. Families.td -o records.json
  generate.py records.json FOLDER     writes FOLDER/families/*.{h,cpp}, families.json and KernelFamilies.md
"""
import argparse
import json
import pathlib
import re

import cpp
import functions
from expressions import Names, pascal, to_cpp
from page import page

# What the types of elements are is the runtime's, which everything else builds on.
ELEMENT_TYPES = pathlib.Path(__file__).resolve().parents[2] / "runtime/include/vitc/runtime/element_types.def"
ELEMENT_TYPE = re.compile(r'^VITC_ELEMENT_TYPE\((\w+), \w+, \d+, (\d+), \w+, "(\w+)"\)', re.M)


class Definitions:
    """The records of llvm-tblgen, as plain dictionaries."""

    def __init__(self, records):
        def resolve(value):
            if isinstance(value, dict) and value.get("kind") == "def":
                return records[value["def"]]
            return value

        def named(kind):
            return [records[name] for name in records["!instanceof"].get(kind, [])]

        self.constants = [{key: each[key] for key in ("name", "value", "meaning")} for each in named("Constant")]
        self.elements = {element: (text, int(size)) for element, size, text in ELEMENT_TYPE.findall(ELEMENT_TYPES.read_text())}
        self.words = [{"name": each["!name"], "summary": each["summary"], "words": each["words"],
                       "functions": [resolve(function) for function in each["functions"]]}
                      for each in named("Words")]
        self.families = []
        for record in sorted(named("Family"), key=lambda each: each["name"]):
            family = {key: record[key] for key in ("name", "description", "rowsField", "rowwiseWhen", "rowwiseFlag", "backends",
                                                   "notTuned")}
            family["cpp"] = record["cppName"]
            family["fields"] = [self.field(resolve(each), resolve) for each in record["fields"]]
            for key, names in (("quantities", ("name", "value", "meaning")), ("rules", ("of", "holds", "message"))):
                family[key] = [{name: resolve(each)[name] for name in names} for each in record[key]]
            family["arguments"] = [self.argument(resolve(each), resolve) for each in record["arguments"]]
            self.check(family)
            self.families.append(family)
        for words in self.words:
            for function in words["functions"]:
                assert function["cppName"] == pascal(function["word"]), f"{function['word']} is no {function['cppName']} in C++"

    def field(self, record, resolve):
        field = {key: record[key] for key in ("name", "kind", "meaning", "when", "otherwise", "least", "most", "holds",
                                              "multiple", "count", "isSize")}
        if field["kind"] == "word":
            words = resolve(record["words"])
            field["words"], field["word_list"] = words["!name"], words["words"]
        return field

    def argument(self, record, resolve):
        argument = {key: record[key] for key in ("name", "shape", "note", "when", "mayBe", "rowStride")}
        argument["element"] = resolve(record["type"])["id"]
        argument["type"], size = self.elements[argument["element"]]
        argument["role"] = resolve(record["role"])["name"]
        argument["alignment"] = record["alignment"] or size
        shape, strides = record["shape"], record["strides"]
        argument["given_strides"] = bool(strides)
        if not strides:  # dense
            strides = [" * ".join(f"({extent})" for extent in shape[i + 1:]) or "1" for i in range(len(shape))]
        argument["strides"] = strides
        # From the first element on: to the end of the last row, its padding too, or to the last element.
        if not argument["given_strides"]:
            argument["elements"] = " * ".join(f"({extent})" for extent in shape)
        else:
            whole = len(shape) - 2 if record["padded"] else len(shape)
            terms = [f"(({extent}) - 1) * ({stride})" for extent, stride in zip(shape[:whole], strides)]
            terms.append(f"({shape[whole]}) * ({strides[whole]})" if record["padded"] else "1")
            argument["elements"] = " + ".join(terms)
        return argument

    def check(self, family):
        """Mistakes that C++ would not notice."""
        assert family["notTuned"] is not None, f"{family['name']}: notTuned says why it is not tuned, or \"\""
        names = Names(family, self.constants)
        roles = [argument["role"] in ("scratch", "output") for argument in family["arguments"]]
        assert roles == sorted(roles), f"{family['name']}: what is written comes last"
        seen = set()
        for field in family["fields"]:
            texts = [field["when"], field["otherwise"]]
            used = {name for text in texts if text for name in names.fields if name in text.replace("(", " ").split()}
            assert used <= seen, f"{family['name']}.{field['name']}: {used - seen} come later"
            seen.add(field["name"])
        for rule in family["rules"]:
            assert rule["of"] in seen, f"{family['name']}: there is no field {rule['of']}"
        for argument in family["arguments"]:
            assert not argument["rowStride"] or argument["rowStride"] in seen, f"{family['name']}.{argument['name']}: no such stride"
            to_cpp(argument["elements"], names)

    def to_json(self):
        """For Python: expressions are its own."""
        keys = ("name", "role", "type", "shape", "strides", "elements", "alignment", "when", "mayBe")
        return {"constants": {each["name"]: each["value"] for each in self.constants},
                "element_bytes": dict(self.elements.values()),
                "words": {each["name"]: each["words"] for each in self.words},
                "functions": {each["name"]: {function["word"]: function["value"] for function in each["functions"]}
                              for each in self.words if each["functions"]},
                "families": {family["name"]: {
                    "backends": family["backends"],
                    "cpp": family["cpp"],
                    "fields": family["fields"],
                    "quantities": {each["name"]: each["value"] for each in family["quantities"]},
                    "arguments": [{key: argument[key] for key in keys} for argument in family["arguments"]]}
                    for family in self.families}}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("records", type=pathlib.Path)
    parser.add_argument("folder", type=pathlib.Path)
    options = parser.parse_args()
    definitions = Definitions(json.loads(options.records.read_text()))
    outputs = {"families/Families.h": cpp.header(definitions), "families/Families.cpp": cpp.source(definitions),
               "families/Functions.h": functions.header(definitions),
               "families/Functions.cpp": functions.source(definitions),
               "families.json": json.dumps(definitions.to_json(), indent=1) + "\n", "KernelFamilies.md": page(definitions)}
    for name, text in outputs.items():
        path = options.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if not path.exists() or path.read_text() != text:  # who includes what has not changed is not compiled again
            path.write_text(text)


main()
