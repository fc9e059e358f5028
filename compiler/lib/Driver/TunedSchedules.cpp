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
  return TunedSchedules(std::move(records));
}

std::vector<KernelRequest>
TunedSchedules::apply(llvm::ArrayRef<KernelRequest> requests,
                      std::vector<const tune::Record *> &used) const {
  constexpr llvm::StringLiteral backend = "halide";
  std::vector<KernelRequest> result(requests.begin(), requests.end());
  used.assign(requests.size(), nullptr);
  if (records.empty())
    return result;
  for (auto [request, record] : llvm::zip(result, used)) {
    json::Value document = llvm::cantFail(json::parse(request.specification));
    json::Object &fields = *document.getAsObject();
    record = records.find(tune::kernelKey(*fields.getString("family"),
                                          *fields.getObject("spec"),
                                          *fields.getString("target")),
                          backend);
    if (!record)
      continue;
    fields["schedule"] = json::Object(record->schedule);
    request.specification = llvm::formatv("{0}", document).str();
  }
  return result;
}
