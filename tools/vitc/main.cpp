// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// vitc: an ahead-of-time compiler for Vision Transformers.
#include "commands/Commands.h"
#include "terminal/Text.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace vitc;
using namespace vitc::tool;

namespace {

struct Command {
  llvm::StringLiteral name;
  llvm::StringLiteral summary;
  llvm::Error (*run)(const Invocation &invocation);
};

} // namespace

static constexpr Command commands[] = {
#define VITC_COMMAND(Name, Run, Summary, Source) {Name, Summary, Run},
#include "commands/Commands.def"
};

static constexpr int done = 0, userFault = 1, ownFault = 2;

static void printHelp() {
  llvm::raw_ostream &os = out();
  os << "usage: vitc COMMAND [arguments]\n\n";
  printWrapped(os,
               "vitc compiles a Vision Transformer, as published (config.json "
               "with its weights), to a C++ library for one processor. A "
               "product links that library and nothing else.",
               /*indent=*/0, /*column=*/0);
  os << "\ncommands:\n";
  for (const Command &command : commands)
    os << "  " << llvm::left_justify(command.name, 10) << command.summary
       << "\n";
  os << "\noptions:\n"
        "  --help    show this text; `vitc COMMAND --help` explains a command\n"
        "  --version show the version\n"
        "\nexamples:\n"
        "  # compile a model's folder for this machine\n"
        "  vitc compile vit-base-patch16-224/ -o out\n"
        "  # classify an image with the library just written\n"
        "  vitc run out cat.jpg\n"
        "  # how fast is a published architecture here? (random weights)\n"
        "  vitc compile vit-tiny-patch16-224 --random-weights 1 -o tiny\n"
        "  vitc bench tiny --per-kernel\n"
        "\nexit codes: 0 done, 1 the input is wrong, 2 an error in vitc\n";
}

/// Prints the error and says what to exit with.
static int report(llvm::Error error) {
  llvm::outs().flush();
  int code = done;
  llvm::handleAllErrors(
      std::move(error),
      [&](const UserError &fault) {
        err() << "vitc: error: ";
        fault.log(err());
        err() << "\n";
        code = std::max(code, userFault);
      },
      [&](const llvm::ErrorInfoBase &fault) {
        err() << "vitc: internal error: " << fault.message()
              << "\nthis is a fault in vitc " VITC_VERSION
                 ", not in your input; please report it with the "
                 "command line and the text above\n";
        code = ownFault;
      });
  return code;
}

static llvm::Error dispatch(const char *program,
                            llvm::ArrayRef<std::string> arguments) {
  llvm::StringRef name = arguments.front();
  for (const Command &command : commands)
    if (command.name == name)
      return command.run({program, arguments.drop_front()});
  std::vector<llvm::StringRef> names;
  for (const Command &command : commands)
    names.push_back(command.name);
  llvm::StringRef nearest = nearestName(name, names);
  return userError("vitc has no command " + inQuotes(name) + "; " +
                   (nearest.empty() ? "`vitc --help` lists them"
                                    : "did you mean `vitc " + nearest + "`?"));
}

int main(int argc, char **argv) {
  std::vector<std::string> arguments(argv + 1, argv + argc);
  llvm::StringRef first;
  if (!arguments.empty())
    first = arguments.front();
  if (first == "--help" || first == "-h" || first == "help") {
    printHelp();
    return done;
  }
  if (first == "--version") {
    out() << "vitc " VITC_VERSION "\n";
    return done;
  }
  if (arguments.empty()) {
    err() << "vitc: error: no command; `vitc --help` lists them\n";
    return userFault;
  }
  int code = report(dispatch(argv[0], arguments));
  llvm::outs().flush();
  if (llvm::outs().has_error()) {
    // A closed pipe or a full disk: what was asked for did not arrive.
    std::error_code reason = llvm::outs().error();
    llvm::outs().clear_error();
    err() << "vitc: error: standard output: " << reason.message() << "\n";
    return std::max(code, userFault);
  }
  return code;
}
