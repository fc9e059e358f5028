// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "vitc/Tune/Records.h"

#include "vitc/Support/File.h"

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
constexpr int64_t recordVersion = 2;

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
      {"rival", json::Object{{"backend", rival.backend},
                             {"backend_version", rival.backendVersion},
                             {"schedule", json::Object(rival.schedule)},
                             {"code", rival.code},
                             {"seconds", rival.seconds}}}};
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

namespace {

/// Takes the fields of a record one by one and keeps the first complaint.
class RecordReader {
public:
  /// `where` is put before the fields' names.
  RecordReader(const json::Object &object, std::string where = "")
      : object(object), where(std::move(where)) {}

  void read(llvm::StringRef name, std::string &value) {
    if (auto text = object.getString(name))
      value = text->str();
    else
      complain(name, "a string");
  }
  void read(llvm::StringRef name, double &value) {
    if (auto number = object.getNumber(name); number && *number >= 0)
      value = *number;
    else
      complain(name, "a number of at least 0");
  }
  void readSeconds(llvm::StringRef name, double &value) {
    read(name, value);
    if (value == 0)
      complain(name, "a number of more than 0");
  }
  void read(llvm::StringRef name, int64_t &value) {
    if (auto number = object.getInteger(name); number && *number >= 1)
      value = *number;
    else
      complain(name, "an integer of at least 1");
  }
  void read(llvm::StringRef name, json::Object &value) {
    if (const json::Object *inner = object.getObject(name))
      value = *inner;
    else
      complain(name, "an object");
  }
  /// A schedule: an object of integers.
  void readSchedule(llvm::StringRef name, json::Object &value) {
    read(name, value);
    for (const auto &[parameter, setting] : value)
      if (!setting.getAsInteger())
        complain(name, "an object of integers");
  }
  void complain(llvm::StringRef name, const llvm::Twine &expected) {
    if (complaint.empty())
      complaint =
          (where + name + (object.get(name) ? " must be " : " is missing: ") +
           expected)
              .str();
  }

  std::string complaint;

private:
  const json::Object &object;
  std::string where;
};

} // namespace

llvm::Expected<Record> vitc::tune::parseRecord(llvm::StringRef place,
                                               llvm::StringRef line) {
  llvm::Expected<json::Value> value = json::parse(line);
  if (!value)
    return userError(place, "not JSON: " + llvm::toString(value.takeError()));
  const json::Object *object = value->getAsObject();
  if (!object)
    return userError(place, "a record is a JSON object");
  if (object->getInteger("record") != recordVersion)
    return userError(place, "record must be " + llvm::Twine(recordVersion) +
                                ", the version of the format");
  Record record;
  record.place = place.str();
  RecordReader reader(*object);
  reader.read("family", record.family);
  reader.read("target", record.target);
  reader.read("spec", record.spec);
  reader.read("cpu", record.cpu);
  reader.read("machine", record.machine);
  reader.read("backend", record.backend);
  reader.read("backend_version", record.backendVersion);
  reader.read("vitc", record.vitcVersion);
  reader.readSchedule("schedule", record.schedule);
  reader.read("code", record.code);
  reader.read("threads", record.threads);
  reader.readSeconds("seconds", record.seconds);
  reader.read("share_of_peak", record.share);
  reader.read("date", record.date);
  reader.read("command", record.command);
  json::Object rival;
  reader.read("rival", rival);
  RecordReader rivals(rival, "rival.");
  rivals.read("backend", record.rival.backend);
  rivals.read("backend_version", record.rival.backendVersion);
  rivals.readSchedule("schedule", record.rival.schedule);
  rivals.read("code", record.rival.code);
  rivals.readSeconds("seconds", record.rival.seconds);
  if (reader.complaint.empty())
    reader.complaint = rivals.complaint;
  if (!reader.complaint.empty())
    return userError(place, reader.complaint);
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
    line = line.trim();
    if (line.empty() || line.starts_with("#"))
      continue;
    llvm::Expected<Record> record =
        parseRecord((path + ":" + llvm::Twine(number)).str(), line);
    if (!record)
      return record.takeError();
    records.push_back(std::move(*record));
  }
  return records;
}

void RecordSet::add(std::vector<Record> more) {
  for (Record &record : more)
    if (record.cpu == cpu) {
      Place place = {record.key(), record.backend, record.rival.backend};
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
