// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "LibraryBuild.h"

#include "ObjectCache.h"

#include "vitc/Support/Escape.h"
#include "vitc/Support/File.h"
#include "vitc/Support/Process.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Threading.h"

using namespace vitc;
namespace fs = llvm::sys::fs;
namespace path = llvm::sys::path;

/// Code that needs no C++ library at run time and exports nothing by accident.
/// No CPU flags: only kernels use more than the baseline, and the library
/// checks the CPU before it calls one.
static const std::vector<std::string> compileFlags = {
    "-std=c++17", "-O2", "-fPIC", "-fvisibility=hidden", "-fno-exceptions",
    "-fno-rtti", "-fno-threadsafe-statics", "-fno-asynchronous-unwind-tables",
    "-Wall",
    // A comment that swallows the next line would drop a kernel's call.
    "-Werror=comment"};

/// A literal of C++ that the assembler reads as `text` between quotes.
static std::string inAssembly(llvm::StringRef text) {
  std::string literal = stringLiteral(text);
  return stringLiteral(llvm::StringRef(literal).drop_front().drop_back());
}

/// The source that takes the weights into the library. It holds no path, so
/// that it can be built wherever it goes.
static std::string embeddingSource(const LibraryDescription &library) {
  return "// The whole weights file as read-only data. The assembler looks for "
         "it in the\n// folders of -I, unless VITC_WEIGHTS has its path.\n"
         "#ifndef VITC_WEIGHTS\n#define VITC_WEIGHTS \"" +
         library.name +
         ".weights\"\n#endif\n\n"
         "asm(\".section .rodata\\n.balign 64\\n.globl "
         "vitc_embedded_weights\\nvitc_embedded_weights:\\n\"\n"
         "    \".incbin \\\"\" VITC_WEIGHTS \"\\\"\\n.previous\\n\");\n";
}

/// The .cpp files of the runtime that the library needs, sorted: those of a
/// GPU's side are in folders of their own.
static llvm::Expected<std::vector<std::string>>
runtimeSources(llvm::StringRef folder, const std::string &device) {
  std::vector<std::string> folders = {folder.str() + "/src"};
  if (!device.empty()) {
    folders.push_back(folders[0] + "/device");
    folders.push_back(folders[0] + "/device/" + device);
  }
  std::vector<std::string> files;
  for (const std::string &part : folders) {
    size_t before = files.size();
    std::error_code code;
    for (fs::directory_iterator it(part, code), end; it != end && !code;
         it.increment(code))
      if (path::extension(it->path()) == ".cpp")
        files.push_back(it->path());
    if (code || files.size() == before)
      return userError(part,
                       "the runtime's sources are missing; install vitc again");
  }
  llvm::sort(files);
  return files;
}

static llvm::Error copyTree(llvm::StringRef from, const Staging &staging,
                            const std::string &to) {
  std::error_code code;
  for (fs::recursive_directory_iterator it(from, code), end; it != end && !code;
       it.increment(code)) {
    llvm::StringRef relative =
        llvm::StringRef(it->path()).drop_front(from.size() + 1);
    llvm::StringRef extension = path::extension(relative);
    if (extension == ".h" || extension == ".cpp" || extension == ".def")
      if (std::error_code failed =
              fs::copy_file(it->path(), staging.path(to + "/" + relative)))
        return userError(it->path(), "cannot be copied: " + failed.message());
  }
  return llvm::Error::success();
}

namespace {

/// What a source is part of.
enum class Part { Api, Forward, Runtime, Other };

struct Source {
  std::string path;
  Part part;
  bool includesModel = false;   ///< the library's own header
  bool includesWeights = false; ///< the weights file
};

} // namespace

/// Into src/ of the result if the sources were asked for, a scratch folder
/// otherwise.
static std::string sourcePath(const Staging &staging, const llvm::Twine &name,
                              bool keep) {
  return keep ? staging.path("src/" + name) : staging.scratch("src/" + name);
}

