// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Options.h"

#include "Text.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <boost/program_options.hpp>

using namespace vitc;
using namespace vitc::tool;
using llvm::StringRef;
namespace po = boost::program_options;

Options::Options(StringRef command, StringRef arguments, StringRef about)
    : command(command), usage(("vitc " + command + " " + arguments).str()),
      about(about) {}

//===----------------------------------------------------------------------===//
// Declaring
//===----------------------------------------------------------------------===//

std::string Options::Option::names() const {
  std::string text = shortName.empty() ? "    " : "-" + shortName + ", ";
  text += "--" + longName;
  return valueName.empty() ? text : text + " " + valueName;
}

Options::Option &Options::add(StringRef names, StringRef valueName,
                              StringRef help,
                              std::function<llvm::Error(StringRef)> set) {
  Option option;
  auto [longName, shortName] = names.split(',');
  option.longName = longName.str();
  option.shortName = shortName.str();
  option.valueName = valueName.str();
  option.help = help.str();
  option.set = std::move(set);
  options.push_back(std::move(option));
  return options.back();
}

void Options::argument(StringRef name, std::string &value, StringRef help,
                       bool required) {
  positions.push_back({name.str(), help.str(), required, /*repeats=*/false,
                       [&value](StringRef text) { value = text.str(); }});
}

void Options::arguments(StringRef name, std::vector<std::string> &values,
                        StringRef help) {
  positions.push_back(
      {name.str(), help.str(), /*required=*/true, /*repeats=*/true,
       [&values](StringRef text) { values.push_back(text.str()); }});
}

void Options::flag(StringRef names, bool &value, StringRef help) {
  add(names, "", help, [&value](StringRef) {
    value = true;
    return llvm::Error::success();
  });
}

void Options::text(StringRef names, StringRef valueName, std::string &value,
                   StringRef help) {
  add(names, valueName, help, [&value](StringRef text) {
    value = text.str();
    return llvm::Error::success();
  });
}

void Options::texts(StringRef names, StringRef valueName,
                    std::vector<std::string> &values, StringRef help) {
  Option &option = add(names, valueName, help, [&values](StringRef text) {
    values.push_back(text.str());
    return llvm::Error::success();
  });
  option.repeats = true;
}

void Options::choice(StringRef names, std::string &value,
                     std::vector<StringRef> known,
                     std::vector<StringRef> missing, StringRef help) {
  std::string name = "--" + names.split(',').first.str();
  std::string list = llvm::join(known, "|");
  add(names, list, help,
      [&value, name, known, missing](StringRef text) -> llvm::Error {
        if (llvm::is_contained(missing, text))
          return userError(name + " " + text +
                           " is not available in this build; it has " +
                           llvm::join(known, ", "));
        if (!llvm::is_contained(known, text))
          return userError(name + " takes " + llvm::join(known, ", ") +
                           ", not " + inQuotes(text));
        value = text.str();
        return llvm::Error::success();
      });
}

void Options::integer(StringRef names, StringRef valueName, int64_t least,
                      int64_t most, std::function<void(int64_t)> set,
                      StringRef help) {
  std::string name = "--" + names.split(',').first.str();
  add(names, valueName, help,
      [name, least, most, set = std::move(set)](StringRef text) -> llvm::Error {
        int64_t value;
        if (text.getAsInteger(10, value) || value < least || value > most)
          return userError(name + " takes a whole number from " +
                           llvm::Twine(least) + " to " + llvm::Twine(most) +
                           ", not " + inQuotes(text));
        set(value);
        return llvm::Error::success();
      });
}

void Options::number(StringRef names, StringRef valueName,
                     std::optional<double> &value, StringRef help) {
  std::string name = "--" + names.split(',').first.str();
  add(names, valueName, help, [name, &value](StringRef text) -> llvm::Error {
    double parsed;
    // The upper bound keeps infinity and nonsense out of clock arithmetic.
    constexpr double most = 1e6;
    if (text.getAsDouble(parsed) || !(parsed > 0 && parsed <= most))
      return userError(name +
                       " takes a number above 0 and up to 1000000, not " +
                       inQuotes(text));
    value = parsed;
    return llvm::Error::success();
  });
}

void Options::value(StringRef names, StringRef valueName,
                    std::function<llvm::Error(StringRef)> set, StringRef help) {
  add(names, valueName, help, std::move(set));
}

void Options::example(StringRef command, StringRef what) {
  examples.push_back({command.str(), what.str()});
}

void Options::note(StringRef text) { notes.push_back(text.str()); }

//===----------------------------------------------------------------------===//
// Parsing
//===----------------------------------------------------------------------===//

Options::Option *Options::find(StringRef longName) {
  auto it = llvm::find_if(options, [&](const Option &option) {
    return option.longName == longName;
  });
  return it == options.end() ? nullptr : &*it;
}

bool Options::given(StringRef name) const {
  Option *option = const_cast<Options *>(this)->find(name);
  return option && option->given;
}

llvm::Error Options::unknown(StringRef name) const {
  std::vector<StringRef> names = {"help"};
  for (const Option &option : options)
    names.push_back(option.longName);
  StringRef bare = name.ltrim('-');
  StringRef nearest = nearestName(bare, names);
  // The start of a name is not near by edit distance, but is what was meant.
  if (nearest.empty())
    for (StringRef candidate : names)
      if (candidate.starts_with(bare))
        nearest = candidate;
  std::string hint = nearest.empty()
                         ? "`vitc " + command + " --help` lists them"
                         : ("did you mean --" + nearest + "?").str();
  return userError("vitc " + command + " has no option " + name + "; " + hint);
}

