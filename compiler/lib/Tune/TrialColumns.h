// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
/// The columns of a trial: listed once, for making the table, for queuing, for
/// reading and for reporting.
#ifndef VITC_LIB_TUNE_TRIALCOLUMNS_H
#define VITC_LIB_TUNE_TRIALCOLUMNS_H

#include "RowText.h"

namespace vitc::tune {

/// Who writes a column that stands for a member of TrialRow.
enum class Written {
  ByStore, ///< the statements that change a trial's state
  Queued,  ///< with the row
  QueuedAndDone,
  Done,  ///< with the result
  DoneOk ///< with the result if there was one to measure, else NULL
};

/// "id …, kernel …", as CREATE TABLE wants them; without the columns that only
/// statements know.
std::string trialColumnDefinitions(llvm::StringRef identityColumn);
/// "id, kernel, …": what `readTrial` expects.
const std::string &trialColumnNames();
TrialRow readTrial(const Row &row);

/// Names and values of the columns that are written at one time.
struct ColumnValues {
  std::vector<std::string> names;
  std::vector<Field> values;
};
ColumnValues queuedColumns(const TrialRow &trial);
ColumnValues resultColumns(const TrialRow &trial);

} // namespace vitc::tune

#endif // VITC_LIB_TUNE_TRIALCOLUMNS_H
