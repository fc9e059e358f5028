// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vitc/Backend/StackUse.h"

#include "MachineCode.h"
#include "StackPointer.h"

using namespace vitc;

/// x86-64's functions may use so much below the stack pointer if they call
/// nobody.
static constexpr int64_t redZone = 128;

/// Reads the functions of one object.
class StackUse::Reader {
public:
  Reader(StackUse &all, const MachineCode &machine, size_t object)
      : all(all), machine(machine), object(object) {}

  llvm::Error read();

private:
  llvm::Error readFunction(const CodeFunction &function,
                           StackUse::Function &result);
  void addReferences(const CodeFunction &function,
                     const Instruction &instruction, int64_t depth,
                     StackUse::Function &result);
  std::optional<StackUse::Target> targetOf(const CodeReference &reference);
  bool isIn(const CodeFunction &function, const CodePlace &place) const {
    return place.first == function.start.first &&
           place.second >= function.start.second &&
           place.second < function.start.second + function.size;
  }

  StackUse &all;
  const MachineCode &machine;
  size_t object;
  std::map<CodePlace, size_t> starts; ///< where functions are
};

llvm::Error StackUse::Reader::read() {
  std::vector<const CodeFunction *> read;
  for (const CodeFunction &function : machine.functions()) {
    // Several names may stand for one function.
    auto [it, isNew] = starts.insert({function.start, all.functions.size()});
    if (isNew) {
      all.functions.push_back({function.name, object, 0, {}, {}, {}});
      read.push_back(&function);
    }
    if (function.isGlobal)
      all.globals.insert({function.name, it->second});
  }
  for (const CodeFunction *function : read) {
    StackUse::Function &result = all.functions[starts.at(function->start)];
    if (llvm::Error error = readFunction(*function, result))
      return llvm::createStringError(
          "the stack that " + function->name +
          " needs is not known: " + llvm::toString(std::move(error)));
  }
  return llvm::Error::success();
}

/// The function that a reference names. What another object defines is only
/// known by its name, whether it is a function or not.
std::optional<StackUse::Target>
StackUse::Reader::targetOf(const CodeReference &reference) {
  if (!reference.place)
    return StackUse::Target{std::nullopt, reference.symbol};
  auto it = starts.find(*reference.place);
  if (it == starts.end())
    return std::nullopt;
  return StackUse::Target{it->second, ""};
}

/// A function is called, jumped to, or its address is taken.
void StackUse::Reader::addReferences(const CodeFunction &function,
                                     const Instruction &instruction,
                                     int64_t depth,
                                     StackUse::Function &result) {
  const llvm::MCInstrDesc &about = machine.describe(instruction.code);
  std::vector<CodeReference> references = instruction.references;
  unsigned section = function.start.first;
  if (instruction.branchTarget)
    references.push_back({CodePlace(section, *instruction.branchTarget), ""});
  // The address of a function in the same section needs no relocation.
  llvm::StringRef name = machine.nameOf(instruction.code);
  const llvm::MCInst &code = instruction.code;
  uint64_t next = instruction.offset + instruction.size;
  if (references.empty() && name == "LEA64r" && code.getOperand(4).isImm() &&
      machine.registerName(code.getOperand(1).getReg()) == "RIP")
    references.push_back(
        {CodePlace(section, next + uint64_t(code.getOperand(4).getImm())), ""});
  if (references.empty() && name == "ADR" && code.getOperand(1).isImm())
    references.push_back(
        {CodePlace(section,
                   instruction.offset + uint64_t(code.getOperand(1).getImm())),
         ""});
  for (const CodeReference &reference : references) {
    bool isCall = about.isCall();
    if (!isCall && reference.place && isIn(function, *reference.place) &&
        reference.place->second != function.start.second)
      continue; // a branch of its own
    std::optional<StackUse::Target> target = targetOf(reference);
    if (!target)
      continue; // data, or a part of another function that it was split from
    if (isCall || about.isBranch())
      result.calls.push_back({*target, depth});
    else if (!(target->function &&
               *target->function == starts.at(function.start)))
      result.references.push_back(*target);
  }
}

