// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vitc/Records/Records.h"

#include "vitc/Support/File.h"
#include "vitc/Support/JsonReader.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SHA256.h"

using namespace vitc;
using namespace vitc::tune;
namespace json = llvm::json;

/// Of the format of a line.
constexpr int64_t recordVersion = 3;

static std::string print(json::Value value) {
  // llvm::json writes the keys of an object in their order: one text for one
  // value.
  return llvm::formatv("{0}", value).str();
}

std::string vitc::tune::kernelKey(llvm::StringRef family,
                                  const json::Object &spec,
                                  llvm::StringRef target) {
  std::string text =
      family.str() + "\n" + target.str() + "\n" + print(json::Object(spec));
  return llvm::toHex(llvm::SHA256::hash(llvm::arrayRefFromStringRef(text)),
                     /*LowerCase=*/true)
      .substr(0, 32);
}

std::string Record::key() const { return kernelKey(family, spec, target); }

json::Object Record::provenance() const {
  return json::Object{
      {"cpu", cpu},
      {"machine", machine},
      {"date", date},
      {"command", command},
      {"vitc", vitcVersion},
      {"threads", threads},
      {"seconds", seconds},
      {"share_of_peak", share},
      {"baseline", json::Object{{"backend", baseline.backend},
                                {"backend_version", baseline.backendVersion},
                                {"schedule", json::Object(baseline.schedule)},
                                {"code", baseline.code},
                                {"seconds", baseline.seconds}}}};
}

std::string Record::toLine() const {
  json::Object object = provenance();
  object["record"] = recordVersion;
  object["family"] = family;
  object["target"] = target;
  object["spec"] = json::Object(spec);
  object["backend"] = backend;
  object["backend_version"] = backendVersion;
  object["schedule"] = json::Object(schedule);
  object["code"] = code;
  return print(std::move(object));
}

/// Of what a record may say: more threads than any machine has.
constexpr int64_t mostThreads = 4096;

bool vitc::tune::isSchedule(const json::Object &object) {
  return llvm::all_of(
      object, [](const auto &entry) { return entry.second.getAsInteger(); });
}

namespace {

/// The fields that records have.
class RecordReader : public JsonReader {
public:
  using JsonReader::JsonReader;
  std::string text(llvm::StringRef key) {
    return JsonReader::text(key, std::nullopt);
  }
  double seconds(llvm::StringRef key) { return above0(key, std::nullopt); }
  /// An object of integers.
  json::Object schedule(llvm::StringRef key) {
    json::Object value = objectAt(key);
    if (!isSchedule(value))
      refuse(key, key + " must be an object of integers");
    return value;
  }
};

} // namespace

llvm::Expected<Record> vitc::tune::parseRecord(llvm::StringRef path,
                                               llvm::StringRef line,
                                               unsigned number) {
  llvm::Expected<JsonObject> object = parseJson(path, line.str(), number);
  if (!object)
    return object.takeError();
  RecordReader reader(*object);
  if (object->raw().getInteger("record") != recordVersion)
    reader.refuse("record", "record must be " + llvm::Twine(recordVersion) +
                                ", the version of the format");
  Record record;
  record.place = (path + ":" + llvm::Twine(number)).str();
  record.family = reader.text("family");
  record.target = reader.text("target");
  record.spec = reader.objectAt("spec");
  record.cpu = reader.text("cpu");
  record.machine = reader.text("machine");
  record.backend = reader.text("backend");
  record.backendVersion = reader.text("backend_version");
  record.vitcVersion = reader.text("vitc");
  record.schedule = reader.schedule("schedule");
  record.code = reader.text("code");
  record.threads = reader.positive("threads", std::nullopt, mostThreads);
  record.seconds = reader.seconds("seconds");
  record.share = reader.number("share_of_peak", std::nullopt, 0,
                               std::numeric_limits<double>::max());
  record.date = reader.text("date");
  record.command = reader.text("command");
  if (llvm::Expected<JsonObject> baseline = object->getObject("baseline")) {
    RecordReader baselines(*baseline);
    record.baseline.backend = baselines.text("backend");
    record.baseline.backendVersion = baselines.text("backend_version");
    record.baseline.schedule = baselines.schedule("schedule");
    record.baseline.code = baselines.text("code");
    record.baseline.seconds = baselines.seconds("seconds");
    reader.fail(baselines.finish());
  } else {
    reader.fail(baseline.takeError());
  }
  if (llvm::Error error = reader.finish())
    return error;
  return record;
}

llvm::Expected<std::vector<Record>>
vitc::tune::readRecords(llvm::StringRef path) {
  constexpr uint64_t largest = 256 << 20;
  auto buffer = mapFile(path, largest);
  if (!buffer)
    return buffer.takeError();
  std::vector<Record> records;
  unsigned number = 0;
  for (llvm::StringRef line : llvm::split((*buffer)->getBuffer(), '\n')) {
    ++number;
    if (line.trim().empty() || line.trim().starts_with("#"))
      continue;
    llvm::Expected<Record> record = parseRecord(path, line, number);
    if (!record)
      return record.takeError();
    records.push_back(std::move(*record));
  }
  return records;
}

void RecordSet::add(std::vector<Record> more) {
  for (Record &record : more)
    if (record.cpu == cpu) {
      Place place = {record.key(), record.backend, record.baseline.backend};
      records.insert_or_assign(std::move(place), std::move(record));
    }
}

llvm::Error RecordSet::addFolder(llvm::StringRef folder) {
  std::vector<std::string> files;
  std::error_code code;
  for (llvm::sys::fs::directory_iterator it(folder, code), end;
       it != end && !code; it.increment(code))
    if (llvm::sys::path::extension(it->path()) == ".jsonl")
      files.push_back(it->path());
  llvm::sort(files);
  for (const std::string &file : files) {
    llvm::Expected<std::vector<Record>> found = readRecords(file);
    if (!found)
      return found.takeError();
    add(std::move(*found));
  }
  return llvm::Error::success();
}

std::vector<const Record *> RecordSet::find(llvm::StringRef key) const {
  std::vector<const Record *> found;
  for (auto it = records.lower_bound({key.str()});
       it != records.end() && it->first.front() == key; ++it)
    found.push_back(&it->second);
  return found;
}
