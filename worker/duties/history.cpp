#include "storage/sql.hpp"
#include "worker/duties/duties.hpp"

namespace waybill::worker {
namespace {

constexpr int tokens_retention_days = 400;  // after the end of a token; lists show it until then
constexpr std::int64_t rows_per_transaction = 1'000;
constexpr int max_transactions = 100;

/// Repeats a statement that deletes a bounded number of rows until no row is left or the limit is reached.
void expire(storage::blocking::Connection& session, const storage::Statement& statement, int days) {
  for (int i = 0; i < max_transactions; ++i) {
    const pqxx::result rows = session.run(statement, days, rows_per_transaction);
    if (rows.at(0)["expired"].as<std::int64_t>() < rows_per_transaction) return;
  }
}

}  // namespace

void expire_history(storage::blocking::Connection& session, const DutyOptions& options) {
  expire(session, storage::sql::duties::expire_versions, options.retention_days);
  expire(session, storage::sql::duties::expire_template_versions, options.retention_days);
  expire(session, storage::sql::duties::expire_switches, options.retention_days);
  expire(session, storage::sql::duties::expire_tokens, tokens_retention_days);
}

}  // namespace waybill::worker
