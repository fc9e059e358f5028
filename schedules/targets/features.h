// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// What processors may have beyond their architecture's baseline. The list is
/// the runtime's, which checks it; see cpu_features.def.
#ifndef VITC_SCHEDULES_TARGETS_FEATURES_H
#define VITC_SCHEDULES_TARGETS_FEATURES_H

#include <cstdint>
#include <string_view>

namespace vitc::targetinfo {

/// What a kernel's operands are made of: the runtime's list, which is part of
/// the ABI.
enum class ElementType {
#define VITC_ELEMENT_TYPE(Id, NAME, Number, ...) Id = Number,
#include "../../runtime/include/vitc/runtime/element_types.def"
};

constexpr int bytesOf(ElementType type) {
  switch (type) {
#define VITC_ELEMENT_TYPE(Id, NAME, Number, Bytes, ...)                        \
  case ElementType::Id:                                                        \
    return Bytes;
#include "../../runtime/include/vitc/runtime/element_types.def"
  }
  return 0;
}

enum class Isa { X86, Arm };

/// A set of features: those of `feature`, joined by `|`.
struct Features {
  uint64_t bits = 0;

  constexpr Features operator|(Features other) const {
    return {bits | other.bits};
  }
  constexpr bool contains(Features other) const {
    return (bits & other.bits) == other.bits;
  }
  constexpr bool operator==(Features other) const { return bits == other.bits; }
};

/// One feature.
struct FeatureInfo {
  std::string_view id;        ///< in C++: the runtime's and that of `feature`
  std::string_view name;      ///< as LLVM spells it
  std::string_view linuxName; ///< in /proc/cpuinfo; empty for a vendor's
  Isa isa;
  uint32_t serves; ///< a bit for each ElementType whose kernels it changes
  Features set;    ///< this feature alone
};

namespace detail {
enum Number : int {
#define VITC_X86_FEATURE(Id, ...) numberOf##Id,
#define VITC_X86_VENDOR(Id, ...) numberOf##Id,
#define VITC_ARM_FEATURE(Id, ...) numberOf##Id,
#include "../../runtime/include/vitc/runtime/cpu_features.def"
};

namespace serves {
constexpr uint32_t Every = ~0u;
constexpr uint32_t F32 = 1u << int(ElementType::F32),
                   F16 = 1u << int(ElementType::F16),
                   Bf16 = 1u << int(ElementType::Bf16),
                   I8 = 1u << int(ElementType::I8);
} // namespace serves
} // namespace detail

namespace feature {
#define VITC_FEATURE(Id)                                                       \
  inline constexpr Features Id = {uint64_t(1) << detail::numberOf##Id};
#define VITC_X86_FEATURE(Id, ...) VITC_FEATURE(Id)
#define VITC_X86_VENDOR(Id, ...) VITC_FEATURE(Id)
#define VITC_ARM_FEATURE(Id, ...) VITC_FEATURE(Id)
#include "../../runtime/include/vitc/runtime/cpu_features.def"
#undef VITC_FEATURE
} // namespace feature

/// Every feature, in the order of its bit.
inline constexpr FeatureInfo allFeatures[] = {
#define VITC_X86_FEATURE(Id, Name, LinuxName, Serves, ...)                     \
  {#Id, Name, LinuxName, Isa::X86, detail::serves::Serves, feature::Id},
#define VITC_X86_VENDOR(Id, Name, Serves, ...)                                 \
  {#Id, Name, "", Isa::X86, detail::serves::Serves, feature::Id},
#define VITC_ARM_FEATURE(Id, Name, LinuxName, Serves, ...)                     \
  {#Id, Name, LinuxName, Isa::Arm, detail::serves::Serves, feature::Id},
#include "../../runtime/include/vitc/runtime/cpu_features.def"
};

/// Those of `features` that change kernels of `type`.
constexpr Features servingFeatures(Features features, ElementType type) {
  Features serving;
  for (const FeatureInfo &info : allFeatures)
    if (features.contains(info.set) && info.serves >> int(type) & 1)
      serving = serving | info.set;
  return serving;
}

} // namespace vitc::targetinfo

#endif // VITC_SCHEDULES_TARGETS_FEATURES_H
