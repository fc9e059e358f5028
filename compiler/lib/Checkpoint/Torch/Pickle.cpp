// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// The instructions are those that Python's pickletools.py lists, protocols 2
/// to 5; torch.save writes protocol 2.
#include "Pickle.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/JSON.h"

using namespace llvm;
using namespace llvm::support::endian;

namespace vitc {

/// A ViT with its optimizer needs some 20 000; each takes about 100 bytes.
static constexpr size_t maxValues = 1'000'000;
static constexpr unsigned minProtocol = 2, maxProtocol = 5;

namespace {
class Machine {
public:
  Machine(StringRef place, StringRef bytes,
          function_ref<bool(StringRef)> isKnown)
      : place(place), bytes(bytes), isKnown(isKnown) {}
  Expected<Pickle> run();

private:
  using Kind = PickleValue::Kind;

  bool step(uint8_t opcode);
  bool integers(uint8_t opcode);
  bool strings(uint8_t opcode);
  bool containers(uint8_t opcode);
  bool memo(uint8_t opcode);
  bool calls(uint8_t opcode);

  /// The first failure stays.
  bool fail(const Twine &message) {
    if (failure.empty())
      failure = message.str();
    return false;
  }
  bool take(uint64_t count, StringRef &out) {
    if (count > bytes.size() - at)
      return fail("the pickle is cut off");
    out = bytes.substr(at, count);
    at += count;
    return true;
  }
  /// An unsigned number of 1, 2, 4 or 8 bytes.
  bool number(unsigned count, uint64_t &out) {
    StringRef raw;
    if (!take(count, raw))
      return false;
    out = 0;
    for (unsigned i = 0; i < count; ++i)
      out |= uint64_t(uint8_t(raw[i])) << (8 * i);
    return true;
  }
  bool line(StringRef &out) {
    size_t end = bytes.find('\n', at);
    if (end == StringRef::npos)
      return fail("the pickle is cut off");
    out = bytes.slice(at, end);
    at = end + 1;
    return true;
  }

  PickleValue *make(Kind kind) {
    pickle.values.emplace_back();
    pickle.values.back().kind = kind;
    return &pickle.values.back();
  }
  bool push(PickleValue *value) {
    stack.push_back(value);
    return true;
  }
  bool pushInteger(int64_t value, Kind kind = Kind::Int) {
    PickleValue *result = make(kind);
    result->integer = value;
    return push(result);
  }
  /// Elements above the last mark; nothing below it may be popped.
  size_t room() const {
    return stack.size() - (marks.empty() ? 0 : marks.back());
  }
  bool pop(PickleValue *&out) {
    if (room() == 0)
      return fail("the pickle takes a value from an empty stack");
    out = stack.back();
    stack.pop_back();
    return true;
  }
  bool popToMark(std::vector<const PickleValue *> &out) {
    if (marks.empty())
      return fail("the pickle goes back to a mark that is not there");
    out.assign(stack.begin() + marks.back(), stack.end());
    stack.resize(marks.back());
    marks.pop_back();
    return true;
  }
  bool makeTuple(unsigned count);
  bool addTo(Kind kind, ArrayRef<const PickleValue *> values);
  bool global(StringRef module, StringRef name);