/// What Boost found wrong, in our words.
static std::string syntaxMessage(const po::invalid_command_line_syntax &error) {
  using Kind = po::invalid_syntax::kind_t;
  std::string name = error.get_option_name();
  switch (error.kind()) {
  case Kind::missing_parameter:
  case Kind::empty_adjacent_parameter:
    return "option " + name + " needs a value";
  case Kind::extra_parameter:
    return "option " + name + " takes no value";
  default:
    return error.what();
  }
}

llvm::Expected<std::vector<Options::Token>>
Options::tokenize(llvm::ArrayRef<std::string> arguments) const {
  po::options_description description;
  auto declare = [&](const std::string &names, bool isFlag) {
    description.add_options()(names.c_str(), new po::untyped_value(isFlag), "");
  };
  declare("help,h", /*isFlag=*/true);
  for (const Option &option : options)
    declare(option.shortName.empty() ? option.longName
                                     : option.longName + "," + option.shortName,
            option.valueName.empty());

  // A name must be written out: a guess would change its meaning when an option
  // is added.
  constexpr int style = po::command_line_style::unix_style &
                        ~po::command_line_style::allow_guessing;
  std::vector<Token> tokens;
  try {
    po::parsed_options parsed =
        po::command_line_parser(std::vector<std::string>(arguments))
            .options(description)
            .style(style)
            .run();
    for (const auto &option : parsed.options)
      tokens.push_back({option.position_key >= 0 ? "" : option.string_key,
                        option.value.empty() ? "" : option.value.front()});
  } catch (const po::unknown_option &error) {
    return unknown(error.get_option_name());
  } catch (const po::invalid_command_line_syntax &error) {
    return userError(syntaxMessage(error));
  } catch (const std::exception &error) {
    return userError(error.what());
  }
  return tokens;
}

llvm::Error Options::assignArguments(llvm::ArrayRef<std::string> values) {
  for (const Argument &position : positions) {
    if (values.empty() && position.required)
      return userError("vitc " + command + " needs " + position.name + ": " +
                       position.help + "\nusage: " + usage);
    size_t count =
        position.repeats ? values.size() : std::min<size_t>(1, values.size());
    for (const std::string &value : values.take_front(count)) {
      if (value.empty())
        return userError(position.name + " is empty");
      position.set(value);
    }
    values = values.drop_front(count);
  }
  if (!values.empty())
    return userError("vitc " + command + " does not know what to do with " +
                     inQuotes(values.front()) + "\nusage: " + usage);
  return llvm::Error::success();
}

llvm::Expected<bool> Options::parse(llvm::ArrayRef<std::string> arguments) {
  // Help is given whatever else stands there, right or wrong.
  for (const std::string &argument : arguments) {
    if (argument == "--")
      break;
    if (argument == "--help" || argument == "-h") {
      printHelp();
      return false;
    }
  }
  auto tokens = tokenize(arguments);
  if (!tokens)
    return tokens.takeError();
  std::vector<std::string> values;
  for (const Token &token : *tokens) {
    if (token.name.empty()) {
      values.push_back(token.value);
      continue;
    }
    // Short options come back as "-o".
    StringRef name = StringRef(token.name).ltrim('-');
    Option *option = find(name);
    if (!option)
      option = &*llvm::find_if(options, [&](const Option &candidate) {
        return candidate.shortName == name;
      });
    if (option->given && !option->repeats)
      return userError("option --" + option->longName + " is given twice");
    option->given = true;
    if (llvm::Error error = option->set(token.value))
      return error;
  }
  if (llvm::Error error = assignArguments(values))
    return error;
  return true;
}

//===----------------------------------------------------------------------===//
// Help
//===----------------------------------------------------------------------===//

void Options::printHelp() const {
  llvm::raw_ostream &os = out();
  os << "usage: " << usage << "\n\n";
  printWrapped(os, about, /*indent=*/0, /*column=*/0);
  constexpr unsigned indent = 2, column = 32;
  if (!positions.empty())
    os << "\narguments:\n";
  for (const Argument &position : positions) {
    os.indent(indent) << llvm::left_justify(position.name, column - indent);
    printWrapped(os, position.help, column, column);
  }
  os << "\noptions:\n";
  auto printOption = [&](const std::string &names, const std::string &help) {
    os.indent(indent) << llvm::left_justify(names, column - indent);
    // Names that fill their column push the text to the next line.
    bool fits = names.size() + indent < column;
    if (!fits)
      os << "\n";
    printWrapped(os, help, column, fits ? column : 0);
  };
  for (const Option &option : options)
    printOption(option.names(), option.help);
  printOption("-h, --help", "show this text");
  for (const std::string &text : notes) {
    os << "\n";
    printWrapped(os, text, /*indent=*/0, /*column=*/0);
  }
  if (!examples.empty())
    os << "\nexamples:\n";
  for (const auto &[line, what] : examples) {
    os << "  # " << what << "\n";
    os << "  " << line << "\n";
  }
}
