#include "storage/fields.hpp"
#include "storage/sql.hpp"
#include "worker/duties/duties.hpp"

namespace waybill::worker {
namespace {

constexpr int tokens_retention_days = 400;  // after the end of a token, which lists show until then
constexpr std::int64_t rows_of_a_transaction = 1'000;
constexpr int transactions_of_a_call = 100;

/// Runs a statement that deletes a bounded number of rows until none is left.
void expire(storage::Session& session, const storage::Statement& statement, int days) {
  for (int i = 0; i < transactions_of_a_call; ++i) {
    const storage::Rows rows = session.run(statement, days, rows_of_a_transaction);
    if (storage::RowView(rows, 0).number(0) < rows_of_a_transaction) return;
  }
}

}  // namespace

void expire_history(storage::Session& session, const DutyOptions& options) {
  expire(session, storage::sql::duties::expire_versions, options.retention_days);
  expire(session, storage::sql::duties::expire_template_versions, options.retention_days);
  expire(session, storage::sql::duties::expire_switches, options.retention_days);
  expire(session, storage::sql::duties::expire_tokens, tokens_retention_days);
}

}  // namespace waybill::worker
