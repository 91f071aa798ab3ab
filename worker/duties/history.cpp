#include "storage/fields.hpp"
#include "storage/sql.hpp"
#include "worker/duties/duties.hpp"

namespace waybill::worker {
namespace {

constexpr int tokens_retention_days = 400;  // after the end of a token; lists show it until then
constexpr std::int64_t rows_per_transaction = 1'000;
constexpr int max_transactions = 100;

/// Repeats a statement that deletes a bounded number of rows until no row is left or the limit is reached.
void expire(storage::Session& session, const storage::Statement& statement, int days) {
  for (int i = 0; i < max_transactions; ++i) {
    const storage::Rows rows = session.run(statement, days, rows_per_transaction);
    if (storage::RowView(rows, 0).number(0) < rows_per_transaction) return;
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