/// All but the functions of ID.h.
static llvm::Expected<std::vector<Source>>
writeSources(const Staging &staging, const LibraryDescription &library,
             const LibrarySources &sources, const Installation &installation,
             bool keep) {
  std::vector<Source> written;
  auto write = [&](const llvm::Twine &name, llvm::StringRef text, Part part,
                   bool includesWeights = false) -> llvm::Error {
    std::string path = sourcePath(staging, name, keep);
    if (llvm::Error error = writeFile(path, text))
      return error;
    written.push_back({path, part, /*includesModel=*/false, includesWeights});
    return llvm::Error::success();
  };
  for (auto &[name, text] : sources.forwards)
    if (llvm::Error error = write(name, text, Part::Forward))
      return error;
  for (const CompiledKernel &kernel : sources.kernels) {
    if (llvm::Error error = write("kernels/" + kernel.name + ".cpp",
                                  kernel.adapter, Part::Other))
      return error;
    if (keep)
      if (std::error_code code = fs::copy_file(
              kernel.objectPath,
              sourcePath(staging, "kernels/" + kernel.name + ".o", keep)))
        return userError(kernel.objectPath,
                         "cannot be copied: " + code.message());
  }
  if (library.embedWeights)
    if (llvm::Error error = write("weights.cpp", embeddingSource(library),
                                  Part::Other, /*includesWeights=*/true))
      return error;
  llvm::Expected<std::vector<std::string>> runtime =
      runtimeSources(installation.runtimeFolder, library.device);
  if (!runtime)
    return runtime.takeError();
  for (const std::string &path : *runtime)
    written.push_back({path, Part::Runtime});
  return written;
}

/// A call whose temporary files stand in a scratch folder: a compiler that is
/// interrupted removes its own, but what it has started may write them again.
static ProcessRequest compilerCall(const Staging &staging,
                                   const Toolchain &toolchain,
                                   std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), toolchain.flags.begin(),
                   toolchain.flags.end());
  std::string anyFile = staging.scratch("temporary/file");
  llvm::StringRef folder = llvm::sys::path::parent_path(anyFile);
  return {toolchain.compiler, std::move(arguments), {"TMPDIR=" + folder.str()}};
}

namespace {

/// Compiles sources, every one on its own, several at a time; those known
/// before not at all.
class Compiler {
public:
  Compiler(const Staging &staging, const LibrarySources &sources,
           const Toolchain &toolchain, const CompileOptions &options,
           const Installation &installation, Cache &cache)
      : staging(staging), sources(sources), toolchain(toolchain),
        installation(installation), cache(cache),
        jobs(options.threads ? options.threads
                             : llvm::heavyweight_hardware_concurrency()
                                   .compute_thread_count()) {}

  /// The objects in the order of the files. `compiled` hears of each new one.
  llvm::Expected<std::vector<std::string>>
  compile(llvm::ArrayRef<Source> files,
          llvm::function_ref<void(unsigned total)> compiled);

private:
  const Staging &staging;
  const LibrarySources &sources;
  const Toolchain &toolchain;
  const Installation &installation;
  Cache &cache;
  unsigned jobs, count = 0;
};

} // namespace

llvm::Expected<std::vector<std::string>>
Compiler::compile(llvm::ArrayRef<Source> files,
                  llvm::function_ref<void(unsigned total)> compiled) {
  std::string runtimeHeaders = installation.runtimeFolder,
              modelHeaders = staging.path("include");
  ObjectCache plainCache(cache, toolchain, compileFlags, {runtimeHeaders}),
      modelCache(cache, toolchain, compileFlags,
                 {runtimeHeaders, modelHeaders});
  struct Compile {
    const Source *source;
    const ObjectCache *cache;
    std::string object, key;
  };
  std::vector<Compile> compiles;
  std::vector<ProcessRequest> calls;
  std::vector<std::string> objects;
  for (const Source &source : files) {
    const ObjectCache &kept = source.includesModel ? modelCache : plainCache;
    std::string key = kept.keyFor(source.path);
    llvm::Expected<std::string> known =
        source.includesWeights ? std::string() : kept.find(key);
    if (!known)
      return known.takeError();
    if (!known->empty()) {
      objects.push_back(*known);
      continue;
    }
    objects.push_back(
        staging.scratch("objects/" + llvm::Twine(count++) + ".o"));
    std::vector<std::string> arguments = compileFlags;
    arguments.push_back("-I" + runtimeHeaders + "/include");
    if (source.includesModel)
      arguments.push_back("-I" + modelHeaders);
    // By its path: a file of that name in the working directory is another one.
    if (source.includesWeights)
      arguments.push_back("-DVITC_WEIGHTS=" + inAssembly(sources.weightsPath));
    llvm::append_range(arguments, std::vector<std::string>{
                                      "-c", source.path, "-o", objects.back()});
    calls.push_back(compilerCall(staging, toolchain, arguments));
    compiles.push_back({&source, &kept, objects.back(), key});
  }
  llvm::Error error = runProcesses(
      calls, jobs, /*timeoutSeconds=*/0,
      [&](size_t index, const ProcessResult &result) -> llvm::Error {
        const Compile &compile = compiles[index];
        if (!result.succeeded())
          return llvm::createStringError("the C++ compiler failed on " +
                                         compile.source->path + ": " +
                                         result.describe());
        if (!compile.source->includesWeights)
          compile.cache->keep(compile.object, compile.key);
        compiled(calls.size());
        return llvm::Error::success();
      });
  if (error)
    return error;
  return objects;
}

