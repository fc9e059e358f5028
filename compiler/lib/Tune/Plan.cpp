// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Plan.h"

#include "vitc/Records/Machine.h"
#include "vitc/Support/Escape.h"
#include "vitc/Support/FamilyJson.h"

#include "families/Families.h"

#include "llvm/ADT/STLExtras.h"

#include <set>

using namespace vitc;
using namespace vitc::tune;
namespace json = llvm::json;

/// The families whose kernels vitc-measure can check.
static llvm::Expected<std::set<std::string>>
checkedFamilies(llvm::StringRef measureProgram) {
  llvm::Expected<json::Value> answer =
      askProgram(measureProgram, {"--families"});
  if (!answer)
    return answer.takeError();
  std::set<std::string> names;
  if (const json::Array *array = answer->getAsArray())
    for (const json::Value &name : *array)
      names.insert(name.getAsString().value_or("").str());
  return names;
}

/// The spaces of a kernel, one of each backend that has its family.
static llvm::Expected<std::vector<Space>> askSpaces(const KernelRow &kernel,
                                                    const Tools &tools) {
  std::vector<Space> spaces;
  llvm::Error refused = llvm::Error::success();
  for (const auto &[backend, program] : tools.backends) {
    auto space = Space::ask(backend, program, kernel, tools.folder);
    if (space)
      spaces.push_back(std::move(*space));
    else
      refused = llvm::joinErrors(std::move(refused), space.takeError());
  }
  if (spaces.empty())
    return refused;
  llvm::consumeError(std::move(refused));
  return spaces;
}

/// Whether a kernel of float32 has weights or rows of fewer bits.
static bool widensOperands(const KernelRow &kernel) {
  std::optional<families::AnySpec> any = families::makeSpec(kernel.family);
  return any && std::visit(
                    [&](auto &spec) {
                      return !spec.read(fieldValues(kernel.spec)) &&
                             families::widens(spec);
                    },
                    *any);
}

/// Why a kernel is not tuned; empty if it is.
static llvm::Expected<std::string>
reasonAgainst(const KernelRow &kernel, const TuneOptions &options,
              const std::set<std::string> &families, const Tools &tools) {
  if (!options.kernels.empty() &&
      llvm::none_of(options.kernels, [&](const std::string &part) {
        return llvm::StringRef(kernel.name).contains(part);
      }))
    return "not among those asked for";
  if (options.measuresHere && !llvm::is_contained(tools.targets, kernel.target))
    return "this machine does not run " + kernel.target;
  if (!families.count(kernel.family))
    return "the family " + kernel.family + " is not tuned";
  if (widensOperands(kernel))
    return "its operands of fewer bits are widened, which is not tuned";
  auto spaces = askSpaces(kernel, tools);
  if (!spaces)
    return spaces.takeError();
  for (Space &space : *spaces)
    if (Search(kernel, std::move(space), options.threads, options.strategy,
               options.seed)
            .isOpen())
      return "";
  return "nothing to choose with " + std::to_string(options.threads) +
         (options.threads == 1 ? " thread" : " threads");
}

llvm::Expected<Plan> vitc::tune::planSession(const TuneOptions &options,
                                             const Installation &installation,
                                             const Tools &tools) {
  // What a kernel computes does not depend on who compiles it.
  CompileOptions model = options.model;
  model.backend = "halide";
  llvm::Expected<std::vector<PlannedKernel>> planned =
      planKernels(model, installation);
  if (!planned)
    return planned.takeError();
  auto families = checkedFamilies(tools.measureProgram);
  if (!families)
    return families.takeError();
  Plan plan;
  json::Object reasons;
  for (PlannedKernel &kernel : *planned) {
    KernelRow row;
    row.key = kernelKey(kernel.family, kernel.spec, kernel.target);
    row.name = kernel.name;
    row.family = kernel.family;
    row.target = kernel.target;
    row.spec = std::move(kernel.spec);
    row.calls = kernel.calls;
    row.flops = kernel.flops;
    auto reason = reasonAgainst(row, options, *families, tools);
    if (!reason)
      return reason.takeError();
    if (reason->empty())
      plan.kernels.push_back(std::move(row));
    else
      reasons[row.name] = *reason;
  }
  if (plan.kernels.empty())
    return userError(
        options.model.model,
        "has no kernel to tune here: " +
            (reasons.empty()
                 ? "it has none at all"
                 : reasons.begin()->second.getAsString().value_or("")));
  SessionRow &session = plan.session;
  session.model = utf8Text(options.model.model);
  session.target = planned->front().library;
  session.cpu = options.cpu.empty() ? thisMachine().cpu : options.cpu;
  session.machine = options.cpu.empty() ? thisMachine().description : "";
  session.command = utf8Text(options.command);
  session.threads = options.threads;
  session.options = json::Object{
      {"not_tuned", std::move(reasons)},
      {"search", options.strategy == Strategy::Random ? "random" : "evolution"},
      {"start", options.startRandom ? "random" : "default"},
      {"backend", options.model.backend},
      {"seed", int64_t(options.seed)},
      {"ignore_records", options.ignoreRecords}};
  return plan;
}

llvm::Expected<std::vector<TunedKernel>>
vitc::tune::makeSearches(const SessionRow &session,
                         llvm::ArrayRef<KernelRow> kernels, size_t tried,
                         const Tools &tools, const WarningHandler &warn) {
  Strategy strategy = session.options.getString("search") == "random"
                          ? Strategy::Random
                          : Strategy::Evolution;
  std::vector<TunedKernel> targets;
  for (const KernelRow &kernel : kernels) {
    auto spaces = askSpaces(kernel, tools);
    if (!spaces) {
      warn("kernel " + kernel.name +
           " is left out: " + llvm::toString(spaces.takeError()));
      continue;
    }
    TunedKernel &target = targets.emplace_back();
    target.kernel = &kernel;
    for (Space &space : *spaces) {
      // A resumed session must not repeat its first draws.
      uint64_t seed =
          uint64_t(session.options.getInteger("seed").value_or(1)) * 1000003 +
          uint64_t(kernel.id) * 7919 + tried;
      target.searches.push_back(std::make_unique<Search>(
          kernel, std::move(space), session.threads, strategy, seed));
    }
  }
  if (targets.empty())
    return userError(session.model, "has no kernel that this installation of "
                                    "vitc can tune");
  return targets;
}

llvm::Expected<std::vector<TrialRow>>
vitc::tune::firstTrials(const SessionRow &session, const TunedKernel &target,
                        Search &search, llvm::ArrayRef<TrialRow> trials,
                        const RecordSet &records) {
  std::vector<TrialRow> first;
  const std::string &backend = search.getSpace().backend;
  if (llvm::any_of(trials, [&](const TrialRow &trial) {
        return trial.kernel == target.kernel->id && trial.backend == backend;
      }))
    return first;
  if (session.options.getString("start") == "random")
    return search.propose({}, CostModel(), 1);
  TrialRow standard;
  standard.backend = backend;
  standard.proposer = "default";
  first.push_back(std::move(standard));
  for (const Record *record : records.find(target.kernel->key)) {
    if (record->backend != backend)
      continue;
    TrialRow known;
    known.backend = backend;
    known.proposer = "record";
    known.schedule = record->schedule;
    first.push_back(std::move(known));
  }
  return first;
}
