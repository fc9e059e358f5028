// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// The options of one subcommand: declared with the variables they fill, parsed
/// by Boost.Program_options, described by `--help`.
///
/// Boost throws; Options.cpp is the only file built with exceptions, and hands
/// every error on as a user error.
#ifndef VITC_TOOLS_TERMINAL_OPTIONS_H
#define VITC_TOOLS_TERMINAL_OPTIONS_H

#include "vitc/Support/Error.h"

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace vitc::tool {

class Options {
public:
  /// `vitc COMMAND ARGUMENTS`, and a few sentences on what it does.
  Options(llvm::StringRef command, llvm::StringRef arguments,
          llvm::StringRef about);

  /// Arguments without a name, in the order they are declared.
  void argument(llvm::StringRef name, std::string &value, llvm::StringRef help,
                bool required = true);
  /// All further arguments: at least one.
  void arguments(llvm::StringRef name, std::vector<std::string> &values,
                 llvm::StringRef help);

  /// `names` is a long name, or a long and a short one: "output,o". Unless said
  /// otherwise an option may be given once.
  void flag(llvm::StringRef names, bool &value, llvm::StringRef help);
  void text(llvm::StringRef names, llvm::StringRef valueName,
            std::string &value, llvm::StringRef help);
  /// May be given any number of times.
  void texts(llvm::StringRef names, llvm::StringRef valueName,
             std::vector<std::string> &values, llvm::StringRef help);
  /// One of `known`; one of `missing` is refused as not in this build.
  void choice(llvm::StringRef names, std::string &value,
              std::vector<llvm::StringRef> known,
              std::vector<llvm::StringRef> missing, llvm::StringRef help);
  void integer(llvm::StringRef names, llvm::StringRef valueName, int64_t least,
               int64_t most, std::function<void(int64_t)> set,
               llvm::StringRef help);
  /// A decimal number above zero.
  void number(llvm::StringRef names, llvm::StringRef valueName,
              std::optional<double> &value, llvm::StringRef help);
  /// Any other value: `set` returns what is wrong with it.
  void value(llvm::StringRef names, llvm::StringRef valueName,
             std::function<llvm::Error(llvm::StringRef)> set,
             llvm::StringRef help);
  /// Shown under the options.
  void example(llvm::StringRef command, llvm::StringRef what);
  /// A paragraph under the options.
  void note(llvm::StringRef text);

  /// Fills the variables. False if help was asked for, which it then printed.
  llvm::Expected<bool> parse(llvm::ArrayRef<std::string> arguments);
  /// Whether the option was given.
  bool given(llvm::StringRef name) const;

private:
  struct Option {
    std::string longName, shortName;
    std::string valueName; ///< empty for a flag
    std::string help;
    std::function<llvm::Error(llvm::StringRef)> set;
    bool repeats = false, given = false;

    std::string names() const;
  };
  struct Argument {
    std::string name, help;
    bool required, repeats;
    std::function<void(llvm::StringRef)> set;
  };
  /// One word group of the command line as Boost saw it; a name that is empty
  /// stands for an argument.
  struct Token {
    std::string name, value;
  };

  Option &add(llvm::StringRef names, llvm::StringRef valueName,
              llvm::StringRef help,
              std::function<llvm::Error(llvm::StringRef)> set);
  Option *find(llvm::StringRef longName);
  llvm::Expected<std::vector<Token>>
  tokenize(llvm::ArrayRef<std::string> arguments) const;
  llvm::Error unknown(llvm::StringRef name) const;
  llvm::Error assignArguments(llvm::ArrayRef<std::string> values);
  void printHelp() const;

  std::string command, usage, about;
  std::vector<Option> options;
  std::vector<Argument> positions;
  std::vector<std::pair<std::string, std::string>> examples;
  std::vector<std::string> notes;
};

} // namespace vitc::tool

#endif // VITC_TOOLS_TERMINAL_OPTIONS_H
