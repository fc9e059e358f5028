// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vitc/Support/Error.h"

#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace vitc {

char UserError::ID = 0;

std::error_code UserError::convertToErrorCode() const {
  return inconvertibleErrorCode();
}

Error userError(const Twine &message) {
  return make_error<UserError>(message.str());
}

/// On one line, with nothing in it that cannot be seen.
static std::string onOneLine(StringRef text) {
  std::string result;
  for (unsigned char c : text) {
    if (c < 0x20 || c == 0x7f) {
      result += "\\x";
      result += hexdigit(c >> 4, /*LowerCase=*/true);
      result += hexdigit(c & 15, /*LowerCase=*/true);
    } else {
      result += char(c);
    }
  }
  return result;
}

Error userError(StringRef place, const Twine &message) {
  // A message may have a word of the file in it; a second line would pass for
  // a message of vitc's own.
  return make_error<UserError>(onOneLine((place + ": " + message).str()));
}

std::string inQuotes(StringRef text) {
  // Enough for the longest tensor name of a real model.
  constexpr size_t maxShown = 120;
  return "\"" + onOneLine(text.take_front(maxShown)) +
         (text.size() > maxShown ? "…\"" : "\"");
}

StringRef nearestName(StringRef name, ArrayRef<StringRef> candidates) {
  // A third of the name may differ: a prefix that one library adds and another
  // does not is near, another layer's tensor of the same length is nearer than
  // nothing, and unrelated words are not offered.
  unsigned best = std::max<unsigned>(1, name.size() / 3) + 1;
  StringRef nearest;
  // A hint is worth a fraction of a second: names in files may be as many and
  // as long as their author likes. All pairs of a real model's take a hundredth
  // of it.
  uint64_t left = uint64_t(1) << 28;
  for (StringRef candidate : candidates) {
    size_t longer = std::max(candidate.size(), name.size());
    size_t shorter = std::min(candidate.size(), name.size());
    if (longer - shorter >= best)
      continue;
    uint64_t steps = uint64_t(longer) * shorter;
    if (steps > left)
      break;
    left -= steps;
    unsigned distance = name.edit_distance(
        candidate, /*AllowReplacements=*/true, /*MaxEditDistance=*/best);
    if (distance < best) {
      best = distance;
      nearest = candidate;
    }
  }
  return nearest;
}

} // namespace vitc
