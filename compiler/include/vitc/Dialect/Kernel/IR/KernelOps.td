// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Operations of the kernel dialect.

#ifndef VITC_DIALECT_KERNEL_IR_KERNELOPS_TD
#define VITC_DIALECT_KERNEL_IR_KERNELOPS_TD

include "vitc/Dialect/Kernel/IR/KernelDialect.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "mlir/Interfaces/ViewLikeInterface.td"

class Kernel_Op<string mnemonic, list<Trait> traits = []> : Op<Kernel_Dialect, mnemonic, traits>;

def Kernel_Layout : I32EnumAttr<"Layout", "how a parameter is laid out in the weights file", [
    I32EnumAttrCase<"Rows", 0, "rows">,
    I32EnumAttrCase<"Panels", 1, "panels">,
    I32EnumAttrCase<"Strassen", 2, "strassen">,
    I32EnumAttrCase<"Pairs", 3, "pairs">]> {
  let cppNamespace = "::vitc::kernel";
}

def Kernel_SpecOp : Kernel_Op<"spec", [Symbol]> {
  let summary = "a kernel that a backend compiles";
  let description = [{
    `config` is the `spec` object of the kernel protocol: integers, floats, booleans, strings and lists of integers.
    `flops` and `bytes` are what one call must compute and move at least.

    - `spec_c1`: every value of the config is one of those
    - `spec_c2`: flops and bytes are finite and not negative
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, StrAttr:$family, DictionaryAttr:$config, F64Attr:$flops, F64Attr:$bytes);
  let assemblyFormat = "$sym_name $family $config `flops` $flops `bytes` $bytes attr-dict";
  let hasVerifier = 1;
}

def Kernel_ConstantOp : Kernel_Op<"constant", [Symbol, DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "a parameter as it stands in the weights file";
  let description = [{
    `rows`: the parameter's elements in row-major order, its last dimension as rows of the buffer (a row's padding is zero).
    `panels`: the parameter seen as a matrix [n, k] (k: all dimensions but the first), stored `[⌈n/w⌉][k][w]`, zero where n is exceeded.
    `strassen`: the matrix's transpose, cut into quarters B11 B12 / B21 B22, as the right operands of Strassen's seven products,
    B12-B22, B21-B11, B11+B22, B11, B22, B11+B12, B21+B22, stored `[n/2/w][7][k/2][w]`; a long k may be cut into parts, slices of both its halves, that are stored so one after the other.

    `pairs`: for paired products, the sums of each of the matrix's n rows (below), zero up to a whole number of panels, and 16 floats, of which the first
    is the mean over the rows of the sum of their magnitudes. A row's sum is Σ ±y[3g]·y[3g+1] over g < 64·⌊k/192⌋, where each 32 g are added and the next 32 subtracted.

    - `constant_c1`: the symbol names a parameter
    - `constant_c2`: a constant in panels has three dimensions that hold the parameter
    - `constant_c3`: a constant in rows has rows that hold the parameter's
    - `constant_c4`: the buffer is dense
    - `constant_c5`: an offset is a multiple of 64 and not negative
    - `constant_c6`: a constant for Strassen's products has four dimensions that hold the halves of the parameter's, or of equal parts of its k
    - `constant_c7`: a constant of pairs is one row that holds a sum for each of the parameter's n, and 16 floats
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, FlatSymbolRefAttr:$parameter, Kernel_Layout:$layout,
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

    Calls of branch 0 and those of branch 1 that follow them may run side by side, on a thread each: neither writes what the other reads or writes.

    A call with `images` runs once for so many images, after the function's other calls have run for each of them. Its buffers are those of the first image;
    those of the others follow, a whole workspace or a whole output further each.

    - `call_c1`: the symbol names a spec
    - `call_c2`: a branch is 0 or 1, and branch 1 follows a call with a branch
    - `call_c3`: after a call with images there are only such, with as many
  }];
  let arguments = (ins FlatSymbolRefAttr:$spec, Arg<Variadic<Kernel_Buffer>, "", [MemRead]>:$inputs,
                       Arg<Variadic<Kernel_Buffer>, "", [MemRead, MemWrite]>:$outputs, OptionalAttr<I64Attr>:$branch,
                       OptionalAttr<I64Attr>:$images);
  let assemblyFormat = [{
    $spec (`ins` `(` $inputs^ `:` type($inputs) `)`)? `outs` `(` $outputs `:` type($outputs) `)` (`branch` $branch^)? (`images` $images^)? attr-dict
  }];
  let hasVerifier = 1;
}

#endif // VITC_DIALECT_KERNEL_IR_KERNELOPS_TD
