# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""C++ of the activation functions: in double precision, and as a template for the arithmetic of kernels."""
import ast
import math

from expressions import BANNER, COMPARISONS, camel, parse, pascal

REAL = {"sqrt": "std::sqrt", "exp": "std::exp", "expm1": "std::expm1", "log1p": "std::log1p", "tanh": "std::tanh",
        "erf": "std::erf", "abs": "std::abs", "min": "std::min", "max": "std::max"}
OPERATORS = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/"}


def constant(node):
    """The value of an expression without variables, or nothing."""
    if any(isinstance(each, ast.Name) and each.id not in REAL and each.id != "pi" for each in ast.walk(node)):
        return None
    code = compile(ast.fix_missing_locations(ast.Expression(node)), "definition", "eval")
    return float(eval(code, {"__builtins__": {}, **{name: getattr(math, name, None) for name in REAL},
                             "abs": abs, "min": min, "max": max, "pi": math.pi}))


class Writer:
    """Writes expressions whose numbers, functions and choices a subclass spells."""

    def __init__(self, text):
        self.text = text

    def visit(self, node):
        if (value := constant(node)) is not None:
            return self.number(value)
        if isinstance(node, ast.Name):
            return camel(node.id)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            return f"-({self.visit(node.operand)})"
        if isinstance(node, ast.BinOp) and type(node.op) in OPERATORS:
            return f"({self.visit(node.left)} {OPERATORS[type(node.op)]} {self.visit(node.right)})"
        if isinstance(node, ast.Compare) and len(node.ops) == 1:
            return f"({self.visit(node.left)} {COMPARISONS[type(node.ops[0])]} {self.visit(node.comparators[0])})"
        if isinstance(node, ast.Call) and node.func.id == "where":
            return self.where(*map(self.visit, node.args))
        if isinstance(node, ast.Call) and node.func.id in REAL:
            return self.call(node.func.id, list(map(self.visit, node.args)))
        raise SystemExit(f"error: '{self.text}' has something that functions do not have")


class Real(Writer):
    """double"""

    def number(self, value):
        return repr(value)

    def where(self, condition, then, otherwise):
        return f"({condition} ? {then} : {otherwise})"

    def call(self, name, arguments):
        return f"{REAL[name]}({', '.join(arguments)})"


class Kernel(Writer):
    """Math::Value"""

    def __init__(self, text, x):
        super().__init__(text)
        self.x = x

    def visit(self, node):
        return self.x if isinstance(node, ast.Name) and node.id == "x" else super().visit(node)

    def number(self, value):
        return f"Value(float({value!r}))"

    def where(self, condition, then, otherwise):
        return f"math.where({condition}, {then}, {otherwise})"

    def call(self, name, arguments):
        return f"math.{name}({', '.join(arguments)})"


def in_double(text):
    return Real(text).visit(parse(text))


def in_kernels(text):
    """What is used more than once has a name, x too."""
    try:
        *steps, result = ast.parse(text).body
    except SyntaxError as error:
        raise SystemExit(f"error: '{text}' is not an expression: {error.msg}")
    uses = sum(isinstance(node, ast.Name) and node.id == "x" for node in ast.walk(ast.parse(text)))
    writer = Kernel(text, "x" if uses > 1 else "argument")
    named = [("x", "argument")] if uses > 1 else []
    named += [(step.targets[0].id, writer.visit(step.value)) for step in steps]
    code = writer.visit(result.value)
    for name, value in reversed(named):
        code = f'math.let("{name}", {value}, [&](const Value &{name}) -> Value {{ return {code}; }})'
    return code


def header(definitions):
    """Functions.h: apart from the structs, since few need it."""
    lines = [BANNER, "#ifndef VITC_SCHEDULES_FAMILIES_FUNCTIONS_H", "#define VITC_SCHEDULES_FAMILIES_FUNCTIONS_H", "",
             '#include "families/Families.h"', "", "namespace vitc::families {", ""]
    for words in definitions.words:
        if not words["functions"]:
            continue
        name = words["name"]
        lines += ["/// The function's value, in double precision.", f"double evaluate({name} function, double x);", "",
                  "/// The same in a kernel. `Math` has a type Value with operators, functions",
                  "/// of it, and let(name, value, body) for values that are used more than once.", "template <typename Math>",
                  f"typename Math::Value compute({name} function, const Math &math,", "                             const typename Math::Value &argument) {",
                  "  using Value = typename Math::Value;", "  switch (function) {"]
        for function in words["functions"]:
            lines += [f"  case {name}::{pascal(function['word'])}:", f"    return {in_kernels(function['kernel'])};"]
        lines += ["  }", "  return argument;", "}", ""]
    return "\n".join(lines + ["} // namespace vitc::families", "", "#endif // VITC_SCHEDULES_FAMILIES_FUNCTIONS_H", ""])


def source(definitions):
    lines = [BANNER, '#include "families/Functions.h"', "", "#include <algorithm>", "#include <cmath>", "",
             "namespace vitc::families {", ""]
    for words in definitions.words:
        if not words["functions"]:
            continue
        lines += [f"double evaluate({words['name']} function, double x) {{", "  switch (function) {"]
        for function in words["functions"]:
            lines += [f"  case {words['name']}::{pascal(function['word'])}:", f"    return {in_double(function['value'])};"]
        lines += ["  }", "  return x;", "}", ""]
    return "\n".join(lines + ["} // namespace vitc::families", ""])
