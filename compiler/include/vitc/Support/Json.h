// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// The only reader of JSON in vitc and its tools. Files and records know their
/// places: every field can say at which line and column it is. Whatever is read
/// (configs, manifests, tuning records, rows of a database, reports of a
/// backend, lines of a protocol) is checked first: UTF-8, syntax, keys that
/// come twice, nesting deeper than 64, more than 4 million values, more than 64
/// MiB, and numbers beyond a double's range are errors.
#ifndef VITC_SUPPORT_JSON_H
#define VITC_SUPPORT_JSON_H

#include "vitc/Support/Error.h"
#include "llvm/Support/JSON.h"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace vitc {

/// One parsed file, or a part of one.
struct JsonFile {
  std::string path;
  std::string text;
  llvm::json::Value root = nullptr;
  unsigned firstLine = 1; ///< of the text in the file

  struct Position {
    unsigned line, column; ///< from 1
  };
  /// Where the value of the field at `keys` stands (object keys; array elements
  /// as decimal numbers); the file's start if there is none.
  Position locate(llvm::ArrayRef<std::string> keys) const;

  /// Set if a JsonReader of this file was left without finish(): what it had
  /// found. Whoever owns the file must not believe what was read.
  mutable std::optional<std::string> unchecked = std::nullopt;
};

/// An object inside a JsonFile, with typed getters. A getter without a default
/// fails if the field is absent or null; each fails if the type is wrong:
/// `config.json:7:18: hidden_size must be an integer, found "big"`.
class JsonObject {
public:
  JsonObject(std::shared_ptr<const JsonFile> file,
             const llvm::json::Object *object, std::vector<std::string> path)
      : file(std::move(file)), object(object), path(std::move(path)) {}

  bool has(llvm::StringRef key) const; ///< present and not null
  llvm::Expected<int64_t> getInteger(llvm::StringRef key) const;
  llvm::Expected<int64_t> getInteger(llvm::StringRef key,
                                     int64_t fallback) const;
  llvm::Expected<double> getNumber(llvm::StringRef key) const;
  llvm::Expected<double> getNumber(llvm::StringRef key, double fallback) const;
  llvm::Expected<bool> getBool(llvm::StringRef key) const;
  llvm::Expected<bool> getBool(llvm::StringRef key, bool fallback) const;
  llvm::Expected<std::string> getString(llvm::StringRef key) const;
  llvm::Expected<std::string> getString(llvm::StringRef key,
                                        llvm::StringRef fallback) const;
  llvm::Expected<std::vector<double>> getNumbers(llvm::StringRef key) const;
  llvm::Expected<std::vector<std::string>>
  getStrings(llvm::StringRef key) const;
  /// A single integer n (then n, n) or a list of two.
  llvm::Expected<std::pair<int64_t, int64_t>>
  getPair(llvm::StringRef key) const;
  llvm::Expected<JsonObject> getObject(llvm::StringRef key) const;
  std::vector<std::string> keys() const;
  /// The field as it stands, or null if absent.
  const llvm::json::Value *get(llvm::StringRef key) const;

  /// `FILE:LINE:COLUMN` of a field, or of the object itself for an empty or
  /// absent key.
  std::string place(llvm::StringRef key = "") const;
  /// A user error at the field: `FILE:LINE:COLUMN: MESSAGE`.
  llvm::Error error(llvm::StringRef key, const llvm::Twine &message) const;

  const JsonFile &getFile() const { return *file; }
  const llvm::json::Object &raw() const { return *object; }

private:
  std::shared_ptr<const JsonFile> file;
  const llvm::json::Object *object;
  std::vector<std::string> path;
};

/// Reads and parses `path`, whose root must be an object.
llvm::Expected<JsonObject> readJson(llvm::StringRef path);

/// The same for text in memory; `path` and the line at which the text begins in
/// it are only used in messages.
llvm::Expected<JsonObject> parseJson(llvm::StringRef path, std::string text,
                                     unsigned firstLine = 1);

/// Any value that is in no file: a column of a database, or what another
/// program says. Messages begin with `place` and the column, or the line and
/// the column if the text has several lines.
llvm::Expected<llvm::json::Value> parseJsonValue(llvm::StringRef place,
                                                 llvm::StringRef text);
/// The same for a value that must be an object.
llvm::Expected<llvm::json::Object> parseJsonObject(llvm::StringRef place,
                                                   llvm::StringRef text);

} // namespace vitc

#endif // VITC_SUPPORT_JSON_H
