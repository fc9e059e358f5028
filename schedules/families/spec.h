// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// What the structs of all kernel families have in common: the values of their
/// fields as text formats have them, and the arguments of their functions. The
/// structs themselves are generated: Families.h. Nothing here throws, and
/// nothing but the standard library is needed.
#ifndef VITC_SCHEDULES_FAMILIES_SPEC_H
#define VITC_SCHEDULES_FAMILIES_SPEC_H

#include <array>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace vitc::families {

/// What is wrong with a specification: the field, or an argument whose size no
/// single field gives.
struct Problem {
  std::string name, message;
};

//===----------------------------------------------------------------------===//
// Fields
//===----------------------------------------------------------------------===//

enum class FieldKind { Integer, Number, Flag, Word, Integers };

/// A field of a family, for readers of text.
struct FieldInfo {
  const char *name;
  FieldKind kind;
  bool isSize; ///< whether it decides how long a kernel takes
};

/// A field's value as it was written. `value` is empty for anything that no
/// field can be.
struct FieldValue {
  std::variant<std::monostate, bool, int64_t, double, std::string,
               std::vector<int64_t>>
      value;
  std::string text; ///< for messages
};

using FieldValues = std::vector<std::pair<std::string, FieldValue>>;

/// Hands out values by name and complains about the first one that is missing,
/// wrong, or that nobody took.
class FieldReader {
public:
  explicit FieldReader(const FieldValues &values) : values(values) {}

  bool has(const char *name) const;
  void read(const char *name, int64_t &to);
  void read(const char *name, double &to);
  void read(const char *name, bool &to);
  /// The number of one of `words`.
  size_t readWord(const char *name, const char *const *words, size_t count);
  void readIntegers(const char *name, int64_t *to, size_t count);

  template <typename Enum, size_t Count>
  void read(const char *name, Enum &to, const char *const (&words)[Count]) {
    to = Enum(readWord(name, words, Count));
  }
  template <size_t Count>
  void read(const char *name, std::array<int64_t, Count> &to) {
    readIntegers(name, to.data(), Count);
  }
  std::optional<Problem> finish() const;

private:
  const FieldValue *take(const char *name);
  void fail(const char *name, std::string message);

  const FieldValues &values;
  std::set<std::string> taken;
  std::optional<Problem> problem;
};

/// Collects the values of fields.
class FieldWriter {
public:
  FieldValues values;

  template <typename Value>
  void write(const char *name, const Value &value) {
    values.push_back({name, FieldValue{value, ""}});
  }
  template <size_t Count>
  void write(const char *name, const std::array<int64_t, Count> &value) {
    write(name, std::vector<int64_t>(value.begin(), value.end()));
  }
  void write(const char *name, const char *word) {
    write(name, std::string(word));
  }
};

//===----------------------------------------------------------------------===//
// Arguments
//===----------------------------------------------------------------------===//

/// How an argument's elements are stored: the runtime's list.
enum class ElementType {
#define VITC_ELEMENT_TYPE(Id, NAME, Number, ...) Id = Number,
#include "../../runtime/include/vitc/runtime/element_types.def"
};
int64_t elementBytes(ElementType type);
/// What a pointer to such elements points to, in C and in C++.
const char *cType(ElementType type);
const char *toWord(ElementType type); ///< for people

enum class Role {
  Input,   ///< what the model computes
  Weight,  ///< what the weights file holds
  Scratch, ///< written by the kernel, and of no use afterwards
  Output,
};

/// Whether a kernel writes arguments of the role.
constexpr bool isWritten(Role role) {
  return role == Role::Scratch || role == Role::Output;
}

struct Argument {
  struct Dimension {
    int64_t extent, stride; ///< in elements
  };

  const char *name;
  Role role;
  ElementType type;
  std::vector<Dimension> dimensions; ///< outermost first
  int64_t elements;  ///< of the memory behind it, a last row's padding too
  int64_t alignment; ///< in bytes
  const char *mayBe; ///< the argument that may be the same memory, or null
  bool isRows;       ///< whether its rows are those that withRows() counts

  int64_t bytes() const { return elements * elementBytes(type); }
  /// From the first element to one past the last, without padding.
  int64_t span() const;
};

/// Whether some argument has fewer bits than float32.
bool hasNarrowArgument(const std::vector<Argument> &arguments);

/// Whether a specification of a family of float32 kernels has operands of fewer
/// bits, which the kernel widens.
template <typename Spec>
bool widens(const Spec &spec) {
  return hasNarrowArgument(spec.arguments()) &&
         !hasNarrowArgument(Spec().arguments());
}

//===----------------------------------------------------------------------===//
// Arithmetic of generated code. Sizes saturate, so that a product of absurd
// ones is too large rather than wrong.
//===----------------------------------------------------------------------===//

constexpr int64_t saturated = int64_t(1) << 62;

int64_t plus(int64_t a, int64_t b);
int64_t times(int64_t a, int64_t b);
inline int64_t minus(int64_t a, int64_t b) { return plus(a, -b); }
inline int64_t quotient(int64_t a, int64_t b) { return b == 0 ? 0 : a / b; }
inline int64_t remainder(int64_t a, int64_t b) { return b == 0 ? 0 : a % b; }
inline int64_t ceilDiv(int64_t a, int64_t b) {
  return quotient(plus(a, b - 1), b);
}
inline int64_t roundUp(int64_t a, int64_t b) { return times(ceilDiv(a, b), b); }
inline int64_t least(int64_t a, int64_t b) { return a < b ? a : b; }
inline int64_t most(int64_t a, int64_t b) { return a > b ? a : b; }

/// The checks of fields: each returns the first thing wrong.
std::optional<Problem> checkInteger(const char *name, int64_t value,
                                    int64_t least, int64_t most,
                                    int64_t multiple = 1);
std::optional<Problem> checkStride(const char *name, int64_t value,
                                   int64_t holds);
std::optional<Problem> checkNumber(const char *name, double value);
std::optional<Problem> checkArguments(const std::vector<Argument> &arguments);

} // namespace vitc::families

#endif // VITC_SCHEDULES_FAMILIES_SPEC_H
