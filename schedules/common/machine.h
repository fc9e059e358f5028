// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// What the schedules need to know about a machine, from the description of its
/// level (targets/levels.h).
#ifndef VITC_SCHEDULES_COMMON_MACHINE_H
#define VITC_SCHEDULES_COMMON_MACHINE_H

#include <string>
#include <vector>

namespace vitc::schedules {

/// What runs the kernels.
enum class Api { Cpu, Cuda, OpenCl };

struct Machine {
  std::string name;  ///< vitc's name
  int lanes;         ///< floats in a vector register; on a GPU, threads that
                     ///< reduce a row side by side
  int registers;     ///< vector registers
  int tileN;         ///< columns of a register tile, where the panel allows it
  int tileRowsMax;   ///< rows of a register tile of tileN columns
  int strassenDepth; ///< steps of k of one pass of a Strassen product
  int leftFloats;    ///< of a left operand that stay in the second-level cache;
                     ///< 0: the third-level cache delivers in time
  int blockDepth;    ///< steps of k of one pass of a product with more
  int unrollK;       ///< steps of k that share a loop branch
  /// A multiply-add takes one lane of a register for all lanes: a product's
  /// left operand is loaded in vectors over k, one for each row of the tile.
  bool multipliesByLane;
  /// Vectors are added beside those that are multiplied, at no cost.
  bool hasSeparateAdders;
  /// Of 8-bit rows, a byte is signed.
  bool signedRows;
  int mostByte;     ///< the largest value of such a byte
  bool hasByteDots; ///< an instruction adds products of four bytes
  bool hasBf16Dots; ///< an instruction adds products of two bfloat16
  Api api;

  bool gpu() const { return api != Api::Cpu; }

  /// The widest vector, up to the register, that divides `extent`. Odd extents
  /// end at 1.
  int lanesFor(int extent) const;

  /// Rows of a register tile over `columns` columns made of vectors of `lanes`:
  /// as many as leave a register for each vector of the right operand and one
  /// for the left operand's broadcast; or, by lanes, two for the right operand
  /// and one for each row of the left one.
  int tileRows(int columns, int lanes) const;
};

/// The machine called `name`; throws SpecError for others.
Machine machineFor(const std::string &name);

std::vector<std::string> machineNames();

/// Every machine with what tests and tools ask about it, as a line of JSON:
/// docs/KernelProtocol.md.
std::string describeMachines();

/// Whether tasks of this size are worth handing to other threads. Waking a
/// thread costs some microseconds, in which a core does 100 to 200 thousand
/// FLOPs.
bool worthParallel(double flopsPerTask, double tasks);

} // namespace vitc::schedules

#endif // VITC_SCHEDULES_COMMON_MACHINE_H
