# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The C++ structs of the families."""
import re

from expressions import BANNER, Names, camel, pascal, parse, to_cpp

KINDS = {"integer": "Integer", "number": "Number", "flag": "Flag", "word": "Word", "integers": "Integers"}


def quoted(text):
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def type_of(field, integer="int64_t"):
    return {"integer": integer, "number": "double", "flag": "bool", "word": field.get("words"),
            "integers": f"std::array<{integer}, {field['count']}>"}[field["kind"]]


def words_of(field):
    return f", {camel(field['words'][0].lower() + field['words'][1:])}Words" if field["kind"] == "word" else ""


def initial(field):
    return {"integer": " = 0", "number": " = 0", "flag": " = false", "word": " = {}", "integers": " = {}"}[field["kind"]]


def otherwise(field, names):
    """The value of a field that may be left out."""
    text = field["otherwise"]
    if field["kind"] == "word":
        return f"{field['words']}::{pascal(parse(text).value)}"
    return to_cpp(text, names)


def message(text, names):
    """`{…}` stands for a value."""
    parts = []
    for part in re.split(r"(\{[^}]*\})", text):
        if part.startswith("{"):
            parts.append(f"std::to_string({to_cpp(part[1:-1], names)})")
        elif part:
            parts.append(quoted(part))
    return " + ".join([f"std::string({parts[0]})" if parts[0].startswith('"') else parts[0], *parts[1:]])


def members(family):
    """The arguments' names; forms of one share it."""
    return list(dict.fromkeys(argument["name"] for argument in family["arguments"]))


def fields_struct(family, names):
    """The fields and quantities, for integers of a type."""
    name = family["cpp"]
    lines = [f"/// What a specification of {family['name']} says.", "template <typename Int>", f"struct {name}Fields {{"]
    for field in family["fields"]:
        comment = f" ///< {field['meaning']}" if field["meaning"] else ""
        lines.append(f"  {type_of(field, 'Int')} {camel(field['name'])}{initial(field)};{comment}")
    lines.append("")
    for quantity in family["quantities"]:
        kind = "bool" if names.is_flag(quantity["value"]) else "Int"
        lines += [f"  /// {quantity['meaning'][0].upper() + quantity['meaning'][1:]}.",
                  f"  {kind} {camel(quantity['name'])}() const {{ return {kind}({to_cpp(quantity['value'], names)}); }}"]
    lines += ["", "  /// Calls visit(name, pointer to member) for every field.", "  template <typename Visit>",
              "  static void visitFields(Visit &&visit) {"]
    lines += [f"    visit({quoted(field['name'])}, &{name}Fields::{camel(field['name'])});" for field in family["fields"]]
    return lines + ["  }", "};", "", f"/// {family['name']} for backends: checked, and in 32 bits.",
                    f"using {name}Shape = {name}Fields<int>;", ""]


