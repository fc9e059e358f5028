#include "Staging.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/raw_ostream.h"

using namespace vitc;
namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;

llvm::Expected<Staging> Staging::create(llvm::StringRef output) {
  if (output.empty())
    return userError("-o: the output folder's name is empty");
  llvm::SmallString<256> absolute(output);
  if (std::error_code code = fs::make_absolute(absolute))
    return userError(output, code.message());
  path::remove_dots(absolute, /*remove_dot_dot=*/true);
  llvm::StringRef target = llvm::StringRef(absolute).rtrim('/');
  if (fs::exists(target))
    return userError(
        output, "already exists; remove it or choose another output folder");

  Staging staging;
  staging.output = target.str();
  std::string base =
      (path::parent_path(target) + "/." + path::filename(target) + ".vitc-" +
       llvm::Twine(llvm::sys::Process::getProcessId()))
          .str();
  staging.folder = base;
  staging.scratchFolder = base + "-scratch";
  for (const std::string &folder : {staging.folder, staging.scratchFolder})
    if (std::error_code code = fs::create_directories(folder))
      return userError(output, "cannot be created: " + code.message());
  return staging;
}

Staging::Staging(Staging &&other)
    : output(other.output), folder(other.folder),
      scratchFolder(other.scratchFolder) {
  other.folder.clear();
  other.scratchFolder.clear();
}

Staging::~Staging() {
  for (const std::string &leftover : {folder, scratchFolder})
    if (!leftover.empty())
      fs::remove_directories(leftover);
}

static std::string inside(llvm::StringRef folder, const llvm::Twine &name) {
  llvm::SmallString<256> result(folder);
  path::append(result, name);
  fs::create_directories(path::parent_path(result));
  return std::string(result);
}

std::string Staging::path(const llvm::Twine &name) const {
  return inside(folder, name);
}
std::string Staging::scratch(const llvm::Twine &name) const {
  return inside(scratchFolder, name);
}

static llvm::Error writeText(llvm::StringRef file, llvm::StringRef text) {
  std::error_code code;
  llvm::raw_fd_ostream os(file, code);
  if (!code) {
    os << text;
    os.close();
    code = os.error();
    os.clear_error();
  }
  return code ? userError(file, "cannot be written: " + code.message())
              : llvm::Error::success();
}

llvm::Error Staging::write(const llvm::Twine &name,
                           llvm::StringRef text) const {
  return writeText(path(name), text);
}

llvm::Error Staging::commit() {
  if (std::error_code code = fs::rename(folder, output))
    return userError(output, "cannot be created: " + code.message());
  folder.clear();
  return llvm::Error::success();
}

llvm::Error Staging::explain(llvm::Error error) const {
  constexpr uint64_t tooLittle = 64 * 1024;
  llvm::ErrorOr<fs::space_info> space = fs::disk_space(folder);
  if (!space || space->available >= tooLittle || error.isA<UserError>())
    return error;
  llvm::consumeError(std::move(error));
  return userError(output, "no space left on the disk; nothing was written");
}
