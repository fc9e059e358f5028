// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// The text of specifications, `#kernel.gemm<m = 197, n = 768, …>`, and what
/// their definitions check. The structs behind them are generated from
/// schedules/families.
#include "vitc/Dialect/Kernel/IR/Kernel.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/xxhash.h"

using namespace mlir;
using namespace vitc;
using namespace vitc::kernel;
using families::FieldInfo;
using families::FieldKind;
using families::FieldValue;

#include "vitc/Dialect/Kernel/IR/KernelInterfaces.cpp.inc"

/// The value of a field of a known kind.
static ParseResult parseValue(AsmParser &parser, FieldKind kind,
                              FieldValue &value) {
  switch (kind) {
  case FieldKind::Integer: {
    int64_t integer = 0;
    if (parser.parseInteger(integer))
      return failure();
    value.value = integer;
    return success();
  }
  case FieldKind::Number: {
    double number = 0;
    if (parser.parseFloat(number))
      return failure();
    value.value = number;
    return success();
  }
  case FieldKind::Flag:
  case FieldKind::Word: {
    StringRef word;
    SMLoc place = parser.getCurrentLocation();
    if (parser.parseKeyword(&word))
      return failure();
    if (kind == FieldKind::Word)
      value.value = word.str();
    else if (word == "true" || word == "false")
      value.value = word == "true";
    else
      return parser.emitError(place) << "expected true or false";
    return success();
  }
  case FieldKind::Integers: {
    std::vector<int64_t> integers;
    if (parser.parseCommaSeparatedList(AsmParser::Delimiter::Square, [&] {
          return parser.parseInteger(integers.emplace_back());
        }))
      return failure();
    value.value = std::move(integers);
    return success();
  }
  }
  return failure();
}

static ParseResult parseFields(AsmParser &parser, ArrayRef<FieldInfo> table,
                               families::FieldValues &values) {
  return parser.parseCommaSeparatedList([&]() -> ParseResult {
    SMLoc place = parser.getCurrentLocation();
    std::string name;
    if (parser.parseKeywordOrString(&name))
      return failure();
    const FieldInfo *field = llvm::find_if(
        table, [&](const FieldInfo &field) { return field.name == name; });
    if (field == table.end())
      return parser.emitError(place) << name << ": unknown field";
    for (const auto &before : values)
      if (before.first == name)
        return parser.emitError(place) << name << ": given twice";
    FieldValue value;
    if (parser.parseEqual() || parseValue(parser, field->kind, value))
      return failure();
    values.push_back({name, std::move(value)});
    return success();
  });
}

template <typename Spec>
static ParseResult parseSpec(AsmParser &parser, Spec &spec) {
  SMLoc place = parser.getCurrentLocation();
  families::FieldValues values;
  if (parseFields(parser, ArrayRef(Spec::fieldTable, Spec::fieldCount), values))
    return failure();
  if (auto problem = spec.read(values))
    return parser.emitError(place) << problem->name << ": " << problem->message;
  return success();
}

static void printValue(AsmPrinter &printer, const FieldValue &value) {
  if (auto *flag = std::get_if<bool>(&value.value))
    printer << (*flag ? "true" : "false");
  else if (auto *integer = std::get_if<int64_t>(&value.value))
    printer << *integer;
  else if (auto *number = std::get_if<double>(&value.value))
    printer.printFloat(llvm::APFloat(*number));
  else if (auto *word = std::get_if<std::string>(&value.value))
    printer << *word;
  else
    printer << "["
            << llvm::join(
                   llvm::map_range(std::get<std::vector<int64_t>>(value.value),
                                   [](int64_t v) { return std::to_string(v); }),
                   ", ")
            << "]";
}

template <typename Spec>
static void printSpec(AsmPrinter &printer, const Spec &spec) {
  llvm::interleaveComma(spec.write(), printer, [&](const auto &field) {
    printer << field.first << " = ";
    printValue(printer, field.second);
  });
}

static LogicalResult
verifySpec(llvm::function_ref<InFlightDiagnostic()> emitError,
           const std::optional<families::Problem> &problem) {
  if (problem) // spec_c1
    return emitError() << problem->name << ": " << problem->message;
  return success();
}

#define GET_ATTRDEF_CLASSES
#include "vitc/Dialect/Kernel/IR/KernelAttrs.cpp.inc"

void KernelDialect::registerSpecs() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "vitc/Dialect/Kernel/IR/KernelAttrs.cpp.inc"
      >();
}

/// The fields as MLIR prints a dictionary: what names of kernels are hashes of.
static DictionaryAttr dictionary(SpecInterface config) {
  Builder builder(Attribute(config).getContext());
  NamedAttrList fields;
  for (const auto &[name, field] : config.getFields()) {
    if (auto *flag = std::get_if<bool>(&field.value))
      fields.set(name, builder.getBoolAttr(*flag));
    else if (auto *integer = std::get_if<int64_t>(&field.value))
      fields.set(name, builder.getI64IntegerAttr(*integer));
    else if (auto *number = std::get_if<double>(&field.value))
      fields.set(name, builder.getF64FloatAttr(*number));
    else if (auto *word = std::get_if<std::string>(&field.value))
      fields.set(name, builder.getStringAttr(*word));
    else if (auto *list = std::get_if<std::vector<int64_t>>(&field.value))
      fields.set(name, builder.getDenseI64ArrayAttr(*list));
  }
  return fields.getDictionary(builder.getContext());
}

std::string vitc::kernel::specName(StringRef words, SpecInterface config) {
  std::string key;
  llvm::raw_string_ostream(key)
      << config.getFamily() << " " << dictionary(config);
  return (config.getFamily() + "_" + words + "_" +
          llvm::utohexstr(uint32_t(llvm::xxh3_64bits(key)), /*LowerCase=*/true))
      .str();
}
