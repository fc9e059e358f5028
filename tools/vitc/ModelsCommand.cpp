#include "Commands.h"
llvm::Error vitc::tool::modelsCommand(const Invocation &) {
  return llvm::Error::success();
}
