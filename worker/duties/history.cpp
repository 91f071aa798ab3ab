#include "storage/sql/duties.sql.hpp"
#include "worker/duties/duties.hpp"
#include "worker/duties/parts.hpp"

namespace waybill::worker {
namespace {

constexpr int tokens_retention_days = 400;  // after the end of a token; lists show it until then
constexpr int audit_retention_days = 400;
constexpr std::int64_t rows_per_transaction = 1'000;
constexpr int max_transactions = 100;

/// Repeats a statement that deletes a bounded number of rows until no row is left or the limit is reached.
template <storage::TypedStatement S>
void expire(storage::blocking::Connection& session, int days) {
  for (int i = 0; i < max_transactions; ++i) {
    const auto result = session.run(S{.retention_days = days, .limit = rows_per_transaction});
    if (result.front().expired < rows_per_transaction) return;
  }
}

}  // namespace

void expire_history(storage::blocking::Connection& session, const DutyOptions& options) {
  namespace sql = storage::sql::duties;
  const int days = options.retention_days;
  Parts parts;
  parts.perform([&] { expire<sql::ExpireVersions>(session, days); });
  parts.perform([&] { expire<sql::PurgeWorkflows>(session, days); });
  parts.perform([&] { expire<sql::ExpireTemplateVersions>(session, days); });
  parts.perform([&] { expire<sql::ExpireSwitches>(session, days); });
  parts.perform([&] { expire<sql::ExpireTokens>(session, tokens_retention_days); });
  parts.perform([&] { expire<sql::ExpireAuditLog>(session, audit_retention_days); });
  parts.finish();
}

}  // namespace waybill::worker
