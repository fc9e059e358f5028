// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// A running vitc-measure: one line of JSON to it, one back.
#ifndef VITC_LIB_TUNE_MEASURECHILD_H
#define VITC_LIB_TUNE_MEASURECHILD_H

#include "vitc/Support/Error.h"
#include "llvm/Support/JSON.h"

#include <string>
#include <sys/types.h>

namespace vitc::tune {

class MeasureChild {
public:
  /// Starts the program at the first question.
  explicit MeasureChild(std::string program) : program(std::move(program)) {}
  ~MeasureChild();
  MeasureChild(const MeasureChild &) = delete;
  MeasureChild &operator=(const MeasureChild &) = delete;

  llvm::Expected<llvm::json::Object> ask(llvm::json::Object question);
  bool isAlive() const { return process > 0; }

private:
  llvm::Error start();
  void end();

  std::string program;
  pid_t process = 0;
  int questions = -1, answers = -1;
  std::string rest; ///< read, but beyond the last line
};

} // namespace vitc::tune

#endif // VITC_LIB_TUNE_MEASURECHILD_H
