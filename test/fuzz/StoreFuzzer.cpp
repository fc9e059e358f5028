// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// Rows of a tuning database: the input is a JSON object of tables, each with
/// the columns of its only row. They are read as workers, reports and
/// `vitc compile` read them.
#include "Readers.h"

#include "vitc/Support/Json.h"
#include "vitc/Tune/Summary.h"

#include "llvm/Support/FormatVariadic.h"

using namespace vitc;
using namespace vitc::fuzz;
using namespace vitc::tune;

static constexpr const char *tables[] = {"sessions", "kernels", "trials",
                                         "records"};

namespace {

/// A database with tables, and two connections to it: vitc's own, and one that
/// puts the rows in.
class Tuning {
public:
  Tuning()
      : store(
            check(Store::open(folder.at("tune.db"), /*create=*/true, nullptr))),
        database(check(Database::open(folder.at("tune.db"), false, nullptr))) {
    // Neither the disk nor the rules of the tables are what is tested.
    check(database->run("PRAGMA synchronous = OFF"));
    check(database->run("PRAGMA foreign_keys = OFF"));
    for (const char *table : tables)
      for (const Row &row : check(database->run(
               std::string("SELECT name FROM pragma_table_info('") + table +
               "')")))
        columns[table].push_back(row[0].value_or(""));
  }

  /// Replaces the rows of all tables. What the tables refuse is left out.
  void fill(const llvm::json::Object &input) {
    check(database->run("BEGIN"));
    for (const char *table : tables) {
      check(database->run(std::string("DELETE FROM ") + table));
      if (const llvm::json::Object *row = input.getObject(table))
        insert(table, *row);
    }
    check(database->run("COMMIT"));
  }

  MemoryFolder folder;
  llvm::ExitOnError check;
  Store store;

private:
  void insert(const std::string &table, const llvm::json::Object &row) {
    std::string names = "id", places = "1";
    std::vector<Field> fields;
    for (const std::string &column : columns[table]) {
      const llvm::json::Value *value = row.get(column);
      if (!value || column == "id")
        continue;
      names += ", " + column;
      fields.push_back(fieldOf(*value));
      if (table == "kernels" && column == "key" && fields.back() == "key")
        fields.back() = keyOf(row);
      places += ", $" + std::to_string(fields.size());
    }
    auto done = database->run("INSERT INTO " + table + " (" + names +
                                  ") VALUES (" + places + ")",
                              fields);
    // Tables refuse some inputs: what is left is read all the same.
    (void)isValue(done);
  }

  static Field fieldOf(const llvm::json::Value &value) {
    if (value.kind() == llvm::json::Value::Null)
      return std::nullopt;
    if (auto text = value.getAsString())
      return text->str();
    return llvm::formatv("{0}", value).str();
  }

  /// The only key that such a row is read with: no change of an input would
  /// find it.
  static std::string keyOf(const llvm::json::Object &row) {
    auto text = [&](llvm::StringRef column) {
      const llvm::json::Value *value = row.get(column);
      return value ? fieldOf(*value).value_or("") : "";
    };
    llvm::Expected<llvm::json::Object> spec =
        parseJsonObject("spec", text("spec"));
    return isValue(spec) ? kernelKey(text("family"), *spec, text("target"))
                         : "key";
  }

  std::unique_ptr<Database> database;
  std::map<std::string, std::vector<std::string>> columns;
};

} // namespace

static void readAll(Store &store) {
  auto use = [](auto result) { (void)isValue(result); };
  use(store.findUnfinished("", "cpu"));
  use(store.findLatest());
  use(store.getSession(1));
  use(store.getKernels(1));
  if (auto kernel = store.getKernel(1);
      isValue(kernel) && !kernel->complaint.empty())
    refused(kernel->complaint);
  if (auto trials = store.getTrials(1); isValue(trials))
    for (const TrialRow &trial : *trials)
      if (!trial.complaint.empty())
        refused(trial.complaint);
  const std::vector<std::string> backends = {"halide", "tvm"};
  use(store.getBest(1, backends));
  use(store.getAnchor(1, backends));
  if (auto records = store.getRecords().get();
      isValue(records) && records->empty())
    refused("there is no record");
  auto summary = summarize(store, 1);
  if (isValue(summary)) {
    // The page and the figures have to be well-formed whatever the rows say.
    (void)renderReport(*summary);
    std::string figures =
        llvm::formatv("{0}", llvm::json::Value(summary->toJson())).str();
    auto again = parseJsonValue("figures", figures);
    if (!isValue(again))
      fault("the figures of a session are not JSON: " + figures);
  }
  // Workers: they change the rows.
  const Capabilities capabilities = {"cpu", backends, {"x86-64-avx2"}};
  auto trials = store.claim("worker", capabilities, /*session=*/0, /*count=*/4,
                            /*leaseSeconds=*/10);
  if (isValue(trials))
    for (const TrialRow &trial : *trials) {
      use(store.begin(trial, "worker", 10));
      use(store.complete(trial, "worker"));
    }
  use(store.reclaim(1, /*leaseSeconds=*/10));
  use(store.countOpen(1));
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static Tuning tuning;
  auto input = parseJson("input.json", textOf(data, size));
  if (!isValue(input))
    return -1;
  tuning.fill(*input->getFile().root.getAsObject());
  readAll(tuning.store);
  return 0;
}
