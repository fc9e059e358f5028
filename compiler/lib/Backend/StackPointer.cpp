// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "StackPointer.h"

using namespace vitc;
using llvm::MCInst;
using llvm::MCRegister;
using llvm::StringRef;

/// Leaves what both have.
static void intersect(std::map<unsigned, int64_t> &some,
                      const std::map<unsigned, int64_t> &others) {
  for (auto it = some.begin(); it != some.end();) {
    auto same = others.find(it->first);
    bool agrees = same != others.end() && same->second == it->second;
    it = agrees ? std::next(it) : some.erase(it);
  }
}

void StackState::join(const StackState &other) {
  depth = std::max(depth, other.depth);
  intersect(copies, other.copies);
  intersect(numbers, other.numbers);
}

StackState vitc::stateAtEntry(const MachineCode &machine) {
  return {machine.isArm() ? 0 : 8, {}, {}};
}

namespace {

/// One instruction and the state that it changes. LLVM's tables of opcodes are
/// not installed, so instructions are told by their names.
class Step {
public:
  Step(StackState &state, const MCInst &code, bool returnsNext,
       const MachineCode &machine)
      : state(state), code(code), returnsNext(returnsNext), machine(machine),
        name(machine.nameOf(code)), stack(machine.stackPointer()) {}

  /// False if the instruction is not known.
  bool onX86();
  bool onArm();

private:
  MCRegister registerAt(unsigned operand) const {
    return operand < code.getNumOperands() && code.getOperand(operand).isReg()
               ? code.getOperand(operand).getReg()
               : MCRegister();
  }
  std::optional<int64_t> valueAt(unsigned operand) const {
    if (operand >= code.getNumOperands() || !code.getOperand(operand).isImm())
      return std::nullopt;
    return code.getOperand(operand).getImm();
  }
  /// How deep the place is that a register points to, if that is known.
  std::optional<int64_t> depthOf(MCRegister which) const {
    if (which == stack)
      return state.depth;
    auto copy = state.copies.find(which.id());
    return copy == state.copies.end() ? std::nullopt
                                      : std::optional(copy->second);
  }
  void forgetWritten();
  /// Puts `to` at `depth`. The stack pointer may only be put to an unknown
  /// place right before a return, by code that had aligned it.
  bool place(MCRegister to, std::optional<int64_t> depth);
  bool moveWithWriteback();
  bool makeNumber();

  StackState &state;
  const MCInst &code;
  bool returnsNext;
  const MachineCode &machine;
  StringRef name;
  MCRegister stack;
};

} // namespace

void Step::forgetWritten() {
  unsigned written = machine.describe(code).getNumDefs();
  for (unsigned i = 0; i < written; ++i) {
    state.copies.erase(registerAt(i).id());
    state.numbers.erase(registerAt(i).id());
  }
}

bool Step::place(MCRegister to, std::optional<int64_t> depth) {
  if (to == stack) {
    state.depth = depth.value_or(state.depth);
    return depth || returnsNext;
  }
  forgetWritten();
  if (depth)
    state.copies[to.id()] = *depth;
  return true;
}

bool Step::onX86() {
  constexpr int64_t word = 8;
  MCRegister to = registerAt(0);
  if (name.starts_with("MOV64rr"))
    return place(to, depthOf(registerAt(1)));
  if (name == "LEA64r") { // to, base, scale, index, displacement
    std::optional<int64_t> base = depthOf(registerAt(1)), offset = valueAt(4);
    if (registerAt(3) || !offset)
      base = std::nullopt;
    return place(to, base ? std::optional(*base - *offset) : std::nullopt);
  }
  if (!machine.writesRegister(code, stack)) {
    forgetWritten();
    return true;
  }
  if (name.starts_with("PUSH64") || name.starts_with("PUSHF64")) {
    state.depth += word;
    return true;
  }
  if (name.starts_with("POP64") || name.starts_with("POPF64")) {
    state.depth -= word;
    forgetWritten();
    return true;
  }
  if (name == "LEAVE64") {
    for (auto [which, depth] : state.copies)
      if (machine.registerName(which) == "RBP")
        state.depth = depth - word;
    return true;
  }
  std::optional<int64_t> value = valueAt(2);
  if (to != stack || !value)
    return false;
  if (name.starts_with("SUB64ri"))
    state.depth += *value;
  else if (name.starts_with("ADD64ri"))
    state.depth -= *value;
  else if (name.starts_with("AND64ri") && *value < 0)
    state.depth += -*value - word; // at most: it was aligned to a word
  else
    return false;
  return true;
}

