// RUN: vitc-opt %s --vit-assign-precision --verify-diagnostics

// expected-error @+1 {{vit.precision is "int4", expected one of f32, bf16, f16, int8}}
module attributes {vit.precision = "int4"} {
}
