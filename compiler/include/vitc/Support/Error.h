// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// User errors: the message a person sees when the input is wrong. The tool
/// exits with 1 for these and with 2 for any other.
#ifndef VITC_SUPPORT_ERROR_H
#define VITC_SUPPORT_ERROR_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Error.h"

#include <string>

namespace vitc {

/// Lower case, no full stop, names the place, what was found and what was
/// expected: `config.json:7:18: hidden_size 770 is not a multiple of
/// num_attention_heads 12`.
class UserError : public llvm::ErrorInfo<UserError> {
public:
  static char ID;
  explicit UserError(std::string message) : message(std::move(message)) {}
  void log(llvm::raw_ostream &os) const override { os << message; }
  std::error_code convertToErrorCode() const override;

private:
  std::string message;
};

/// `return userError("...")`.
llvm::Error userError(const llvm::Twine &message);

/// `return userError(path, "...")`: the message after the place it concerns.
llvm::Error userError(llvm::StringRef place, const llvm::Twine &message);

/// `text` in double quotes for a message: unprintable characters escaped, long
/// text cut. Names in files may hold anything.
std::string inQuotes(llvm::StringRef text);

/// The candidate nearest to `name` by edit distance, or an empty string if none
/// is near.
llvm::StringRef nearestName(llvm::StringRef name,
                            llvm::ArrayRef<llvm::StringRef> candidates);

} // namespace vitc

#endif // VITC_SUPPORT_ERROR_H
