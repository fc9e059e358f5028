// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// Learns from measured schedules how long others will take.
#ifndef VITC_TUNE_COSTMODEL_H
#define VITC_TUNE_COSTMODEL_H

#include "llvm/ADT/ArrayRef.h"

#include <memory>
#include <vector>

namespace vitc::tune {

using Features = std::vector<float>;

/// A random forest. Small data, mixed scales and kinks (a register too many, a
/// cache too small) are what forests are good at.
class CostModel {
public:
  CostModel();
  ~CostModel();
  CostModel(CostModel &&);

  /// False where vitc is built without OpenCV: no model ever has an opinion.
  static bool isAvailable();

  /// Forgets what it knew. Too few samples leave it without an opinion.
  void train(llvm::ArrayRef<Features> samples, llvm::ArrayRef<float> costs);
  bool hasOpinion() const;
  float predict(const Features &features) const;
  /// How much each feature contributes to the prediction; sums to 1.
  std::vector<double> importance() const;

private:
  struct Forest;
  std::unique_ptr<Forest> forest;
};

} // namespace vitc::tune

#endif // VITC_TUNE_COSTMODEL_H