  StringRef place, bytes;
  function_ref<bool(StringRef)> isKnown;
  size_t at = 0;
  std::string failure;
  Pickle pickle;
  std::vector<PickleValue *> stack;
  std::vector<size_t> marks;
  DenseMap<uint64_t, PickleValue *> memoized;
};
} // namespace

/// The opcodes by the names that pickletools gives them.
enum Opcode : uint8_t {
  MARK = '(',
  STOP = '.',
  BININT = 'J',
  BININT1 = 'K',
  BININT2 = 'M',
  NONE = 'N',
  BINPERSID = 'Q',
  REDUCE = 'R',
  BINUNICODE = 'X',
  APPEND = 'a',
  BUILD = 'b',
  GLOBAL = 'c',
  APPENDS = 'e',
  BINGET = 'h',
  LONG_BINGET = 'j',
  BINPUT = 'q',
  LONG_BINPUT = 'r',
  SETITEM = 's',
  TUPLE = 't',
  SETITEMS = 'u',
  EMPTY_TUPLE = ')',
  EMPTY_LIST = ']',
  EMPTY_DICT = '}',
  BINFLOAT = 'G',
  PROTO = 0x80,
  TUPLE1 = 0x85,
  TUPLE2 = 0x86,
  TUPLE3 = 0x87,
  NEWTRUE = 0x88,
  NEWFALSE = 0x89,
  LONG1 = 0x8a,
  SHORT_BINUNICODE = 0x8c,
  BINUNICODE8 = 0x8d,
  STACK_GLOBAL = 0x93,
  MEMOIZE = 0x94,
  FRAME = 0x95,
};

bool Machine::integers(uint8_t opcode) {
  uint64_t value = 0;
  switch (opcode) {
  case BININT:
    return number(4, value) && pushInteger(int32_t(uint32_t(value)));
  case BININT1:
    return number(1, value) && pushInteger(value);
  case BININT2:
    return number(2, value) && pushInteger(value);
  default: { // LONG1: two's complement, as short as it can be
    uint64_t count = 0;
    StringRef raw;
    if (!number(1, count) || !take(count, raw))
      return false;
    // Longer ones (a seed, say) are kept as a string: no size or count has
    // more than 64 bits, so nobody will take it for one.
    if (count > 8) {
      PickleValue *result = make(Kind::String);
      result->text = raw;
      return push(result);
    }
    for (unsigned i = 0; i < count; ++i)
      value |= uint64_t(uint8_t(raw[i])) << (8 * i);
    if (count > 0 && count < 8 && uint8_t(raw.back()) >= 0x80)
      value |= ~uint64_t(0) << (8 * count);
    return pushInteger(int64_t(value));
  }
  }
}

bool Machine::strings(uint8_t opcode) {
  unsigned lengthBytes = opcode == SHORT_BINUNICODE ? 1
                         : opcode == BINUNICODE     ? 4
                                                    : 8;
  uint64_t length = 0;
  StringRef text;
  if (!number(lengthBytes, length) || !take(length, text))
    return false;
  if (!json::isUTF8(text))
    return fail("the pickle has a string that is not UTF-8");
  PickleValue *result = make(Kind::String);
  result->text = text;
  return push(result);
}

bool Machine::makeTuple(unsigned count) {
  PickleValue *tuple = make(Kind::Tuple);
  tuple->items.resize(count);
  for (unsigned i = count; i-- > 0;) {
    PickleValue *item = nullptr;
    if (!pop(item))
      return false;
    tuple->items[i] = item;
  }
  return push(tuple);
}

/// Adds to the list, dictionary or object on top of the stack.
bool Machine::addTo(Kind kind, ArrayRef<const PickleValue *> values) {
  if (room() == 0)
    return fail("the pickle takes a value from an empty stack");
  PickleValue *target = stack.back();
  if (kind == Kind::Dict && values.size() % 2 != 0)
    return fail("the pickle sets a key without a value");
  // Ordered and counting dictionaries are made by a call first.
  std::vector<const PickleValue *> *to =
      target->kind == kind                               ? &target->items
      : target->kind == Kind::Call && kind == Kind::Dict ? &target->entries
                                                         : nullptr;
  if (!to)
    return fail("the pickle adds to a value that takes nothing");
  to->insert(to->end(), values.begin(), values.end());
  return true;
}

bool Machine::containers(uint8_t opcode) {
  std::vector<const PickleValue *> values;
  switch (opcode) {
  case EMPTY_TUPLE:
    return makeTuple(0);
  case TUPLE1:
    return makeTuple(1);
  case TUPLE2:
    return makeTuple(2);
  case TUPLE3:
    return makeTuple(3);
  case TUPLE: {
    if (!popToMark(values))
      return false;
    PickleValue *tuple = make(Kind::Tuple);
    tuple->items = std::move(values);
    return push(tuple);
  }
  case EMPTY_LIST:
    return push(make(Kind::List));
  case EMPTY_DICT:
    return push(make(Kind::Dict));
  case APPEND:
  case SETITEM: {
    PickleValue *value = nullptr, *key = nullptr;
    if (!pop(value))
      return false;
    if (opcode == APPEND)
      return addTo(Kind::List, {value});
    return pop(key) && addTo(Kind::Dict, {key, value});
  }
  default: // APPENDS, SETITEMS
    return popToMark(values) &&
           addTo(opcode == APPENDS ? Kind::List : Kind::Dict, values);
  }
}

bool Machine::memo(uint8_t opcode) {
  uint64_t key = memoized.size();
  if (opcode != MEMOIZE &&
      !number(opcode == BINGET || opcode == BINPUT ? 1 : 4, key))
    return false;
  if (opcode == BINGET || opcode == LONG_BINGET) {
    PickleValue *value = memoized.lookup(key);
    if (!value)
      return fail("the pickle refers to value " + Twine(key) +
                  ", which it has not made");
    return push(value);
  }
  if (room() == 0)
    return fail("the pickle takes a value from an empty stack");
  memoized[key] = stack.back();
  return true;
}

bool Machine::global(StringRef module, StringRef name) {
  std::string full = (module + "." + name).str();
  if (!isKnown(full))
    return fail("the pickle wants to use " + inQuotes(full) +
                ", and only tensors are read: nothing in a checkpoint is ever "
                "run. If you trust the file, save its tensors alone, with "
                "torch.save(model.state_dict(), ...) or as safetensors");
  pickle.names.push_back(std::move(full));
  PickleValue *result = make(Kind::Global);
  result->text = pickle.names.back();
  return push(result);
}

bool Machine::calls(uint8_t opcode) {
  PickleValue *first = nullptr, *second = nullptr;
  switch (opcode) {
  case GLOBAL: {
    StringRef module, name;
    return line(module) && line(name) && global(module, name);
  }
  case STACK_GLOBAL:
    if (!pop(second) || !pop(first))
      return false;
    if (first->kind != Kind::String || second->kind != Kind::String)
      return fail("the pickle names a global with something else than strings");
    return global(first->text, second->text);
  case REDUCE: {
    if (!pop(second) || !pop(first))
      return false;
    if (first->kind != Kind::Global || second->kind != Kind::Tuple)
      return fail("the pickle calls something else than a global with a tuple");
    PickleValue *call = make(Kind::Call);
    call->text = first->text;
    call->items.push_back(second); // not a copy, which could be had often
    return push(call);
  }
  case BUILD: // attributes of an object, such as a state dict's versions
    if (!pop(second))
      return false;
    if (room() == 0 || stack.back()->kind != Kind::Call)
      return fail("the pickle sets attributes of a value that has none");
    return true;
  default: { // BINPERSID
    if (!pop(first))
      return false;
    PickleValue *result = make(Kind::Persistent);
    result->items.push_back(first);
    return push(result);
  }
  }
}

bool Machine::step(uint8_t opcode) {
  uint64_t ignored = 0;
  StringRef raw;
  switch (opcode) {
  case PROTO:
    if (!number(1, ignored))
      return false;
    if (ignored < minProtocol || ignored > maxProtocol)
      return fail("the pickle's protocol is " + Twine(ignored) +
                  ", expected 2 to 5");
    return true;
  case FRAME: // a hint for buffered reading
    return number(8, ignored);
  case MARK:
    marks.push_back(stack.size());
    return true;
  case NONE:
    return push(make(Kind::None));
  case NEWTRUE:
  case NEWFALSE:
    return pushInteger(opcode == NEWTRUE, Kind::Bool);
  case BINFLOAT:
    return take(8, raw) && push(make(Kind::Float));
  case BININT:
  case BININT1:
  case BININT2:
  case LONG1:
    return integers(opcode);
  case BINUNICODE:
  case SHORT_BINUNICODE:
  case BINUNICODE8:
    return strings(opcode);
  case EMPTY_TUPLE:
  case TUPLE1:
  case TUPLE2:
  case TUPLE3:
  case TUPLE:
  case EMPTY_LIST:
  case EMPTY_DICT:
  case APPEND:
  case APPENDS:
  case SETITEM:
  case SETITEMS:
    return containers(opcode);
  case BINGET:
  case LONG_BINGET:
  case BINPUT:
  case LONG_BINPUT:
  case MEMOIZE:
    return memo(opcode);
  case GLOBAL:
  case STACK_GLOBAL:
  case REDUCE:
  case BUILD:
  case BINPERSID:
    return calls(opcode);
  default:
    return fail("the pickle has the instruction 0x" + utohexstr(opcode, true) +
                ", which no state dict of tensors needs");
  }
}

Expected<Pickle> Machine::run() {
  size_t start = 0;
  auto bad = [&](const Twine &message) {
    return userError(place, "at byte " + Twine(start) + ": " + message);
  };
  if (bytes.empty() || uint8_t(bytes[0]) != PROTO)
    return bad("not a pickle: it does not start with 0x80");
  while (true) {
    start = at;
    StringRef opcode;
    if (!take(1, opcode))
      return bad(failure);
    if (opcode[0] == STOP)
      break;
    if (!step(opcode[0]))
      return bad(failure);
    // The stack and the memo grow by references, which need no value.
    if (pickle.values.size() > maxValues || stack.size() > maxValues ||
        memoized.size() > maxValues)
      return bad("the pickle has more than " + Twine(maxValues) + " values");
  }
  if (stack.size() != 1 || !marks.empty())
    return bad("the pickle leaves " + Twine(stack.size()) +
               " values, expected one");
  pickle.value = stack.back();
  pickle.bytes = at;
  return std::move(pickle);
}

Expected<Pickle> readPickle(StringRef place, StringRef bytes,
                            function_ref<bool(StringRef)> isKnown) {
  return Machine(place, bytes, isKnown).run();
}

} // namespace vitc
