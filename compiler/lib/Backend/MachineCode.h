// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// The instructions of an object file, with what they refer to.
#ifndef VITC_LIB_BACKEND_MACHINECODE_H
#define VITC_LIB_BACKEND_MACHINECODE_H

#include "vitc/Support/Error.h"

#include "llvm/MC/MCInst.h"
#include "llvm/MC/MCInstrDesc.h"
#include "llvm/Object/ELFObjectFile.h"

#include <map>
#include <memory>
#include <vector>

namespace vitc {

/// A place in a section.
using CodePlace = std::pair<unsigned, uint64_t>;

/// A function of the object.
struct CodeFunction {
  std::string name;
  CodePlace start;
  uint64_t size;
  bool isGlobal;
};

/// What an instruction refers to: a place in the object, or else a symbol that
/// is defined elsewhere.
struct CodeReference {
  std::optional<CodePlace> place;
  std::string symbol;
};

struct Instruction {
  uint64_t offset; ///< in the section
  uint64_t size;
  llvm::MCInst code;
  std::vector<CodeReference> references;
  std::optional<uint64_t> branchTarget; ///< in the same section
};

/// An object file of a CPU, opened for reading its instructions.
class MachineCode {
public:
  static llvm::Expected<MachineCode> open(llvm::StringRef objectPath);
  MachineCode(MachineCode &&);
  ~MachineCode();

  bool isArm() const;
  const std::vector<CodeFunction> &functions() const { return allFunctions; }
  /// All instructions of a function in the order of their addresses.
  llvm::Expected<std::vector<Instruction>>
  decode(const CodeFunction &function) const;

  const llvm::MCInstrDesc &describe(const llvm::MCInst &code) const;
  /// LLVM's name of the instruction, "SUB64ri32".
  llvm::StringRef nameOf(const llvm::MCInst &code) const;
  /// LLVM's name of a register, "RSP".
  llvm::StringRef registerName(llvm::MCRegister which) const;
  bool writesRegister(const llvm::MCInst &code, llvm::MCRegister which) const;
  /// The stack pointer.
  llvm::MCRegister stackPointer() const { return stack; }

private:
  struct Decoder; ///< LLVM's parts of a disassembler
  MachineCode();
  llvm::Error readSymbols();
  llvm::Error readRelocations();

  llvm::object::OwningBinary<llvm::object::ObjectFile> file;
  std::unique_ptr<Decoder> decoder;
  llvm::MCRegister stack;
  std::vector<CodeFunction> allFunctions;
  std::map<unsigned, llvm::StringRef> texts; ///< of sections with code
  std::map<unsigned, std::vector<llvm::object::RelocationRef>> relocations;
};

} // namespace vitc

#endif // VITC_LIB_BACKEND_MACHINECODE_H