/// "MOVZXi X12, 5024, 0" and "MOVKXi X12, X12, 1, 16" make a number.
bool Step::makeNumber() {
  MCRegister to = registerAt(0);
  bool keeps = name == "MOVKXi";
  unsigned operand = keeps ? 2 : 1;
  auto old = state.numbers.find(to.id());
  std::optional<int64_t> value = valueAt(operand), shift = valueAt(operand + 1);
  bool known = value && shift && (!keeps || old != state.numbers.end());
  int64_t number = 0;
  if (known && keeps)
    number = old->second & ~(int64_t(0xffff) << *shift);
  forgetWritten();
  if (known)
    state.numbers[to.id()] = number | *value << *shift;
  return true;
}

/// "STPXpre SP, …, SP, -2": the amount is the last operand, of pairs in units
/// of a register's size.
bool Step::moveWithWriteback() {
  if (registerAt(0) != stack)
    return false;
  std::optional<int64_t> amount = valueAt(code.getNumOperands() - 1);
  if (!amount || !(name.ends_with("pre") || name.ends_with("post")))
    return false;
  if (name.starts_with("STP") || name.starts_with("LDP")) {
    int64_t size = llvm::StringSwitch<int64_t>(name.substr(3, 1))
                       .Cases({"W", "S"}, 4)
                       .Cases({"X", "D"}, 8)
                       .Case("Q", 16)
                       .Default(0);
    if (size == 0)
      return false;
    *amount *= size;
  } else if (!name.starts_with("STR") && !name.starts_with("LDR")) {
    return false;
  }
  state.depth -= *amount;
  return true;
}

bool Step::onArm() {
  constexpr int64_t stackAlignment = 16;
  MCRegister to = registerAt(0);
  if (name == "ADDXri" || name == "SUBXri") { // to, from, amount, shift
    std::optional<int64_t> from = depthOf(registerAt(1)), amount = valueAt(2);
    std::optional<int64_t> shift = valueAt(3);
    if (from && amount && shift) {
      int64_t bytes = *amount << (*shift & 63);
      return place(to, *from + (name == "SUBXri" ? bytes : -bytes));
    }
    return place(to, std::nullopt);
  }
  if (name == "MOVZXi" || name == "MOVKXi")
    return makeNumber();
  if (!machine.writesRegister(code, stack)) {
    forgetWritten();
    return true;
  }
  if (name == "ADDXrx64" || name == "SUBXrx64") { // to, from, number, extension
    auto number = state.numbers.find(registerAt(2).id());
    std::optional<int64_t> from = depthOf(registerAt(1)), shift = valueAt(3);
    if (to != stack || !from || number == state.numbers.end() || !shift ||
        (*shift & 7) != 0)
      return false;
    state.depth =
        name == "SUBXrx64" ? *from + number->second : *from - number->second;
    return true;
  }
  if (name == "ANDXri") {
    // A mask that clears low bits, as ARM writes it: 1, rotation, ones - 1.
    std::optional<int64_t> from = depthOf(registerAt(1)), mask = valueAt(2);
    if (to != stack || !from || !mask)
      return false;
    int64_t rotation = *mask >> 6 & 63, ones = (*mask & 63) + 1;
    if (!(*mask >> 12 & 1) || rotation != ones % 64)
      return false;
    state.depth = *from + (int64_t(1) << (64 - ones)) - stackAlignment;
    return true;
  }
  return moveWithWriteback();
}

llvm::Error vitc::advance(StackState &state, const MCInst &code,
                          bool returnsNext, const MachineCode &machine) {
  Step step(state, code, returnsNext, machine);
  if (machine.isArm() ? step.onArm() : step.onX86())
    return llvm::Error::success();
  return llvm::createStringError("moves the stack pointer by " +
                                 machine.nameOf(code) +
                                 ", whose amount is not known");
}
