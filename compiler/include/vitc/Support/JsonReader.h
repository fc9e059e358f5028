// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// The one strict reader of named fields: of configs, of the arguments of
/// timm's models, of tuning records.
#ifndef VITC_SUPPORT_JSONREADER_H
#define VITC_SUPPORT_JSONREADER_H

#include "vitc/Support/Json.h"

#include <limits>

namespace vitc {

/// Reads fields of an object one after the other and keeps the first error, so
/// that the reader of a format is a list of its fields. A field without
/// fallback must be there; null counts as absent. A value that is out of range
/// is an error, and the caller gets one that is within the range: it goes on to
/// the end, and may divide or shift by it.
///
/// The error comes from finish(). A reader that is destroyed without it marks
/// its file as unchecked (JsonFile::unchecked), and in debug builds an error
/// that nobody looked at is an assertion.
class JsonReader {
public:
  /// Of widths, extents and lists, unless a field says otherwise.
  static constexpr int64_t greatest = 65536;
  /// Of the ratio of a layer's width to another's.
  static constexpr double greatestRatio = 64;
  /// Of a model's blocks, those of all its stages together: ten times as many
  /// as any published one has. Sixteen bytes of a config must not keep vitc
  /// busy for long.
  static constexpr int64_t mostBlocks = 512;

  /// A word of a field and what it stands for.
  template <typename T>
  using Word = std::pair<llvm::StringRef, T>;

  explicit JsonReader(JsonObject object) : object(std::move(object)) {}
  JsonReader(const JsonReader &) = delete;
  JsonReader &operator=(const JsonReader &) = delete;
  virtual ~JsonReader();

  const JsonObject &getObject() const { return object; }
  /// The field is there and not null.
  bool has(llvm::StringRef key);

  //===--- fields -------------------------------------------------------===//
  bool boolean(llvm::StringRef key, std::optional<bool> fallback);
  /// From `least` to `most`.
  int64_t integer(llvm::StringRef key, std::optional<int64_t> fallback,
                  int64_t least, int64_t most);
  int64_t positive(llvm::StringRef key, std::optional<int64_t> fallback,
                   int64_t most = greatest) {
    return integer(key, fallback, 1, most);
  }
  double number(llvm::StringRef key, std::optional<double> fallback);
  double number(llvm::StringRef key, std::optional<double> fallback,
                double least, double most);
  /// More than 0.
  double above0(llvm::StringRef key, std::optional<double> fallback,
                double most = std::numeric_limits<double>::max());
  /// Of a layer's width to another's.
  double ratio(llvm::StringRef key, std::optional<double> fallback) {
    return above0(key, fallback, greatestRatio);
  }
  /// The eps of a norm: from 0 to less than 1.
  double eps(llvm::StringRef key, std::optional<double> fallback);
  std::string text(llvm::StringRef key,
                   std::optional<llvm::StringRef> fallback);
  /// One of `known`.
  std::string choice(llvm::StringRef key, llvm::StringRef fallback,
                     llvm::ArrayRef<llvm::StringRef> known);
  /// What the word stands for.
  template <typename T>
  T word(llvm::StringRef key, llvm::StringRef fallback,
         llvm::ArrayRef<Word<T>> words) {
    return meaning<T>(key, text(key, fallback), words);
  }
  /// Rows and columns: a single integer n (then n, n) or a list of two. The
  /// fallback may be anything.
  std::pair<int64_t, int64_t> size(llvm::StringRef key,
                                   std::pair<int64_t, int64_t> fallback);
  /// A list of whole numbers; with `orOne` also a single one.
  std::vector<int64_t> integers(llvm::StringRef key,
                                std::vector<int64_t> fallback, int64_t least,
                                int64_t most = greatest, bool orOne = false);
  /// How many blocks each stage has: `mostBlocks` in all. The fallback after an
  /// error.
  std::vector<int64_t> depths(llvm::StringRef key,
                              std::vector<int64_t> fallback,
                              bool orOne = false);
  /// An object; an empty one after an error.
  llvm::json::Object objectAt(llvm::StringRef key);

  //===--- errors -------------------------------------------------------===//
  /// The value, or one made by default after its error was kept.
  template <typename T>
  T take(llvm::Expected<T> value) {
    if (value)
      return std::move(*value);
    fail(value.takeError());
    return T();
  }
  /// Keeps a user error at the field, if it is the first.
  void refuse(llvm::StringRef key, const llvm::Twine &message);
  /// Keeps the error as it is, if it is the first; so the end of a reader of a
  /// nested object can be handed to that of the outer one.
  void fail(llvm::Error failure);
  /// An error is kept.
  bool failed() { return bool(error); }
  /// Refuses keys that are not among `known`.
  void refuseUnknown(llvm::ArrayRef<llvm::StringRef> known);
  /// The first error.
  [[nodiscard]] virtual llvm::Error finish();

protected:
  /// The object that says what the field is; null if there is none.
  virtual const JsonObject *owner(llvm::StringRef key);
  virtual llvm::Error errorAt(llvm::StringRef key, const llvm::Twine &message);

  /// Reads a field with one of JsonObject's getters.
  template <typename T, typename Get>
  T read(llvm::StringRef key, std::optional<T> fallback, Get get) {
    const JsonObject *from = owner(key);
    if (!(from && from->has(key)) && fallback)
      return std::move(*fallback);
    return take<T>(get(from ? *from : object));
  }
  void refuseWord(llvm::StringRef key, llvm::StringRef word,
                  llvm::ArrayRef<llvm::StringRef> known);
  template <typename T>
  T meaning(llvm::StringRef key, llvm::StringRef word,
            llvm::ArrayRef<Word<T>> words) {
    std::vector<llvm::StringRef> known;
    for (const Word<T> &entry : words) {
      if (entry.first == word)
        return entry.second;
      known.push_back(entry.first);
    }
    if (!failed())
      refuseWord(key, word, known);
    return words.front().second;
  }

private:
  JsonObject object;
  llvm::Error error = llvm::Error::success();
  bool finished = false;
};

} // namespace vitc

#endif // VITC_SUPPORT_JSONREADER_H
