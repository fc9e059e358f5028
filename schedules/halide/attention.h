// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// attention: what its schedules for CPUs (attention.cpp) and for GPUs
/// (gpu/attention.cpp) have in common.
#ifndef VITC_SCHEDULES_HALIDE_ATTENTION_H
#define VITC_SCHEDULES_HALIDE_ATTENTION_H

#include "common/attention.h"
#include "kernel.h"
#include "rows.h"
#include "transpose.h"
#include "winograd.h"

#include <optional>

namespace vitc::halide {

class Attention : AttentionShape, AttentionSchedule {
public:
  Attention(const families::AttentionShape &spec, const Machine &machine);
  void readSchedule(Schedule &schedule);
  void define();
  void scheduleKeys();
  void scheduleLoops();
  void addPrefetches();
  void readGpuSchedule(Schedule &schedule);
  void scheduleOnGpu(Schedule &schedule);

  Kernel kernel;

private:
  /// Steps of the first product that share a branch.
  int stepsOfFirst() const { return divisorUpTo(headDim, 4); }
  /// Cache lines of a row of one head.
  int linesPerRow() const { return (headDim + lineFloats - 1) / lineFloats; }

  // Where the products are Winograd's: attention_winograd.cpp.
  void readWinograd(Schedule &schedule);
  int winogradBytes() const; ///< on the stack, beside weights
  void defineWinogradScores(const Operand &query);
  void addWinogradScores();
  void scheduleWinogradScores(Halide::LoopLevel blockLevel);
  void defineWinogradValues();
  void scheduleWinogradValues(Halide::LoopLevel blockLevel,
                              Halide::LoopLevel tileLevel);

  void splitQueries(Halide::Func func,
                    const std::vector<Halide::VarOrRVar> &inner);
  void splitQueriesOnGpu(Halide::Func func, Halide::Var thread,
                         const std::vector<Halide::VarOrRVar> &inner);

  const Machine &machine;
  int lanesD; ///< vectors along a head, which must not touch its neighbour

  int wholeKeys; ///< those of the computed columns that are in whole tiles
  int restRows;
  bool prefetch;
  bool winogradScores = false, winogradValues = false;

  Halide::Var d{"d"}, i{"i"}, j{"j"}, h{"h"}, b{"b"}, jp{"jp"};
  Halide::Var head{"head"}, task{"task"}, tasks{"tasks"}, ib{"ib"}, io{"io"},
      ii{"ii"};
  Halide::ImageParam q, v;
  Halide::RDom rd, rj, whole, rest;
  Halide::Func keyRows{"keyRows"}, keysT{"keysT"}, queries{"queries"},
      product{"product"}, restProduct{"restProduct"}, scores{"scores"};
  Halide::Func top{"top"}, weights{"weights"}, inverse{"inverse"}, maps{"maps"},
      mixed{"mixed"}, out{"out"};
  RowReduction most, sum;

  // Of a Winograd first product: sizes, scales and own pairs of keys and
  // queries.
  Halide::Func keySize{"keySize"}, keyPairSums{"keyPairSums"},
      queryFactor{"queryFactor"}, queryUndo{"queryUndo"},
      queryPairSums{"queryPairSums"};
  RowReduction querySize, queryOwn;
  Halide::RDom someKeys, keySteps;
  WinogradSum scoreSteps;

  // Of a Winograd second product: those of values and weights.
  Halide::Func valueSizes{"valueSizes"}, valueSize{"valueSize"},
      valuePairSums{"valuePairSums"}, weightFactor{"weightFactor"},
      weightUndo{"weightUndo"}, scaledWeights{"scaledWeights"};
  RowReduction weightPairSums;
  Halide::RDom someValues, columns, valueBlocks;
  WinogradSum valueSteps;

  std::optional<TransposedSquare> square; ///< of keys, where heads allow it
};

} // namespace vitc::halide

#endif // VITC_SCHEDULES_HALIDE_ATTENTION_H
