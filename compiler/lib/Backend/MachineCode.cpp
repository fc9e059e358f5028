// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "MachineCode.h"

#include "llvm/MC/MCAsmInfo.h"
#include "llvm/MC/MCContext.h"
#include "llvm/MC/MCDisassembler/MCDisassembler.h"
#include "llvm/MC/MCInstrAnalysis.h"
#include "llvm/MC/MCInstrInfo.h"
#include "llvm/MC/MCRegisterInfo.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/MCTargetOptions.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Support/TargetSelect.h"

using namespace vitc;
using namespace llvm::object;

struct MachineCode::Decoder {
  llvm::Triple triple;
  std::unique_ptr<llvm::MCRegisterInfo> registers;
  std::unique_ptr<llvm::MCAsmInfo> assembler;
  std::unique_ptr<llvm::MCSubtargetInfo> features;
  std::unique_ptr<llvm::MCInstrInfo> instructions;
  std::unique_ptr<llvm::MCContext> context;
  std::unique_ptr<llvm::MCDisassembler> disassembler;
  std::unique_ptr<llvm::MCInstrAnalysis> analysis;
};

MachineCode::MachineCode() = default;
MachineCode::MachineCode(MachineCode &&) = default;
MachineCode::~MachineCode() = default;

static void initialiseTargets() {
  static const bool once = [] {
    LLVMInitializeX86TargetInfo();
    LLVMInitializeX86TargetMC();
    LLVMInitializeX86Disassembler();
    LLVMInitializeAArch64TargetInfo();
    LLVMInitializeAArch64TargetMC();
    LLVMInitializeAArch64Disassembler();
    return true;
  }();
  (void)once;
}

llvm::Expected<MachineCode> MachineCode::open(llvm::StringRef objectPath) {
  initialiseTargets();
  MachineCode code;
  auto opened = ObjectFile::createObjectFile(objectPath);
  if (!opened)
    return userError(objectPath, "not an object file: " +
                                     llvm::toString(opened.takeError()));
  code.file = std::move(*opened);
  code.decoder = std::make_unique<Decoder>();
  Decoder &decoder = *code.decoder;
  decoder.triple = code.file.getBinary()->makeTriple();
  std::string message;
  const llvm::Target *target =
      llvm::TargetRegistry::lookupTarget(decoder.triple, message);
  if (!target || !code.file.getBinary()->isELF() ||
      !(decoder.triple.isX86() || decoder.triple.isAArch64()))
    return userError(objectPath, "not an ELF object for x86-64 or AArch64");
  // ARM's disassembler knows only what it is told of; x86's knows everything.
  const char *features = decoder.triple.isAArch64() ? "+all" : "";
  decoder.registers.reset(target->createMCRegInfo(decoder.triple));
  decoder.assembler.reset(
      target->createMCAsmInfo(*decoder.registers, decoder.triple, {}));
  decoder.features.reset(
      target->createMCSubtargetInfo(decoder.triple, "", features));
  decoder.instructions.reset(target->createMCInstrInfo());
  decoder.context = std::make_unique<llvm::MCContext>(
      decoder.triple, decoder.assembler.get(), decoder.registers.get(),
      decoder.features.get());
  decoder.disassembler.reset(
      target->createMCDisassembler(*decoder.features, *decoder.context));
  decoder.analysis.reset(
      target->createMCInstrAnalysis(decoder.instructions.get()));
  llvm::StringRef stackName = code.isArm() ? "SP" : "RSP";
  for (unsigned i = 1; i < decoder.registers->getNumRegs(); ++i)
    if (stackName == decoder.registers->getName(i))
      code.stack = i;
  if (llvm::Error error = code.readSymbols())
    return error;
  if (llvm::Error error = code.readRelocations())
    return error;
  return code;
}

llvm::Error MachineCode::readSymbols() {
  for (const SectionRef &section : file.getBinary()->sections()) {
    if (!section.isText())
      continue;
    llvm::Expected<llvm::StringRef> contents = section.getContents();
    if (!contents)
      return contents.takeError();
    texts[section.getIndex()] = *contents;
  }
  for (const ELFSymbolRef symbol :
       llvm::cast<ELFObjectFileBase>(file.getBinary())->symbols()) {
    if (symbol.getELFType() != llvm::ELF::STT_FUNC)
      continue;
    llvm::Expected<section_iterator> section = symbol.getSection();
    if (!section)
      return section.takeError();
    if (*section == file.getBinary()->section_end()) // defined elsewhere
      continue;
    llvm::Expected<llvm::StringRef> name = symbol.getName();
    if (!name)
      return name.takeError();
    llvm::Expected<uint64_t> value = symbol.getValue();
    if (!value)
      return value.takeError();
    allFunctions.push_back({name->str(),
                            {(*section)->getIndex(), *value},
                            symbol.getSize(),
                            symbol.getBinding() != llvm::ELF::STB_LOCAL});
  }
  return llvm::Error::success();
}

