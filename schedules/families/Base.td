// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The words in which kernel families are defined. A family is one record: its fields with types, defaults and bounds,
// and the arguments of its function with roles, element types, shapes and strides. `generate.py` makes the C++ structs,
// the JSON description and docs/generated/KernelFamilies.md of it, mlir-tblgen the attributes of the kernel dialect.
//
// Expressions are Python: names of fields and of quantities, integers, + - * // %, comparisons, `and or not`,
// `a if c else b`, roundup(x, multiple), ceildiv(x, y), min, max, and words in quotes.

#ifndef VITC_SCHEDULES_FAMILIES_BASE_TD
#define VITC_SCHEDULES_FAMILIES_BASE_TD

include "families/Activations.td"

//===----------------------------------------------------------------------===//
// Bounds
//===----------------------------------------------------------------------===//

// Both backends address elements with 32-bit numbers, which bounds strides and whole arguments.
defvar MostElements = 2147483647;
// Rows, columns, pixels: what loops, and the search for a divisor, run over.
defvar MostExtent = 16777216;
// Columns of a panel: backends try all divisors as tiles, and no target comes near this many.
defvar MostPanel = 1024;

//===----------------------------------------------------------------------===//
// Fields
//===----------------------------------------------------------------------===//

// A set of words, of which a field has one. In C++ an enumeration.
class Words<string summary_, list<string> words_> {
  string summary = summary_;
  list<string> words = words_;
  // Where each word is a function.
  list<Function> functions = [];
}

class Field<string name_, string kind_, string meaning_, string when_, string otherwise_> {
  string name = name_;
  // integer, number, flag, word or integers.
  string kind = kind_;
  string meaning = meaning_;
  // The field is there if, and only if, this holds.
  string when = when_;
  // Its value where it is left out; without one it must not be.
  string otherwise = otherwise_;
  int least = 0;
  int most = 0;
  // of a row stride: the elements that it must hold.
  string holds = "";
  int multiple = 1;
  // of a word
  Words words = ?;
  // of integers
  int count = 0;
  // Whether it is one of the sizes that decide how long a kernel takes.
  bit isSize = false;
}

// A count from 1 on.
class Extent<string name_, string meaning_ = "", string when_ = "", string otherwise_ = "", int most_ = MostExtent>
    : Field<name_, "integer", meaning_, when_, otherwise_> {
  let least = 1;
  let most = most_;
  let isSize = true;
}

// A count from 0 on.
class Count<string name_, string meaning_ = "", string otherwise_ = ""> : Field<name_, "integer", meaning_, "", otherwise_> {
  let most = MostExtent;
  let isSize = true;
}

// A row stride, in elements.
class Stride<string name_, string holds_, string meaning_ = "", string when_ = "", string otherwise_ = "", int multiple_ = 1>
    : Field<name_, "integer", meaning_, when_, otherwise_> {
  let least = 1;
  let most = MostElements;
  let holds = holds_;
  let multiple = multiple_;
}

// A distance between images, in elements; 0 where there is one.
class Distance<string name_, string meaning_ = ""> : Field<name_, "integer", meaning_, "", ""> {
  let most = MostElements;
}

class Flag<string name_, string meaning_ = "", string otherwise_ = ""> : Field<name_, "flag", meaning_, "", otherwise_>;

// A number that float32 can hold.
class Number<string name_, string meaning_ = ""> : Field<name_, "number", meaning_, "", "">;

class Word<string name_, Words words_, string meaning_ = "", string otherwise_ = ""> : Field<name_, "word", meaning_, "", otherwise_> {
  let words = words_;
}

class Integers<string name_, int count_, int least_, int most_, string meaning_ = ""> : Field<name_, "integers", meaning_, "", ""> {
  let count = count_;
  let least = least_;
  let most = most_;
}

// A number that several programs must agree on. Expressions know it by name, C++ as `families::name`.
class Constant<string name_, int value_, string meaning_> {
  string name = name_;
  int value = value_;
  string meaning = meaning_;
}

// What must hold beside the bounds; `{…}` in the message is an expression's value.
class Rule<string of_, string holds_, string message_> {
  string of = of_;
  string holds = holds_;
  string message = message_;
}

// A name for an expression: in C++ a method.
class Quantity<string name_, string value_, string meaning_> {
  string name = name_;
  string value = value_;
  string meaning = meaning_;
}

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

// One of runtime/include/vitc/runtime/element_types.def.
class Element<string id_> { string id = id_; }
def F32Element : Element<"F32">;
def Bf16Element : Element<"Bf16">;
def F16Element : Element<"F16">;
def I8Element : Element<"I8">;
def U8Element : Element<"U8">;

class Role<string name_> { string name = name_; }
def Input : Role<"input">;
def Weight : Role<"weight">;
// Written by the kernel, and of no use afterwards.
def Scratch : Role<"scratch">;
def Output : Role<"output">;

