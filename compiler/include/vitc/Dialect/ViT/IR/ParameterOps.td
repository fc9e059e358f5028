// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parameters, and what is computed of them when the model is compiled.

#ifndef VITC_DIALECT_VIT_IR_PARAMETEROPS_TD
#define VITC_DIALECT_VIT_IR_PARAMETEROPS_TD

include "vitc/Dialect/ViT/IR/ViTBase.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/IR/RegionKindInterface.td"

//===----------------------------------------------------------------------===//
// Parameters
//===----------------------------------------------------------------------===//

def ViT_ParameterOp : ViT_Op<"parameter", [IsolatedFromAbove, Symbol, NoRegionArguments,
                                           DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "a weight of the model, by name";
  let description = [{
    Without a body the parameter is the checkpoint's tensor of the same name. With a body it is derived: computed at compile time
    from other parameters.

    ```mlir
    vit.parameter @position : tensor<1x17x48xf32>
    vit.parameter @position.resized : tensor<1x13x48xf32> {
      %0 = vit.get @position : tensor<1x17x48xf32>
      %1 = vit.resize_position %0 from [4, 4] to [3, 4] prefix 1 : tensor<1x17x48xf32> -> tensor<1x13x48xf32>
      vit.yield %1 : tensor<1x13x48xf32>
    }
    ```

    - `parameter_c1`: a body yields one value of the parameter's type
    - `parameter_c2`: a body does not read its own parameter, nor parameters computed from it
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, TypeAttrOf<ViT_WeightTensor>:$type);
  let regions = (region MaxSizedRegion<1>:$body);
  let assemblyFormat = "$sym_name `:` $type ($body^)? attr-dict";
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    bool isDerived() { return !getBody().empty(); }
    ::mlir::RankedTensorType getTensorType() { return ::llvm::cast<::mlir::RankedTensorType>(getType()); }
  }];
  let builders = [OpBuilder<(ins "::llvm::StringRef":$name, "::mlir::RankedTensorType":$type)>];
}

def ViT_YieldOp : ViT_Op<"yield", [Pure, Terminator, HasParent<"ParameterOp">]> {
  let summary = "the value of a derived parameter";
  let arguments = (ins ViT_WeightTensor:$value);
  let assemblyFormat = "$value attr-dict `:` type($value)";
}

def ViT_GetOp : ViT_ProductFreeOp<"get", [DeclareOpInterfaceMethods<SymbolUserOpInterface>]> {
  let summary = "the value of a parameter";
  let description = [{
    - `get_c1`: the symbol names a `vit.parameter`
    - `get_c2`: the result has the parameter's type
  }];
  let arguments = (ins FlatSymbolRefAttr:$parameter);
  let results = (outs ViT_WeightTensor:$value);
  let assemblyFormat = "$parameter attr-dict `:` type($value)";
}

//===----------------------------------------------------------------------===//
// Arithmetic on parameters
//===----------------------------------------------------------------------===//

def ViT_ConstantOp : ViT_ProductFreeOp<"constant"> {
  let summary = "numbers that follow from the configuration: angles of a rotary embedding, coordinates";
  let description = [{
    - `constant_c1`: there is a value for each element of the result, in f64
  }];
  let arguments = (ins ElementsAttr:$values);
  let results = (outs ViT_Tensor:$result);
  let assemblyFormat = "$values attr-dict `:` type($result)";
  let hasVerifier = 1;
}

def ViT_ExpOp : ViT_ProductFreeOp<"exp", [SameOperandsAndResultType]> {
  let summary = "exp(min(x, limit)) of every element";
  let arguments = (ins ViT_Tensor:$input, F64Attr:$limit);
  let results = (outs ViT_Tensor:$result);
  let assemblyFormat = "$input `limit` $limit attr-dict `:` type($input)";
}

def ViT_InverseRootOp : ViT_ProductFreeOp<"inverse_root", [SameOperandsAndResultType]> {
  let summary = "1 / sqrt(x + eps) of every element";
  let arguments = (ins ViT_Tensor:$input, F64Attr:$eps);
  let results = (outs ViT_Tensor:$result);
  let assemblyFormat = "$input `eps` $eps attr-dict `:` type($input)";
}

def ViT_StandardizeOp : ViT_ProductFreeOp<"standardize", [SameOperandsAndResultType]> {
  let summary = "weight standardisation: the weights of each output with mean 0 and variance 1";
  let description = [{
    `result[o, …] = (weight[o, …] − mean_o) / sqrt(variance_o + eps)`
  }];
  let arguments = (ins ViT_Tensor:$weight, F64Attr:$eps);
  let results = (outs ViT_Tensor:$result);
  let assemblyFormat = "$weight `eps` $eps attr-dict `:` type($weight)";
}

def ViT_ScaleRowsOp : ViT_ProductFreeOp<"scale_rows", [AllTypesMatch<["tensor", "result"]>]> {
  let summary = "multiplies what belongs to each output by a number of its own";
  let description = [{
    `result[o, …] = tensor[o, …] · factors[o]`

    - `scale_rows_c1`: there is one factor for each element of the first dimension
  }];
  let arguments = (ins ViT_Tensor:$tensor, ViT_Vector:$factors);
  let results = (outs ViT_Tensor:$result);
  let assemblyFormat = "$tensor `by` $factors attr-dict `:` type($tensor) `,` type($factors)";
  let hasVerifier = 1;
}

def ViT_FillOp : ViT_ProductFreeOp<"fill"> {
  let summary = "a tensor with one value everywhere";
  let arguments = (ins F64Attr:$constant);
  let results = (outs ViT_Tensor:$result);
  let assemblyFormat = "$constant attr-dict `:` type($result)";
}

def ViT_ScaleOp : ViT_ProductFreeOp<"scale", [SameOperandsAndResultType]> {
  let summary = "multiplies every element by a number";
  let arguments = (ins ViT_Tensor:$input, F64Attr:$factor);
  let results = (outs ViT_Tensor:$result);
  let assemblyFormat = "$input `by` $factor attr-dict `:` type($input)";
}

def ViT_ScaleColumnsOp : ViT_ProductFreeOp<"scale_columns", [AllTypesMatch<["tensor", "result"]>]> {
  let summary = "multiplies what belongs to each column, the last dimension, by a number of its own";
  let description = [{
    `result[…, i] = tensor[…, i] · factors[i]`

    - `scale_columns_c1`: there is one factor for each column
  }];
  let arguments = (ins ViT_Tensor:$tensor, ViT_Vector:$factors);
  let results = (outs ViT_Tensor:$result);
  let assemblyFormat = "$tensor `by` $factors attr-dict `:` type($tensor) `,` type($factors)";
  let hasVerifier = 1;
}

#endif // VITC_DIALECT_VIT_IR_PARAMETEROPS_TD