llvm::Error StackUse::Reader::readFunction(const CodeFunction &function,
                                           StackUse::Function &result) {
  llvm::Expected<std::vector<Instruction>> instructions =
      machine.decode(function);
  if (!instructions)
    return instructions.takeError();
  std::map<uint64_t, StackState> known; // where jumps from above arrive
  llvm::DenseMap<uint64_t, int64_t> depths;
  StackState state = stateAtEntry(machine), deepest = state;
  bool reached = true; // from the instruction before
  bool assumed = false;
  for (auto [index, instruction] : llvm::enumerate(*instructions)) {
    const llvm::MCInstrDesc &about = machine.describe(instruction.code);
    bool returnsNext =
        index + 1 < instructions->size() &&
        machine.describe((*instructions)[index + 1].code).isReturn();
    auto jumpedTo = known.find(instruction.offset);
    if (jumpedTo != known.end()) {
      if (reached)
        state.join(jumpedTo->second);
      else
        state = jumpedTo->second;
      assumed = assumed && reached;
    } else if (!reached) {
      // Only from below, or through a table of addresses.
      state = deepest;
      assumed = true;
    }
    depths[instruction.offset] = state.depth;
    addReferences(function, instruction, state.depth, result);
    reached = !about.isBarrier() && !about.isReturn();
    bool leaves = about.isCall() || about.isReturn();
    if (!leaves)
      if (llvm::Error error =
              advance(state, instruction.code, returnsNext, machine))
        return error;
    if (state.depth > deepest.depth)
      deepest = state;
    if (!instruction.branchTarget || about.isCall())
      continue;
    uint64_t target = *instruction.branchTarget;
    if (target > instruction.offset) {
      auto [it, isNew] = known.insert({target, state});
      if (!isNew)
        it->second.join(state);
    } else if (auto it = depths.find(target);
               !assumed && it != depths.end() && state.depth > it->second) {
      return llvm::createStringError("it grows in a loop");
    }
  }
  bool callsNobody = llvm::none_of(*instructions, [&](const Instruction &one) {
    return machine.describe(one.code).isCall();
  });
  result.frame = deepest.depth;
  if (!machine.isArm() && callsNobody)
    result.frame += redZone;
  return llvm::Error::success();
}

llvm::Expected<size_t> StackUse::add(llvm::StringRef objectPath) {
  llvm::Expected<MachineCode> machine = MachineCode::open(objectPath);
  if (!machine)
    return machine.takeError();
  size_t object = objects++;
  if (llvm::Error error = Reader(*this, *machine, object).read())
    return error;
  return object;
}

llvm::Expected<int64_t> StackUse::boundOf(const Target &target) {
  std::optional<size_t> index = target.function;
  if (!index) {
    auto it = globals.find(target.name);
    if (it == globals.end())
      return 0;
    index = it->second;
  }
  if (functions[*index].bound)
    return *functions[*index].bound;
  if (functions[*index].visiting)
    return llvm::createStringError(
        "the stack that " + functions[*index].name +
        " needs is not known: the function calls itself");
  Function &function = functions[*index];
  function.visiting = true;
  int64_t own = function.frame, referred = 0;
  for (const Call &call : function.calls) {
    llvm::Expected<int64_t> bound = boundOf(call.target);
    if (!bound)
      return bound.takeError();
    own = std::max(own, call.depth + *bound);
  }
  for (const Target &reference : function.references) {
    llvm::Expected<int64_t> bound = boundOf(reference);
    if (!bound)
      return bound.takeError();
    referred = std::max(referred, *bound);
  }
  function.visiting = false;
  function.bound = own + referred;
  return *function.bound;
}

llvm::Expected<uint64_t> StackUse::ofFunction(llvm::StringRef name) {
  llvm::Expected<int64_t> bound = boundOf({std::nullopt, name.str()});
  if (!bound)
    return bound.takeError();
  return uint64_t(*bound);
}

llvm::Expected<uint64_t> StackUse::ofObject(size_t object) {
  int64_t most = 0;
  for (size_t i = 0; i < functions.size(); ++i) {
    if (functions[i].object != object)
      continue;
    llvm::Expected<int64_t> bound = boundOf({i, ""});
    if (!bound)
      return bound.takeError();
    most = std::max(most, *bound);
  }
  return uint64_t(most);
}
