// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vitc/Tune/CostModel.h"

#include <opencv2/core.hpp>
#include <opencv2/ml.hpp>

#include "llvm/ADT/STLExtras.h"

#include <algorithm>

using namespace vitc::tune;

struct CostModel::Forest {
  cv::Ptr<cv::ml::RTrees> trees;
};

CostModel::CostModel() : forest(std::make_unique<Forest>()) {}
CostModel::~CostModel() = default;
CostModel::CostModel(CostModel &&) = default;

bool CostModel::isAvailable() { return true; }

bool CostModel::hasOpinion() const { return bool(forest->trees); }

void CostModel::train(llvm::ArrayRef<Features> samples,
                      llvm::ArrayRef<float> costs) {
  constexpr size_t fewest = 8;
  forest->trees.reset();
  // A forest wants differences to learn from.
  if (samples.size() < fewest || llvm::all_equal(costs))
    return;
  cv::Mat inputs(int(samples.size()), int(samples.front().size()), CV_32F);
  cv::Mat answers(int(samples.size()), 1, CV_32F);
  for (size_t i = 0; i < samples.size(); ++i) {
    std::copy(samples[i].begin(), samples[i].end(), inputs.ptr<float>(int(i)));
    answers.at<float>(int(i)) = costs[i];
  }
  // The calling thread alone: others are measuring. The seed is the same, so
  // that a session can be repeated.
  cv::setNumThreads(1);
  cv::theRNG().state = 1;
  auto trees = cv::ml::RTrees::create();
  trees->setMaxDepth(12);
  trees->setMinSampleCount(2);
  trees->setCalculateVarImportance(true);
  trees->setActiveVarCount(std::max(1, inputs.cols / 3));
  constexpr int count = 60;
  trees->setTermCriteria({cv::TermCriteria::MAX_ITER, count, 0});
  try {
    if (trees->train(inputs, cv::ml::ROW_SAMPLE, answers))
      forest->trees = trees;
  } catch (const cv::Exception &) {
    // Data that no tree can be made of: no opinion.
  }
}

float CostModel::predict(const Features &features) const {
  cv::Mat input(1, int(features.size()), CV_32F,
                const_cast<float *>(features.data()));
  return forest->trees->predict(input);
}

std::vector<double> CostModel::importance() const {
  cv::Mat shares = forest->trees->getVarImportance();
  std::vector<double> result;
  double sum = 0;
  for (int i = 0; i < int(shares.total()); ++i) {
    result.push_back(std::max(0.0f, shares.at<float>(i)));
    sum += result.back();
  }
  for (double &share : result)
    share = sum > 0 ? share / sum : 0;
  return result;
}
