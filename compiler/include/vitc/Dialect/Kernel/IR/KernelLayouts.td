// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Layouts of parameters in the weights file: an attribute each. docs/WeightsFile.md is the file's.

#ifndef VITC_DIALECT_KERNEL_IR_KERNELLAYOUTS_TD
#define VITC_DIALECT_KERNEL_IR_KERNELLAYOUTS_TD

include "vitc/Dialect/Kernel/IR/KernelDialect.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/Interfaces.td"

def Kernel_LayoutInterface : AttrInterface<"LayoutInterface"> {
  let cppNamespace = "::vitc::kernel";
  let description = [{ How a parameter is laid out in the weights file. }];
  let methods = [
    InterfaceMethod<"Fails, with an error, if the layout cannot hold a parameter of the type.", "::llvm::LogicalResult", "verifyParameter",
                    (ins "::llvm::function_ref<::mlir::InFlightDiagnostic()>":$emitError, "::mlir::RankedTensorType":$parameter)>,
    InterfaceMethod<"The buffer of a parameter of the type, which the layout can hold.", "::mlir::MemRefType", "getBufferType",
                    (ins "::mlir::RankedTensorType":$parameter)>,
    InterfaceMethod<"Writes the bytes of the buffer, which are zero before.", "void", "pack",
                    (ins "const ::vitc::kernel::ParameterReader &":$reader, "::llvm::MutableArrayRef<char>":$out)>];
}

class Kernel_LayoutAttr<string name, string layout> : AttrDef<Kernel_Dialect, name, [DeclareAttrInterfaceMethods<Kernel_LayoutInterface>]> {
  let mnemonic = layout;
  let genVerifyDecl = 1;
}

def Kernel_RowsAttr : Kernel_LayoutAttr<"Rows", "rows"> {
  let summary = "rows of a fixed length";
  let description = [{
    The parameter's elements in row-major order, its last dimension as rows of `stride` floats; a row's padding is zero.

    - `rows_c1`: a row holds the parameter's last dimension
  }];
  let parameters = (ins "int64_t":$stride);
  let assemblyFormat = "`<` $stride `>`";
}

def Kernel_PanelsAttr : Kernel_LayoutAttr<"Panels", "panels"> {
  let summary = "panels of columns, as wide as a whole number of register tiles";
  let description = [{
    The parameter as a matrix [n, k] (k: all dimensions but the first), stored `[⌈n/width⌉][k][width]`, zero where n is exceeded. Of
    8-bit rows these are the bytes; `column_scales` has their scales.
  }];
  let parameters = (ins "int64_t":$width);
  let assemblyFormat = "`<` $width `>`";
}

def Kernel_DotPanelsAttr : Kernel_LayoutAttr<"DotPanels", "dot_panels"> {
  let summary = "panels whose columns hold four bytes of k side by side, for dot products";
  let description = [{
    The matrix [n, k] of bf16 or of 8-bit rows, stored `[⌈n/width⌉][⌈k/group⌉][width][group]`, zero where n or k is exceeded; a group is
    two values of bf16 or four bytes.

    - `dot_panels_c1`: the parameter is of bf16 or of 8-bit rows
  }];
  let parameters = (ins "int64_t":$width);
  let assemblyFormat = "`<` $width `>`";
}

def Kernel_ColumnScalesAttr : Kernel_LayoutAttr<"ColumnScales", "column_scales"> {
  let summary = "what undoes the scales of a matrix of bytes";
  let description = [{
    For each row of the matrix [n, k] of 8-bit rows its scale; with `sums` then for each the scale times the sum of its bytes:
    `[1 or 2][⌈n/width⌉·width]` floats, zero where n is exceeded.

    - `column_scales_c1`: the parameter has 8-bit rows
  }];
  let parameters = (ins "int64_t":$width, DefaultValuedParameter<"bool", "false">:$sums);
  let assemblyFormat = "`<` $width (`,` `sums` `=` $sums^)? `>`";
}

def Kernel_StrassenAttr : Kernel_LayoutAttr<"Strassen", "strassen"> {
  let summary = "the right operands of Strassen's seven products";
  let description = [{
    The transpose of the matrix [n, k], cut into quarters B11 B12 / B21 B22, as B12-B22, B21-B11, B11+B22, B11, B22, B11+B12 and B21+B22, stored
    `[n/2/width][7][k/2][width]`. A long k may be cut into `parts`, slices of both its halves, that are stored so one after the other.

    - `strassen_c1`: half of n is whole panels, and half of k whole parts
  }];
  let parameters = (ins "int64_t":$width, DefaultValuedParameter<"int64_t", "1">:$parts);
  let assemblyFormat = "`<` $width (`,` `parts` `=` $parts^)? `>`";
}

def Kernel_WinogradSumsAttr : Kernel_LayoutAttr<"WinogradSums", "winograd_sums"> {
  let summary = "what Winograd's inner products need of a matrix beside its panels";
  let description = [{
    A sum for each of the n rows of the matrix [n, k], zero up to a whole number of panels of `width`, and 16 floats, of which the first is the
    mean over the rows of the sum of their magnitudes. A row's sum is Σ ±y[3g]·y[3g+1] over g < 64·⌊k/192⌋, where each 32 g are added and the next
    32 subtracted.
  }];
  let parameters = (ins "int64_t":$width);
  let assemblyFormat = "`<` $width `>`";
}

#endif // VITC_DIALECT_KERNEL_IR_KERNELLAYOUTS_TD