llvm::Error vitc::buildLibrary(
    const Staging &staging, LibraryDescription &library,
    const LibrarySources &sources,
    llvm::function_ref<llvm::Expected<std::string>(StackBytes &stack)> describe,
    const Toolchain &toolchain, const CompileOptions &options,
    const Installation &installation, Cache &cache,
    llvm::function_ref<void(unsigned, unsigned)> progress) {
  bool keep = options.emit == "source";
  llvm::Expected<std::vector<Source>> files =
      writeSources(staging, library, sources, installation, keep);
  if (!files)
    return files.takeError();
  Compiler compiler(staging, sources, toolchain, options, installation, cache);
  constexpr unsigned links = 4;
  unsigned done = 0, total = links;
  llvm::Expected<std::vector<std::string>> compiled =
      compiler.compile(*files, [&](unsigned sources) {
        total = sources + links;
        progress(++done, total);
      });
  if (!compiled)
    return compiled.takeError();
  std::vector<std::string> objects = std::move(*compiled);
  for (const CompiledKernel &kernel : sources.kernels)
    objects.push_back(kernel.objectPath);

  LibraryObjects parts;
  for (auto [index, object] : llvm::enumerate(objects)) {
    Part part = index < files->size() ? (*files)[index].part : Part::Other;
    (part == Part::Forward   ? parts.forwards
     : part == Part::Runtime ? parts.runtime
                             : parts.others)
        .push_back(object);
  }
  llvm::Expected<StackBytes> stack = StackBytes::measure(parts, library);
  if (!stack)
    return stack.takeError();
  llvm::Expected<std::string> api = describe(*stack);
  if (!api)
    return api.takeError();
  std::string apiPath = sourcePath(staging, "api.cpp", keep);
  if (llvm::Error error = writeFile(apiPath, *api))
    return error;
  llvm::Expected<std::vector<std::string>> apiObject =
      compiler.compile(Source{apiPath, Part::Api, /*includesModel=*/true},
                       [&](unsigned) { progress(++done, ++total); });
  if (!apiObject)
    return apiObject.takeError();
  if (llvm::Error error = stack->check(apiObject->front()))
    return error;
  objects.push_back(apiObject->front());

  // One object in which everything but the API is local: two models can then
  // stand in one program. Groups are resolved now, because a group whose
  // symbols became local could otherwise be dropped in favour of another
  // library's.
  std::string merged = staging.scratch("objects/" + library.name + ".merged.o");
  std::string exported = staging.scratch("objects/" + library.name + ".o");
  std::vector<std::string> merge = {
      "-r", "-nostdlib", "-Wl,--force-group-allocation", "-o", merged};
  llvm::append_range(merge, objects);
  std::vector<std::string> exports = {"--strip-unneeded", merged, exported};
  // By their whole names: kernels may begin in the library's name, too.
  for (llvm::StringRef function : apiFunctions)
    exports.push_back("--keep-global-symbol=" + library.name + "_" +
                      function.str());
  std::string archive = staging.path("lib/lib" + library.name + ".a"),
              shared = staging.path("lib/lib" + library.name + ".so");
  std::vector<ProcessRequest> linkCalls = {
      compilerCall(staging, toolchain, merge),
      {toolchain.objcopy, exports},
      {toolchain.ar, {"rcsD", archive, exported}},
      // Not the C++ driver's libraries: the product needs libc and libm only.
      compilerCall(staging, toolchain,
                   {"-shared", "-nodefaultlibs", "-Wl,--no-undefined",
                    "-Wl,-z,now", "-Wl,-z,noexecstack",
                    "-Wl,-soname,lib" + library.name + ".so", "-o", shared,
                    exported, "-lm", "-lc", "-lgcc"})};
  for (const ProcessRequest &link : linkCalls) {
    if (llvm::Error failed = runProcess(link))
      return failed;
    progress(++done, total);
  }
  if (keep)
    return copyTree(installation.runtimeFolder, staging, "src/runtime");
  return llvm::Error::success();
}
