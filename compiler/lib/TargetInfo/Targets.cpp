// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vitc/TargetInfo/Targets.h"

#include "llvm/ADT/StringExtras.h"

#include <numeric>

using namespace vitc;
using targetinfo::NamedTarget;

/// One copy of the weights serves all levels.
static int64_t panelFor(llvm::ArrayRef<Level> levels) {
  int64_t panel = 1;
  for (const Level &level : levels)
    panel = std::lcm(panel, int64_t(level.tile.columns));
  return panel;
}

static llvm::StringLiteral folderOf(targetinfo::Device device) {
  switch (device) {
  case targetinfo::Device::None:
    return "";
  case targetinfo::Device::Cuda:
    return "cuda";
  case targetinfo::Device::OpenCl:
    return "opencl";
  }
  llvm_unreachable("unknown device");
}

static Target targetOf(const NamedTarget &named) {
  Target target;
  target.name = named.name;
  target.summary = named.summary;
  for (const Level *level : named.levels)
    if (level)
      target.levels.push_back(*level);
  const Level &first = target.levels.front();
  target.architecture = first.architecture;
  target.panel = panelFor(target.levels);
  target.device = folderOf(first.device);
  target.deviceLevel = first.deviceLevel;
  return target;
}

llvm::ArrayRef<Target> vitc::targets() {
  static const std::vector<Target> known(
      llvm::map_iterator(std::begin(targetinfo::namedTargets), targetOf),
      llvm::map_iterator(std::end(targetinfo::namedTargets), targetOf));
  return known;
}

/// One of the table, or the host's.
static llvm::Expected<const Target *> findOne(llvm::StringRef name) {
  if (name == "host")
    return hostTarget();
  std::vector<llvm::StringRef> names = {"host"};
  for (const Target &target : targets()) {
    if (target.name == name)
      return &target;
    names.push_back(target.name);
  }
  return userError("--target " + name +
                   ": no such target in this build; known are " +
                   llvm::join(names, ", "));
}

/// One library with the levels of both.
static llvm::Expected<Target> joined(const Target &left, const Target &right) {
  if (left.architecture != right.architecture || !left.device.empty() ||
      !right.device.empty())
    return userError("--target " + left.name + " and " + right.name +
                     " cannot share a library: that takes CPUs of one "
                     "architecture; compile once for each");
  auto has = [](const Target &target, const Level &level) {
    return llvm::any_of(target.levels, [&](const Level &other) {
      return other.name == level.name;
    });
  };
  Target both = left;
  both.name += "+" + right.name;
  both.summary += "; " + right.summary;
  both.levels.clear();
  for (const Level *level : targetinfo::levels)
    if (has(left, *level) || has(right, *level))
      both.levels.push_back(*level);
  both.panel = panelFor(both.levels);
  return both;
}

const Level &Target::kernelsFor(const Level &level, ElementType type) const {
  for (const Level &other : levels)
    if (shareKernels(other, level, type))
      return other;
  return level;
}

llvm::Expected<Target> vitc::findTarget(llvm::StringRef names) {
  llvm::SmallVector<llvm::StringRef> parts;
  names.split(parts, '+');
  llvm::SmallVector<const Target *> found;
  for (llvm::StringRef part : parts) {
    llvm::Expected<const Target *> one = findOne(part);
    if (!one)
      return one.takeError();
    if (!llvm::is_contained(found, *one))
      found.push_back(*one);
  }
  Target target = *found.front();
  for (const Target *other : llvm::ArrayRef(found).drop_front()) {
    llvm::Expected<Target> both = joined(target, *other);
    if (!both)
      return both.takeError();
    target = std::move(*both);
  }
  return target;
}

llvm::StringRef vitc::kernelTarget(const Level &level, ElementType type) {
  return targetinfo::kernelsFor(level, type).kernelTarget;
}

std::string vitc::runtimeFeatures(const Level &level) {
  std::string text;
  for (const targetinfo::FeatureInfo &info : targetinfo::allFeatures)
    if (level.features.contains(info.set))
      text += (text.empty() ? "" : " | ") +
              ("vitc::rt::cpu::" + llvm::Twine(info.id)).str();
  return text.empty() ? "vitc::rt::cpu::Baseline" : text;
}
