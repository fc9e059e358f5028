// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operations of the kernel dialect.

#ifndef VITC_DIALECT_KERNEL_IR_KERNELOPS_TD
#define VITC_DIALECT_KERNEL_IR_KERNELOPS_TD

include "vitc/Dialect/Kernel/IR/KernelDialect.td"
include "vitc/Dialect/Kernel/IR/KernelAttrs.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/Interfaces/ViewLikeInterface.td"

class Kernel_Op<string mnemonic, list<Trait> traits = []> : Op<Kernel_Dialect, mnemonic, traits>;

def Kernel_SpecOp : Kernel_Op<"spec", [Symbol]> {
  let summary = "a kernel that a backend compiles";
  let description = [{
    `config` is the attribute of a kernel family: what the kernel protocol calls `spec`. `flops` and `bytes` are what one call
    must compute and move at least. The symbol is the family, the `words` that people read, and a hash of the config.

    - `spec_c2`: flops and bytes are finite and not negative
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, Kernel_SpecInterface:$config, StrAttr:$words, F64Attr:$flops, F64Attr:$bytes);
  let assemblyFormat = "$sym_name $config `words` $words `flops` $flops `bytes` $bytes attr-dict";
  let hasVerifier = 1;
}

def Kernel_ConstantOp : Kernel_Op<"constant", [Symbol, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "a parameter as it stands in the weights file";
  let description = [{
    The layout says how; it is an attribute with `LayoutInterface`, one of those of KernelLayouts.td.

    - `constant_c1`: the symbol names a parameter
    - `constant_c2`: the layout can hold the parameter
    - `constant_c3`: the buffer is that of the layout for the parameter
    - `constant_c4`: an offset is a multiple of 64 and not negative
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, FlatSymbolRefAttr:$parameter, Kernel_LayoutInterface:$layout,
                       TypeAttrOf<Kernel_Buffer>:$type, OptionalAttr<I64Attr>:$offset);
  let assemblyFormat = "$sym_name $layout `of` $parameter `:` $type (`at` $offset^)? attr-dict";
  let extraClassDeclaration = [{
    ::mlir::MemRefType getBufferType() { return ::llvm::cast<::mlir::MemRefType>(getType()); }
  }];
}

def Kernel_WeightOp : Kernel_Op<"weight", [Pure, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "the buffer of a constant";
  let description = [{
    - `weight_c1`: the symbol names a constant of the result's type
  }];
  let arguments = (ins FlatSymbolRefAttr:$constant);
  let results = (outs Kernel_Buffer:$buffer);
  let assemblyFormat = "$constant attr-dict `:` type($buffer)";
}

def Kernel_AllocOp : Kernel_Op<"alloc"> {
  let summary = "a part of the workspace";
  let description = [{
    Without `offset` the buffer is not placed yet.

    - `alloc_c1`: an offset is a multiple of 64 and not negative
    - `alloc_c2`: the buffer starts at its first element and its strides do not overlap
  }];
  let arguments = (ins OptionalAttr<I64Attr>:$offset);
  let results = (outs Res<Kernel_Buffer, "", [MemAlloc]>:$buffer);
  let assemblyFormat = "(`at` $offset^)? attr-dict `:` type($buffer)";
  let hasVerifier = 1;
}

def Kernel_ViewOp : Kernel_Op<"view", [Pure, DeclareOpInterfaceMethods<ViewLikeOpInterface>]> {
  let summary = "a part of a buffer, or the same memory under another shape";
  let description = [{
    The result's type has the offset (in elements of the source's memory) and strides.

    - `view_c1`: the view stays inside its source
  }];
  let arguments = (ins Kernel_Buffer:$source);
  let results = (outs Kernel_Buffer:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
}

def Kernel_CallOp : Kernel_Op<"call", [AttrSizedOperandSegments, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "runs a kernel";
  let description = [{
    Inputs are read, outputs are written (and may be read); all go to the kernel as pointers, inputs first. The location names the layer.

    Calls of branch 0 and those of branch 1 that follow them may run concurrently, on a thread each: neither writes what the other reads or writes.

    A call with `images` runs once for so many images, after the function's other calls have run for each of them. Its buffers are those of the first image;
    those of the others follow, a whole workspace further each. Among such calls, one with `images 1` runs for each of these images that a run was given.

    A call with `levels` is one of the libraries' code for these levels alone: where levels want different kernels, one or the other call runs.

    - `call_c1`: the symbol names a spec
    - `call_c4`: inputs and outputs are as many as the family's arguments, have their element types and hold their elements
    - `call_c2`: a branch is 0 or 1, and branch 1 follows a call with a branch
    - `call_c3`: after a call with images there are only such, with as many or with 1
    - `call_c5`: levels are names, one or more, and none twice
  }];
  let arguments = (ins FlatSymbolRefAttr:$spec, Arg<Variadic<Kernel_Buffer>, "", [MemRead]>:$inputs,
                       Arg<Variadic<Kernel_Buffer>, "", [MemRead, MemWrite]>:$outputs, OptionalAttr<I64Attr>:$branch,
                       OptionalAttr<I64Attr>:$images, OptionalAttr<StrArrayAttr>:$levels);
  let assemblyFormat = [{
    $spec (`ins` `(` $inputs^ `:` type($inputs) `)`)? `outs` `(` $outputs `:` type($outputs) `)` (`branch` $branch^)? (`images` $images^)? (`levels` $levels^)? attr-dict
  }];
  let hasVerifier = 1;
}

#endif // VITC_DIALECT_KERNEL_IR_KERNELOPS_TD
