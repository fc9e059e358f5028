// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// The machine that schedules are tuned for.
#ifndef VITC_RECORDS_MACHINE_H
#define VITC_RECORDS_MACHINE_H

#include <string>

namespace vitc::tune {

struct Machine {
  /// What schedules depend on, and records are found by: vendor, family and
  /// model of the CPU ("GenuineIntel-6-207"), or its part number on ARM.
  std::string cpu;
  std::string
      description;  ///< for people: "Intel(R) Xeon(R) Processor, 2 cores"
  std::string host; ///< its name
};

/// This one.
const Machine &thisMachine();

/// "2026-11-17T02:14:16Z"
std::string timestamp(double secondsSince1970);

} // namespace vitc::tune

#endif // VITC_RECORDS_MACHINE_H
