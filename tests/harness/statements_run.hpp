#pragma once

#include <string>

#include "tests/harness/postgres.hpp"

namespace waybill::tests {

/// True if STATEMENTS_RUN_FOLDER names a folder: the tests then record the statements of storage/sql/ that
/// they run, as counted by pg_stat_statements.
bool records_statements();

/// Records the statements that were run in a database of the test cluster.
void record_statements(Session& admin, const std::string& database);

/// Writes the names of the recorded statements, one on each line, to a file in the folder.
void write_recorded_statements();

}  // namespace waybill::tests
