// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Problem.h"

#include "vitc/Support/FamilyJson.h"

#include "llvm/ADT/bit.h"

#include <algorithm>
#include <cmath>
#include <limits>

using namespace vitc;
using namespace vitc::measure;

/// Whether a family has a reference.
template <typename Spec, typename = void>
struct HasReference : std::false_type {};
template <typename Spec>
struct HasReference<
    Spec, std::void_t<decltype(makeProblem(std::declval<const Spec &>(),
                                           std::declval<Problem &>()))>>
    : std::true_type {};

llvm::Expected<Problem> Problem::make(llvm::StringRef family,
                                      const llvm::json::Object &fields,
                                      uint64_t seed) {
  std::optional<families::AnySpec> any = families::makeSpec(family.str());
  if (!any)
    return userError("there is no family " + family);
  auto make = [&](auto &spec) -> llvm::Expected<Problem> {
    if constexpr (!HasReference<std::decay_t<decltype(spec)>>::value)
      return userError("there is no reference for the family " + family);
    else {
      if (auto problem = spec.read(fieldValues(fields)))
        return userError("spec." + problem->name + ": " + problem->message);
      if (families::widens(spec))
        return userError("there is no reference for the family " + family +
                         " with operands that are widened");
      Problem problem;
      problem.random.seed(seed);
      makeProblem(spec, problem);
      return problem;
    }
  };
  return std::visit(make, *any);
}

std::vector<std::string> Problem::families() {
  std::vector<std::string> names;
#define VITC_NAME(name)                                                        \
  if (HasReference<families::name##Spec>::value)                               \
    names.push_back(families::name##Spec::family);
  VITC_KERNEL_FAMILIES(VITC_NAME)
#undef VITC_NAME
  return names;
}

void Problem::addArguments(const std::vector<families::Argument> &list) {
  std::uniform_real_distribution<float> draw(-1, 1);
  for (const families::Argument &defined : list) {
    Argument &argument = arguments.emplace_back();
    argument.role = defined.role;
    argument.type = defined.type;
    argument.floats =
        size_t((defined.bytes() + sizeof(float) - 1) / sizeof(float));
    if (defined.role == families::Role::Output)
      argument.expected.assign(argument.floats,
                               std::numeric_limits<double>::quiet_NaN());
    if (families::isWritten(defined.role))
      continue;
    argument.values.resize(argument.floats);
    switch (defined.type) {
    case families::ElementType::Bf16:
      for (int64_t i = 0; i < defined.elements; ++i)
        elementsOf<uint16_t>(&argument)[i] = toBf16(draw(random));
      break;
    case families::ElementType::U8:
    case families::ElementType::I8:
      for (int64_t i = 0; i < defined.elements; ++i)
        elementsOf<uint8_t>(&argument)[i] = uint8_t(random());
      break;
    default:
      for (float &value : argument.values)
        value = draw(random);
    }
  }
}

float measure::fromBf16(uint16_t bits) {
  return llvm::bit_cast<float>(uint32_t(bits) << 16);
}

uint16_t measure::toBf16(float value) {
  auto bits = llvm::bit_cast<uint32_t>(value);
  return uint16_t((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

void Problem::share(Argument &argument, const Argument &other, size_t offset) {
  argument.values.clear();
  argument.floats = 0;
  argument.sharedWith = int(&other - arguments.data());
  argument.offset = offset;
}

void measure::scale(Argument &argument, double factor) {
  for (float &value : argument.values)
    value = float(value * factor);
}

const float *Problem::at(const Argument *argument) const {
  return argument->sharedWith < 0
             ? argument->values.data()
             : arguments[argument->sharedWith].values.data() + argument->offset;
}