llvm::Error MachineCode::readRelocations() {
  for (const SectionRef &section : file.getBinary()->sections()) {
    llvm::Expected<section_iterator> of = section.getRelocatedSection();
    if (!of)
      return of.takeError();
    if (*of == file.getBinary()->section_end() || !(*of)->isText())
      continue;
    std::vector<RelocationRef> &all = relocations[(*of)->getIndex()];
    for (const RelocationRef &relocation : section.relocations())
      all.push_back(relocation);
    llvm::sort(all, [](const RelocationRef &a, const RelocationRef &b) {
      return a.getOffset() < b.getOffset();
    });
  }
  return llvm::Error::success();
}

/// What a relocation inside an instruction that ends at `end` names. On x86 it
/// counts from there, which the addend makes up for.
static llvm::Expected<CodeReference> resolve(const RelocationRef &relocation,
                                             const ObjectFile &file,
                                             uint64_t end, bool countsFromEnd) {
  CodeReference reference;
  symbol_iterator symbol = relocation.getSymbol();
  if (symbol == file.symbol_end())
    return reference;
  llvm::Expected<llvm::StringRef> name = symbol->getName();
  if (!name)
    return name.takeError();
  llvm::Expected<section_iterator> section = symbol->getSection();
  if (!section)
    return section.takeError();
  reference.symbol = name->str();
  if (*section == file.section_end())
    return reference;
  llvm::Expected<uint64_t> value = symbol->getValue();
  if (!value)
    return value.takeError();
  llvm::Expected<int64_t> addend = ELFRelocationRef(relocation).getAddend();
  if (!addend)
    return addend.takeError();
  uint64_t offset = *value + uint64_t(*addend);
  if (countsFromEnd)
    offset += end - relocation.getOffset();
  reference.place = CodePlace((*section)->getIndex(), offset);
  return reference;
}

llvm::Expected<std::vector<Instruction>>
MachineCode::decode(const CodeFunction &function) const {
  auto [section, start] = function.start;
  llvm::StringRef text = texts.at(section);
  llvm::ArrayRef<uint8_t> bytes = llvm::arrayRefFromStringRef(text);
  uint64_t end = std::min<uint64_t>(start + function.size, text.size());
  static const std::vector<RelocationRef> none;
  auto found = relocations.find(section);
  const auto &all = found == relocations.end() ? none : found->second;
  auto relocation = llvm::lower_bound(
      all, start, [](const RelocationRef &a, uint64_t offset) {
        return a.getOffset() < offset;
      });

  std::vector<Instruction> result;
  for (uint64_t offset = start; offset < end;) {
    Instruction instruction{offset, 0, {}, {}, {}};
    if (decoder->disassembler->getInstruction(
            instruction.code, instruction.size, bytes.slice(offset), offset,
            llvm::nulls()) == llvm::MCDisassembler::Fail ||
        instruction.size == 0)
      return llvm::createStringError("an instruction of " + function.name +
                                     " cannot be decoded");
    offset += instruction.size;
    for (; relocation != all.end() && relocation->getOffset() < offset;
         ++relocation) {
      llvm::Expected<CodeReference> reference =
          resolve(*relocation, *file.getBinary(), offset, !isArm());
      if (!reference)
        return reference.takeError();
      instruction.references.push_back(std::move(*reference));
    }
    uint64_t target = 0;
    if (instruction.references.empty() &&
        decoder->analysis->evaluateBranch(instruction.code, instruction.offset,
                                          instruction.size, target))
      instruction.branchTarget = target;
    result.push_back(std::move(instruction));
  }
  return result;
}

bool MachineCode::isArm() const { return decoder->triple.isAArch64(); }

const llvm::MCInstrDesc &MachineCode::describe(const llvm::MCInst &code) const {
  return decoder->instructions->get(code.getOpcode());
}

llvm::StringRef MachineCode::nameOf(const llvm::MCInst &code) const {
  return decoder->instructions->getName(code.getOpcode());
}

llvm::StringRef MachineCode::registerName(llvm::MCRegister which) const {
  return decoder->registers->getName(which);
}

bool MachineCode::writesRegister(const llvm::MCInst &code,
                                 llvm::MCRegister which) const {
  return describe(code).hasDefOfPhysReg(code, which, *decoder->registers);
}
