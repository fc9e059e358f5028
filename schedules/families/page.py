# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""docs/generated/KernelFamilies.md."""
from expressions import to_text


def value_of(field):
    """The column that says what a field may be."""
    if field["kind"] == "flag":
        text = "boolean"
    elif field["kind"] == "number":
        text = "number"
    elif field["kind"] == "word":
        text = " ".join(f"`{word}`" for word in field["word_list"])
    elif field["kind"] == "integers":
        text = f"{field['count']} integers from {field['least']} to {field['most']}"
    elif field["holds"]:
        text = f"at least `{to_text(field['holds'])}`"
    else:
        text = f"{field['least']} to {field['most']}"
    if field["multiple"] > 1:
        text += f", a multiple of {field['multiple']}"
    return text


def presence(field):
    if field["when"] and field["otherwise"]:
        return f"only with `{to_text(field['when'])}`, optional: `{to_text(field['otherwise'])}`"
    if field["when"]:
        return f"only with `{to_text(field['when'])}`"
    return f"optional: `{to_text(field['otherwise'])}`" if field["otherwise"] else ""


def argument_row(argument):
    shape = "".join(f"[{to_text(extent)}]" for extent in argument["shape"])
    strides = ", ".join(to_text(stride) for stride in argument["strides"]) if argument["given_strides"] else "dense"
    notes = [argument["note"]] if argument["note"] else []
    if argument["mayBe"]:
        notes.append(f"may be `{argument['mayBe']}`")
    when = f"with `{to_text(argument['when'])}`" if argument["when"] else ""
    return f"| `{argument['name']}` | {argument['role']} | {argument['type']} | `{shape}` | `{strides}` | {argument['alignment']} | " \
           f"{when} | {'; '.join(notes)} |"


def page(definitions):
    lines = ["<!-- Generated from schedules/families; do not edit. -->", "# Kernel families", "",
             "What a specification of each family says, and the arguments of its function, in their order. "
             "[KernelProtocol.md](../KernelProtocol.md) says how backends are asked for kernels.", "",
             "Strides are in elements, alignment is in bytes. A `roundup(x, y)` is the next multiple of y. "
             "Numbers that several programs agree on:", "", "| name | value | meaning |", "| --- | --- | --- |"]
    lines += [f"| `{each['name']}` | {each['value']} | {each['meaning']} |" for each in definitions.constants]
    for words in definitions.words:
        if words["functions"]:
            lines += ["", f"{words['summary'][0].upper() + words['summary'][1:]}:", "", "| name | f(x) |", "| --- | --- |"]
            lines += [f"| `{function['word']}` | `{function['value']}` |" for function in words["functions"]]
    for family in definitions.families:
        tuned = f"not tuned, since {family['notTuned']}" if family["notTuned"] else "tuned"
        lines += ["", f"## {family['name']}", "", family["description"].strip(), "",
                  f"Compiled by {' and '.join(f'vitc-{backend}' for backend in family['backends'])}; {tuned}.", "",
                  "| field | value | presence | meaning |", "| --- | --- | --- | --- |"]
        lines += [f"| `{field['name']}` | {value_of(field)} | {presence(field)} | {field['meaning']} |" for field in family["fields"]]
        if family["quantities"]:
            lines += ["", "With"]
            lines += [f"- `{each['name']} = {to_text(each['value'])}`: {each['meaning']}" for each in family["quantities"]]
        lines += ["", "| argument | role | type | shape | strides | alignment | presence | |",
                  "| --- | --- | --- | --- | --- | --- | --- | --- |"]
        lines += [argument_row(argument) for argument in family["arguments"]]
    return "\n".join(lines) + "\n"
