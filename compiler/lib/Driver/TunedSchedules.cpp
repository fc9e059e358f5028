#include "TunedSchedules.h"

#include "vitc/Tune/Machine.h"
#include "vitc/Tune/Store.h"

#include "llvm/Support/FormatVariadic.h"

using namespace vitc;
namespace json = llvm::json;

llvm::Expected<TunedSchedules>
TunedSchedules::open(const CompileOptions &options,
                     const Installation &installation) {
  tune::RecordSet records(tune::thisMachine().cpu);
  if (!options.ignoreRecords)
    if (llvm::Error error = records.addFolder(installation.recordsFolder))
      return error;
  if (!options.tuneDatabase.empty()) {
    auto store = tune::Store::open(options.tuneDatabase, /*create=*/false);
    if (!store)
      return store.takeError();
    auto found = store->getRecords();
    if (!found)
      return found.takeError();
    records.add(std::move(*found));
  }
  return TunedSchedules(std::move(records), options.backend == "auto");
}

std::vector<KernelRequest>
TunedSchedules::apply(llvm::ArrayRef<KernelRequest> requests,
                      std::vector<const tune::Record *> &used) const {
  std::vector<KernelRequest> result(requests.begin(), requests.end());
  used.assign(requests.size(), nullptr);
  if (records.empty())
    return result;
  for (auto [request, record] : llvm::zip(result, used)) {
    json::Value document = llvm::cantFail(json::parse(request.specification));
    json::Object &fields = *document.getAsObject();
    std::string key =
        tune::kernelKey(*fields.getString("family"), *fields.getObject("spec"),
                        *fields.getString("target"));
    record = records.find(key, request.backend);
    if (!record)
      continue;
    const tune::Record *other =
        choosesBackend ? records.find(key, "tvm") : nullptr;
    if (other && other->seconds < record->seconds) {
      record = other;
      request.backend = other->backend;
    }
    fields["schedule"] = json::Object(record->schedule);
    request.specification = llvm::formatv("{0}", document).str();
  }
  return result;
}