def struct(family, names):
    name, spec = family["cpp"], family["cpp"] + "Spec"
    lines = fields_struct(family, names)
    lines += [f"/// A specification of {family['name']}.", f"struct {spec} : {name}Fields<int64_t> {{",
              f"  static constexpr const char *family = {quoted(family['name'])};",
              f"  static constexpr size_t fieldCount = {len(family['fields'])};",
              "  static const FieldInfo fieldTable[fieldCount];",
              "  template <typename T>", f"  using Arguments = {name}Arguments<T>;", f"  using Shape = {name}Shape;", "",
              "  /// Reads all fields; those that may be left out get their values.",
              "  std::optional<Problem> read(const FieldValues &values);",
              "  /// The fields as a specification has them: without those that may be",
              "  /// left out.", "  FieldValues write() const;",
              "  /// What is wrong, if anything: bounds, rules, sizes of arguments.",
              "  std::optional<Problem> check() const;",
              "  /// The same in 32 bits, once it is checked.", "  Shape narrow() const;",
              "  /// Those of the kernel's function, in its order.", "  std::vector<Argument> arguments() const;"]
    if family["rowsField"]:
        lines += [f"  int64_t rowCount() const {{ return {camel(family['rowsField'])}; }}",
                  "  /// The same for `rows` rows that stand `stride` elements apart in every",
                  "  /// argument that has rows; nothing if rows depend on each other.",
                  f"  std::optional<{spec}> withRows(int64_t rows, int64_t stride) const;"]
    lines += [f"  bool operator==(const {spec} &other) const;", "};", "",
              f"/// A value for each argument of {family['name']}.", "template <typename T>", f"struct {name}Arguments {{"]
    lines += [f"  T {camel(member)}{{}};" for member in members(family)]
    lines += ["", "  /// Calls visit(name, role, value) for those that the kernel has, in the",
              "  /// order of its function.", "  template <typename Visit>", f"  void visit(const {spec} &spec, Visit &&visit) {{",
              "    visitIn(*this, spec, visit);", "  }", "  template <typename Visit>",
              f"  void visit(const {spec} &spec, Visit &&visit) const {{", "    visitIn(*this, spec, visit);", "  }", "", "private:",
              "  template <typename Self, typename Visit>", f"  static void visitIn(Self &self, const {spec} &spec, Visit &visit) {{"]
    for argument in family["arguments"]:
        call = f"visit({quoted(argument['name'])}, Role::{pascal(argument['role'])}, self.{camel(argument['name'])});"
        if argument["when"]:
            lines += [f"    if ({to_cpp(argument['when'], names, 'spec.')})", f"      {call}"]
        else:
            lines.append(f"    {call}")
    return lines + ["  }", "};", ""]


def header(definitions):
    lines = [BANNER, "#ifndef VITC_SCHEDULES_FAMILIES_FAMILIES_H", "#define VITC_SCHEDULES_FAMILIES_FAMILIES_H", "",
             '#include "families/spec.h"', "", "namespace vitc::families {", ""]
    for constant in definitions.constants:
        lines += [f"/// {constant['meaning']}", f"constexpr int64_t {camel(constant['name'])} = {constant['value']};"]
    lines.append("")
    for words in definitions.words:
        name = words["name"]
        lines += [f"/// {words['summary'][0].upper() + words['summary'][1:]}.",
                  f"enum class {name} {{ {', '.join(pascal(word) for word in words['words'])} }};",
                  f"extern const char *const {camel(name[0].lower() + name[1:])}Words[{len(words['words'])}];",
                  f"inline const char *toWord({name} value) {{ return {camel(name[0].lower() + name[1:])}Words[int(value)]; }}",
                  f"std::optional<{name}> to{name}(const std::string &word);", ""]
    for family in definitions.families:
        lines += ["template <typename T>", f"struct {family['cpp']}Arguments;"]
    lines.append("")
    for family in definitions.families:
        lines += struct(family, Names(family, definitions.constants))
    lists = {"KERNEL": ("every family", lambda family: True), "TUNED": ("those that vitc-measure has a reference for", lambda family: not family["notTuned"])}
    for backend in sorted({backend for family in definitions.families for backend in family["backends"]}):
        lists[backend.upper()] = (f"those that vitc-{backend} compiles", lambda family, backend=backend: backend in family["backends"])
    for name, (meaning, has) in lists.items():
        members_of = " ".join(f"X({family['cpp']})" for family in definitions.families if has(family))
        lines += [f"/// X(Name) for {meaning}.", f"#define VITC_{name}_FAMILIES(X) {members_of}", ""]
    lines += [
              "using AnySpec = std::variant<" + ", ".join(family["cpp"] + "Spec" for family in definitions.families) + ">;", "",
              "/// An empty specification of the family; nothing if there is none of the name.",
              "std::optional<AnySpec> makeSpec(const std::string &family);",
              "/// The names of the fields that decide how long a kernel takes, in their order.",
              "std::vector<std::string> sizeNames(const std::string &family);", "",
              "} // namespace vitc::families", "", "#endif // VITC_SCHEDULES_FAMILIES_FAMILIES_H", ""]
    return "\n".join(lines)


