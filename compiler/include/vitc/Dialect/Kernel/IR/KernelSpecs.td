// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Specifications of kernels: an attribute for each family that schedules/families defines.

#ifndef VITC_DIALECT_KERNEL_IR_KERNELSPECS_TD
#define VITC_DIALECT_KERNEL_IR_KERNELSPECS_TD

include "vitc/Dialect/Kernel/IR/KernelDialect.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/Interfaces.td"
include "families/Families.td"

def Kernel_SpecInterface : AttrInterface<"SpecInterface"> {
  let cppNamespace = "::vitc::kernel";
  let description = [{ What all specifications of kernels have. }];
  let methods = [
    InterfaceMethod<"The family's name in the kernel protocol.", "::llvm::StringRef", "getFamily", (ins), [{}], [{
      return std::decay_t<decltype($_attr.getSpec())>::family;
    }]>,
    InterfaceMethod<"The fields as the kernel protocol has them.", "::vitc::families::FieldValues", "getFields", (ins), [{}], [{
      return $_attr.getSpec().write();
    }]>,
    InterfaceMethod<"The arguments of the kernel's function, in its order.", "::std::vector<::vitc::families::Argument>",
                    "getArguments", (ins), [{}], [{
      return $_attr.getSpec().arguments();
    }]>];
}

def Kernel_RowwiseInterface : AttrInterface<"RowwiseInterface"> {
  let cppNamespace = "::vitc::kernel";
  let description = [{ Specifications of kernels whose rows depend on no other row, so that more rows can share a call. }];
  let methods = [
    InterfaceMethod<"Rows of a call.", "int64_t", "getRowCount", (ins), [{}], [{
      return $_attr.getSpec().rowCount();
    }]>,
    InterfaceMethod<[{
      The specification of a kernel for `rows` rows that stand `stride` elements apart in every argument with `isRows`, and that
      have the bits that they have alone; null if this kernel takes rows together.
    }], "::mlir::Attribute", "withRows", (ins "int64_t":$rows, "int64_t":$stride), [{}], [{
      auto spec = $_attr.getSpec().withRows(rows, stride);
      return spec ? ConcreteAttr::get($_attr.getContext(), *spec) : ConcreteAttr();
    }]>];
}

// The fields are a struct that the backends read, too: `vitc::families::GemmSpec`.
class Kernel_SpecAttr<Family family>
    : AttrDef<Kernel_Dialect, family.cppName # "Spec",
              !listconcat([Kernel_SpecInterface], !if(!empty(family.rowsField), []<Trait>, [Kernel_RowwiseInterface]))> {
  let mnemonic = family.name;
  let summary = "a kernel of the family " # family.name;
  let description = "The fields are those of docs/generated/KernelFamilies.md; fields that may be left out are. `spec_c1`: the "
                    "definition's bounds and rules hold.";
  let parameters = (ins AttrParameter<"::vitc::families::" # family.cppName # "Spec", "the fields">:$spec);
  let assemblyFormat = "`<` custom<Spec>($spec) `>`";
  let genVerifyDecl = 1;
  let extraClassDefinition = [{
    ::llvm::LogicalResult $cppClass::verify(::llvm::function_ref<::mlir::InFlightDiagnostic()> emitError,
                                            ::vitc::families::}] # family.cppName # [{Spec spec) {
      return verifySpec(emitError, spec.check());
    }
  }];
}

foreach family = !instances<Family>() in
  def Kernel_ # family.cppName # SpecAttr : Kernel_SpecAttr<family>;

#endif // VITC_DIALECT_KERNEL_IR_KERNELSPECS_TD
