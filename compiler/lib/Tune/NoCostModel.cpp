// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// In place of CostModel.cpp where vitc is built without OpenCV: nothing is
/// learnt, and the search tries children of the best in any order.
#include "vitc/Tune/CostModel.h"

using namespace vitc::tune;

struct CostModel::Forest {};

CostModel::CostModel() = default;
CostModel::~CostModel() = default;
CostModel::CostModel(CostModel &&) = default;

bool CostModel::isAvailable() { return false; }

void CostModel::train(llvm::ArrayRef<Features>, llvm::ArrayRef<float>) {}

bool CostModel::hasOpinion() const { return false; }

float CostModel::predict(const Features &) const { return 0; }

std::vector<double> CostModel::importance() const { return {}; }
