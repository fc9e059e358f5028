// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What passes must know of the target: an attribute of the module.

#ifndef VITC_DIALECT_KERNEL_IR_KERNELTARGET_TD
#define VITC_DIALECT_KERNEL_IR_KERNELTARGET_TD

include "vitc/Dialect/Kernel/IR/KernelDialect.td"
include "mlir/IR/AttrTypeBase.td"

def Kernel_Algorithm : I32EnumAttr<"Algorithm", "how kernels compute products", [
    I32EnumAttrCase<"Plain", 0, "plain">,
    I32EnumAttrCase<"Strassen", 1, "strassen">,
    I32EnumAttrCase<"Winograd", 2, "winograd">,
    I32EnumAttrCase<"TensorCore", 3, "tensor_core">]> {
  let cppNamespace = "::vitc::kernel";
}

def Kernel_LevelAttr : AttrDef<Kernel_Dialect, "Level"> {
  let mnemonic = "level";
  let summary = "an algorithm for the kernels of a level";
  let description = [{
    A level is an instruction set that a library has kernels for. In a target the algorithm is the one that products take where they gain by it; on an op
    (`kernel.selected`, of `vit-select-kernels`) it is the one that the op takes.
  }];
  let parameters = (ins StringRefParameter<"VITC_LEVEL's name of it">:$name, EnumParameter<Kernel_Algorithm>:$algorithm);
  let assemblyFormat = "`<` $name `,` $algorithm `>`";
}

def Kernel_TargetAttr : AttrDef<Kernel_Dialect, "Target"> {
  let mnemonic = "target";
  let summary = "what kernels are for: the module's kernel.target";
  let description = [{
    `panel` is the columns in a panel of packed weights, which all levels share.

    ```mlir
    module attributes {kernel.target = #kernel.target<panel = 32, levels = [<"avx2", strassen>, <"zen4", winograd>]>}
    ```

    - `target_c1`: a panel has between 1 and 2^20 columns
    - `target_c2`: there is a level, and none twice
  }];
  let parameters = (ins "int64_t":$panel, ArrayRefParameter<"::vitc::kernel::LevelAttr">:$levels);
  let assemblyFormat = "`<` `panel` `=` $panel `,` `levels` `=` `[` $levels `]` `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    /// Whether some level has the algorithm.
    bool offers(::vitc::kernel::Algorithm algorithm) const;
  }];
}

#endif // VITC_DIALECT_KERNEL_IR_KERNELTARGET_TD