def reading(family, names):
    lines = [f"std::optional<Problem> {family['cpp']}Spec::read(const FieldValues &values) {{", "  FieldReader reader(values);"]
    for field in family["fields"]:
        name, member = quoted(field["name"]), camel(field["name"])
        read = f"reader.read({name}, {member}{words_of(field)});"
        indent = "  "
        if field["when"]:
            lines.append(f"  if ({to_cpp(field['when'], names)}) {{")
            indent = "    "
        if field["otherwise"]:
            lines += [f"{indent}if (reader.has({name}))", f"{indent}  {read}", f"{indent}else",
                      f"{indent}  {member} = {otherwise(field, names)};"]
        else:
            lines.append(indent + read)
        if field["when"]:
            lines.append("  }")
    return lines + ["  if (std::optional<Problem> problem = reader.finish())", "    return problem;", "  return check();", "}", ""]


def writing(family, names):
    lines = [f"FieldValues {family['cpp']}Spec::write() const {{", "  FieldWriter writer;"]
    for field in family["fields"]:
        member = camel(field["name"])
        value = f"toWord({member})" if field["kind"] == "word" else member
        conditions = [to_cpp(field["when"], names)] if field["when"] else []
        if field["otherwise"]:
            conditions.append(f"{member} != {otherwise(field, names)}")
        if conditions:
            lines.append(f"  if ({' && '.join(conditions)})")
        lines.append(f"{'    ' if conditions else '  '}writer.write({quoted(field['name'])}, {value});")
    return lines + ["  return std::move(writer.values);", "}", ""]


def checks_of(field, names):
    name, member = quoted(field["name"]), camel(field["name"])
    if field["kind"] == "integer":
        multiple = f", {field['multiple']}" if field["multiple"] > 1 else ""
        yield f"checkInteger({name}, {member}, {field['least']}, {field['most']}{multiple})"
        if field["holds"]:
            yield f"checkStride({name}, {member}, {to_cpp(field['holds'], names)})"
    if field["kind"] == "number":
        yield f"checkNumber({name}, {member})"
    if field["kind"] == "integers":
        for index in range(field["count"]):
            yield f"checkInteger({name}, {member}[{index}], {field['least']}, {field['most']})"


def checking(family, names):
    lines = [f"std::optional<Problem> {family['cpp']}Spec::check() const {{"]
    for field in family["fields"]:
        indent = "  "
        if field["when"]:
            lines.append(f"  if ({to_cpp(field['when'], names)}) {{")
            indent = "    "
        for check in checks_of(field, names):
            lines += [f"{indent}if (auto problem = {check})", f"{indent}  return problem;"]
        if field["when"]:
            lines += [f"  }} else if ({camel(field['name'])} != {type_of(field)}{{}}) {{",
                      f"    return Problem{{{quoted(field['name'])}, \"there is none\"}};", "  }"]
    for rule in family["rules"]:
        lines += [f"  if (!({to_cpp(rule['holds'], names)}))",
                  f"    return Problem{{{quoted(rule['of'])}, {message(rule['message'], names)}}};"]
    return lines + ["  return checkArguments(arguments());", "}", ""]


def listing(family, names):
    lines = [f"std::vector<Argument> {family['cpp']}Spec::arguments() const {{", "  std::vector<Argument> list;"]
    for argument in family["arguments"]:
        dimensions = ", ".join("{" + to_cpp(extent, names) + ", " + to_cpp(stride, names) + "}"
                               for extent, stride in zip(argument["shape"], argument["strides"]))
        may_be = quoted(argument["mayBe"]) if argument["mayBe"] else "nullptr"
        is_rows = str(bool(family["rowsField"] and argument["rowStride"])).lower()
        indent = "  "
        if argument["when"]:
            lines.append(f"  if ({to_cpp(argument['when'], names)})")
            indent = "    "
        lines.append(f"{indent}list.push_back({{{quoted(argument['name'])}, Role::{pascal(argument['role'])}, "
                     f"ElementType::{argument['element']}, {{{dimensions}}}, {to_cpp(argument['elements'], names)}, "
                     f"{argument['alignment']}, {may_be}, {is_rows}}});")
    return lines + ["  return list;", "}", ""]


