# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Expressions of the definitions: Python's, turned into C++ and into text."""
import ast

BANNER = """// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Generated from schedules/families/*.td by generate.py; do not edit.
"""


def camel(name):
    """head_dim to headDim."""
    first, *rest = name.split("_")
    return first + "".join(word.capitalize() for word in rest)


def pascal(name):
    """mean_max to MeanMax."""
    return "".join(word.capitalize() for word in name.split("_"))


FUNCTIONS = {"roundup": "roundUp", "ceildiv": "ceilDiv", "min": "least", "max": "most"}
ARITHMETIC = {ast.Add: "plus", ast.Sub: "minus", ast.Mult: "times", ast.FloorDiv: "quotient", ast.Mod: "remainder"}
COMPARISONS = {ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">="}


class Names:
    """What the names of a family's expressions are."""

    def __init__(self, family, constants):
        self.fields = {field["name"]: field for field in family["fields"]}
        self.quantities = {quantity["name"]: quantity["value"] for quantity in family["quantities"]}
        self.constants = {constant["name"]: constant["value"] for constant in constants}
        double = self.fields.keys() & self.quantities.keys() | self.constants.keys() & (self.fields.keys() | self.quantities.keys())
        assert not double, f"{family['name']}: {double} are named twice"

    def find(self, name, where):
        if name not in self.fields and name not in self.quantities and name not in self.constants:
            raise SystemExit(f"error: '{name}' in '{where}' is neither a field, a quantity nor a constant")

    def is_flag(self, text):
        """Whether an expression is a truth value."""
        node = parse(text)
        if isinstance(node, ast.Name):
            if node.id in self.fields:
                return self.fields[node.id]["kind"] == "flag"
            return node.id in self.quantities and self.is_flag(self.quantities[node.id])
        return isinstance(node, (ast.BoolOp, ast.Compare)) or isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not) \
            or isinstance(node, ast.Constant) and isinstance(node.value, bool)


def parse(text):
    try:
        return ast.parse(text, mode="eval").body
    except SyntaxError as error:
        raise SystemExit(f"error: '{text}' is not an expression: {error.msg}")


def to_cpp(text, names, owner=""):
    """C++ in a method of the family's struct, or with `owner` ("spec.") outside it. Sums and products saturate."""

    def word(node, other):
        """A word in quotes is a value of its neighbour's enumeration."""
        return f"{names.fields[other.id]['words']}::{pascal(node.value)}"

    def visit(node, other=None):
        if isinstance(node, ast.Constant):
            if isinstance(node.value, bool):
                return "true" if node.value else "false"
            return word(node, other) if isinstance(node.value, str) else f"int64_t({node.value})"
        if isinstance(node, ast.Name):
            names.find(node.id, text)
            if node.id in names.constants:
                return camel(node.id)
            return owner + camel(node.id) + ("()" if node.id in names.quantities else "")
        if isinstance(node, ast.Subscript):
            return f"{visit(node.value)}[{node.slice.value}]"
        if isinstance(node, ast.BinOp) and type(node.op) in ARITHMETIC:
            return f"{ARITHMETIC[type(node.op)]}({visit(node.left)}, {visit(node.right)})"
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.Not):
            return f"!({visit(node.operand)})"
        if isinstance(node, ast.BoolOp):
            return "(" + (" && " if isinstance(node.op, ast.And) else " || ").join(visit(value) for value in node.values) + ")"
        if isinstance(node, ast.Compare) and len(node.ops) == 1:
            left, right = node.left, node.comparators[0]
            return f"({visit(left, right)} {COMPARISONS[type(node.ops[0])]} {visit(right, left)})"
        if isinstance(node, ast.IfExp):
            return f"({visit(node.test)} ? {visit(node.body)} : {visit(node.orelse)})"
        if isinstance(node, ast.Call) and node.func.id in FUNCTIONS and len(node.args) == 2:
            return f"{FUNCTIONS[node.func.id]}({visit(node.args[0])}, {visit(node.args[1])})"
        raise SystemExit(f"error: '{text}' has something that expressions do not have")

    node = parse(text)
    return visit(node)[1:-1] if isinstance(node, ast.Compare) else visit(node)


def to_text(text):
    """For people: `k // 2` is ⌊k/2⌋."""
    priority = {ast.Add: 1, ast.Sub: 1, ast.Mult: 2, ast.Mod: 2}

    def visit(node, outer=0):
        if isinstance(node, ast.Call) and node.func.id == "ceildiv":
            return f"⌈{visit(node.args[0], 2)}/{visit(node.args[1], 3)}⌉"
        if isinstance(node, ast.Call):
            return f"{node.func.id}({', '.join(visit(argument) for argument in node.args)})"
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.FloorDiv):
            return f"⌊{visit(node.left, 2)}/{visit(node.right, 3)}⌋"
        if isinstance(node, ast.BinOp):
            own = priority[type(node.op)]
            sign = {ast.Add: " + ", ast.Sub: " − ", ast.Mult: "·", ast.Mod: " mod "}[type(node.op)]
            inside = visit(node.left, own) + sign + visit(node.right, own + 1)
            return f"({inside})" if own < outer else inside
        if isinstance(node, ast.IfExp):
            return f"{visit(node.body)} if {visit(node.test)} else {visit(node.orelse)}"
        if isinstance(node, ast.Constant) and isinstance(node.value, bool):
            return str(node.value).lower()
        return ast.unparse(node).replace("'", "")

    return visit(parse(text))