// `shape` and `strides` are in elements, outermost first; no strides: dense. The memory ends with the last row's padding
// if `padded`, else with the last element.
class Argument<Role role_, string name_, list<string> shape_, list<string> strides_, string note_, string when_> {
  Role role = role_;
  string name = name_;
  Element type = F32Element;
  list<string> shape = shape_;
  list<string> strides = strides_;
  bit padded = true;
  string note = note_;
  string when = when_;
  // Bytes; 0: those of an element.
  int alignment = 64;
  // The argument that may be the same memory.
  string mayBe = "";
  // The field with the stride of the family's rows, if these are rows of it.
  string rowStride = "";
}

// Rows of the family's `rowsField`.
class Rows<Role role_, string name_, string rows, string cols, string ld, string when_ = "", string mayBe_ = "", string note_ = "">
    : Argument<role_, name_, [rows, cols], [ld, "1"], note_, when_> {
  let rowStride = ld;
  let mayBe = mayBe_;
}

// The same as a part of wider rows, which may start anywhere.
class Columns<Role role_, string name_, string rows, string cols, string ld, string mayBe_ = "">
    : Rows<role_, name_, rows, cols, ld, "", mayBe_, "may be columns of a wider buffer"> {
  let alignment = 0;
}

// Rows of images that lie `distance` apart.
class Images<Role role_, string name_, string images, string distance, string rows, string cols, string ld, string when_ = "">
    : Argument<role_, name_, [images, rows, cols], [distance, ld, "1"], "", when_>;

class Dense<Role role_, string name_, list<string> shape_, string when_ = "", string note_ = "">
    : Argument<role_, name_, shape_, [], note_, when_>;

// Dense memory of a caller that knows no alignment.
class Unaligned<Role role_, string name_, list<string> shape_, string when_ = ""> : Dense<role_, name_, shape_, when_> {
  let alignment = 0;
}

// Elements at any strides, without padding.
class Strided<Role role_, string name_, list<string> shape_, list<string> strides_, string when_ = "">
    : Argument<role_, name_, shape_, strides_, "", when_> {
  let padded = false;
  let alignment = 0;
}

// A weight matrix [n][k] in panels, zero where n is exceeded.
class Panels<string name_, string n, string k, string panel>
    : Dense<Weight, name_, ["ceildiv(" # n # ", " # panel # ")", k, panel]>;

// Values of the columns, with the row's padding.
class PerColumn<string name_, string cols, string when_ = ""> : Dense<Weight, name_, ["roundup(" # cols # ", line_elements)"], when_>;

//===----------------------------------------------------------------------===//
// Families
//===----------------------------------------------------------------------===//

class Family<string name_, string cppName_> {
  string name = name_;
  string cppName = cppName_;
  // The formula, and what the tables do not say, in Markdown.
  string description = "";
  list<Field> fields = [];
  list<Quantity> quantities = [];
  list<Rule> rules = [];
  // In the order of the function's parameters: inputs and weights, then scratch and outputs.
  list<Argument> arguments = [];
  // The count of rows, if a row's result depends on no other row; more rows can then share a call.
  string rowsField = "";
  // Whether that is so for a specification, and the flag that keeps a row's bits.
  string rowwiseWhen = "True";
  string rowwiseFlag = "";
  // The backends that compile it. Each fails to link without a builder.
  list<string> backends = ["halide"];
  // Why there is nothing that vitc-measure compares its kernels with, so that they are not tuned; "" if there is. Must be said.
  string notTuned = ?;
}

//===----------------------------------------------------------------------===//
// What families share
//===----------------------------------------------------------------------===//

def MostElementsConstant : Constant<"most_elements", MostElements, "Elements of the largest argument.">;
def LineElements : Constant<"line_elements", 16,
    "Padding up to the next multiple of so many elements belongs to a row whose stride is one.">;
def LineBytes : Constant<"line_bytes", 64, "A cache line.">;
def ScratchElements : Constant<"scratch_elements", 32, "Rows of scratch hold whole vectors of every target.">;

def Activation : Words<"activation functions", !foreach(function, activationFunctions, function.word)> {
  let functions = activationFunctions;
}

// What weights are stored as, which kernels widen to float32.
def WeightFormat : Words<"formats of weights", ["f32", "f16", "bf16", "i8"]>;
defvar weightsField = Word<"weights", WeightFormat,
    "what w is stored as; it is widened to float32. `i8` has a scale for each column in `scales`", "\"f32\"">;

// The forms of a weight argument: the same shape for each format.
class Stored<string name_, list<string> shape_, string format, Element type_, string when_ = "">
    : Dense<Weight, name_, shape_, when_ # !if(!empty(when_), "", " and ") # "weights == \"" # format # "\"",
            "packed, zero where n is exceeded"> {
  let type = type_;
}

class StoredRows<string name_, string rows, string cols, string ld, string format, Element type_>
    : Rows<Weight, name_, rows, cols, ld, "weights == \"" # format # "\""> {
  let type = type_;
}

defvar panelField = Extent<"panel", "columns of a panel of packed weights", "", "", MostPanel>;

#endif // VITC_SCHEDULES_FAMILIES_BASE_TD