def rowwise(family, names):
    spec = family["cpp"] + "Spec"
    lines = [f"std::optional<{spec}> {spec}::withRows(int64_t rows, int64_t stride) const {{",
             f"  if (!({to_cpp(family['rowwiseWhen'], names)}))", "    return std::nullopt;", f"  {spec} result = *this;",
             f"  result.{camel(family['rowsField'])} = rows;"]
    for argument in family["arguments"]:
        if not argument["rowStride"]:
            continue
        if argument["when"]:
            lines.append(f"  if ({to_cpp(argument['when'], names)})")
        lines.append(f"{'    ' if argument['when'] else '  '}result.{camel(argument['rowStride'])} = stride;")
    if family["rowwiseFlag"]:
        lines.append(f"  result.{camel(family['rowwiseFlag'])} = true;")
    return lines + ["  return result;", "}", ""]


def narrowing(family):
    lines = [f"{family['cpp']}Shape {family['cpp']}Spec::narrow() const {{", f"  {family['cpp']}Shape result;"]
    for field in family["fields"]:
        member = camel(field["name"])
        if field["kind"] == "integers":
            lines += [f"  for (size_t i = 0; i < {member}.size(); ++i)", f"    result.{member}[i] = int({member}[i]);"]
        else:
            lines.append(f"  result.{member} = {f'int({member})' if field['kind'] == 'integer' else member};")
    return lines + ["  return result;", "}", ""]


def source(definitions):
    lines = [BANNER, '#include "families/Families.h"', "", "namespace vitc::families {", ""]
    for words in definitions.words:
        name = camel(words["name"][0].lower() + words["name"][1:]) + "Words"
        lines += [f"const char *const {name}[] = {{{', '.join(quoted(word) for word in words['words'])}}};",
                  f"std::optional<{words['name']}> to{words['name']}(const std::string &word) {{",
                  f"  for (int i = 0; i < {len(words['words'])}; ++i)", f"    if (word == {name}[i])",
                  f"      return {words['name']}(i);", "  return std::nullopt;", "}", ""]
    for family in definitions.families:
        names = Names(family, definitions.constants)
        table = ", ".join(f"{{{quoted(field['name'])}, FieldKind::{KINDS[field['kind']]}, {str(bool(field['isSize'])).lower()}}}" for field in family["fields"])
        lines.append(f"const FieldInfo {family['cpp']}Spec::fieldTable[] = {{{table}}};")
        lines += reading(family, names) + writing(family, names) + checking(family, names) + listing(family, names)
        if family["rowsField"]:
            lines += rowwise(family, names)
        lines += narrowing(family)
        equal = " && ".join(f"{camel(field['name'])} == other.{camel(field['name'])}" for field in family["fields"])
        lines += [f"bool {family['cpp']}Spec::operator==(const {family['cpp']}Spec &other) const {{", f"  return {equal};", "}", ""]
    lines += ["std::optional<AnySpec> makeSpec(const std::string &family) {"]
    for family in definitions.families:
        lines += [f"  if (family == {family['cpp']}Spec::family)", f"    return {family['cpp']}Spec();"]
    lines += ["  return std::nullopt;", "}", "", "std::vector<std::string> sizeNames(const std::string &family) {",
              "  std::vector<std::string> names;", "  auto add = [&](const auto &spec) {",
              "    for (const FieldInfo &field : spec.fieldTable)", "      if (field.isSize)", "        names.push_back(field.name);", "  };",
              "  if (std::optional<AnySpec> spec = makeSpec(family))", "    std::visit(add, *spec);"]
    return "\n".join(lines + ["  return names;", "}", "", "} // namespace vitc::families", ""])
