// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "TrialColumns.h"

#include "vitc/Records/Records.h"

#include "llvm/ADT/StringExtras.h"

#include <variant>

using namespace vitc;
using namespace vitc::tune;
namespace json = llvm::json;

namespace {

using Member =
    std::variant<int64_t TrialRow::*, double TrialRow::*,
                 std::string TrialRow::*, json::Object TrialRow::*,
                 TrialKind TrialRow::*, TrialState TrialRow::*,
                 double Measurement::*, std::string Measurement::*,
                 json::Object Measurement::*, Outcome Measurement::*>;

struct TrialColumn {
  llvm::StringLiteral name;
  Member member;
  Written written;
  llvm::StringLiteral constraint = "";
};

} // namespace

static const TrialColumn columns[] = {
    {"id", &TrialRow::id, Written::ByStore},
    {"kernel", &TrialRow::kernel, Written::ByStore,
     "NOT NULL REFERENCES kernels"},
    {"kind", &TrialRow::kind, Written::Queued, "NOT NULL"},
    {"backend", &TrialRow::backend, Written::Queued, "NOT NULL"},
    {"schedule", &TrialRow::schedule, Written::Queued, "NOT NULL"},
    {"proposer", &TrialRow::proposer, Written::Queued, "NOT NULL"},
    {"state", &TrialRow::state, Written::ByStore, "NOT NULL"},
    {"worker", &TrialRow::worker, Written::ByStore},
    {"attempts", &TrialRow::attempts, Written::ByStore, "NOT NULL DEFAULT 0"},
    {"finished", &TrialRow::finished, Written::ByStore},
    {"score", &TrialRow::score, Written::DoneOk},
    {"outcome", &Measurement::outcome, Written::Done},
    {"detail", &Measurement::detail, Written::Done},
    {"seconds", &Measurement::seconds, Written::DoneOk},
    {"warm_seconds", &Measurement::warmSeconds, Written::DoneOk},
    {"baseline_seconds", &Measurement::baselineSeconds, Written::DoneOk},
    {"paired_ratio", &Measurement::pairedRatio, Written::DoneOk},
    {"noise", &Measurement::noise, Written::DoneOk},
    {"compile_seconds", &Measurement::compileSeconds, Written::Done},
    {"peak", &Measurement::peak, Written::Done},
    {"backend_version", &Measurement::backendVersion, Written::Done},
    {"full_schedule", &Measurement::schedule, Written::Done},
    {"code", &Measurement::code, Written::Done},
    // A comparison's is known when it is queued.
    {"baseline_backend", &Measurement::baselineBackend, Written::QueuedAndDone},
    {"baseline_backend_version", &Measurement::baselineBackendVersion,
     Written::Done},
    {"baseline_schedule", &Measurement::baselineSchedule, Written::Done},
    {"baseline_code", &Measurement::baselineCode, Written::Done},
};

/// Calls `use` with the member itself, of `trial` or of its result.
template <typename Trial, typename Use>
static auto visitMember(const TrialColumn &column, Trial &trial, Use use) {
  return std::visit(
      [&](auto member) {
        if constexpr (std::is_invocable_v<decltype(member), Trial &>)
          return use(trial.*member);
        else
          return use(trial.result.*member);
      },
      column.member);
}

static llvm::StringRef typeOf(const int64_t &) { return "BIGINT"; }
static llvm::StringRef typeOf(const double &) { return "DOUBLE PRECISION"; }
template <typename T>
static llvm::StringRef typeOf(const T &) {
  return "TEXT";
}

std::string vitc::tune::trialColumnDefinitions(llvm::StringRef identityColumn) {
  std::string text;
  TrialRow any;
  for (const TrialColumn &column : columns) {
    llvm::StringRef type =
        visitMember(column, any, [](auto &value) { return typeOf(value); });
    if (column.name == "id")
      type = identityColumn;
    text += (text.empty() ? "" : ", ") + column.name.str() + " " + type.str();
    if (!column.constraint.empty())
      text += " " + column.constraint.str();
  }
  return text;
}

const std::string &vitc::tune::trialColumnNames() {
  static const std::string names = [] {
    std::string text;
    for (const TrialColumn &column : columns)
      text += (text.empty() ? "" : ", ") + column.name.str();
    return text;
  }();
  return names;
}

TrialRow vitc::tune::readTrial(const Row &row) {
  TrialRow trial;
  RowReader reader(row);
  for (const TrialColumn &column : columns)
    visitMember(column, trial,
                [&](auto &value) { reader.read(column.name, value); });
  if (!isSchedule(trial.schedule) || !isSchedule(trial.result.schedule))
    reader.complain("a schedule must be an object of integers");
  if (trial.isOk() && !(trial.result.seconds > 0 && trial.score > 0))
    reader.complain("the outcome is ok, and there is no time");
  trial.complaint = reader.getComplaint();
  if (!trial.complaint.empty()) {
    trial.result.outcome = Outcome::Invalid;
    trial.result.detail = trial.complaint;
  }
  return trial;
}

static ColumnValues valuesOf(const TrialRow &trial,
                             llvm::ArrayRef<Written> times) {
  ColumnValues result;
  for (const TrialColumn &column : columns) {
    if (!llvm::is_contained(times, column.written))
      continue;
    result.names.push_back(column.name.str());
    bool isUnknown = column.written == Written::DoneOk &&
                     trial.result.outcome != Outcome::Ok;
    result.values.push_back(
        isUnknown ? Field() : visitMember(column, trial, [](const auto &value) {
          return Field(toText(value));
        }));
  }
  return result;
}

ColumnValues vitc::tune::queuedColumns(const TrialRow &trial) {
  return valuesOf(trial, {Written::Queued, Written::QueuedAndDone});
}

ColumnValues vitc::tune::resultColumns(const TrialRow &trial) {
  return valuesOf(trial,
                  {Written::QueuedAndDone, Written::Done, Written::DoneOk});
}
