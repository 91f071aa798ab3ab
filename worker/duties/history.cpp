#include "storage/sql/duties.sql.hpp"
#include "worker/duties/duties.hpp"
#include "worker/duties/parts.hpp"
#include "worker/duties/portions.hpp"

namespace waybill::worker {
namespace {

constexpr int tokens_retention_days = 400;  // after the end of a token; lists show it until then
constexpr int audit_retention_days = 400;
constexpr std::int64_t rows_per_transaction = 1'000;

/// Repeats a statement that deletes a bounded number of rows until no row is left or the turn ends.
template <storage::TypedStatement S>
bool expire(storage::blocking::Connection& session, Duration turn, int days) {
  const S statement{.retention_days = days, .limit = rows_per_transaction};
  return repeat_for(turn, [&] { return session.run(statement).front().expired == rows_per_transaction; });
}

}  // namespace

bool expire_history(storage::blocking::Connection& session, const DutyOptions& options) {
  const int days = options.retention_days;
  const Duration turn = options.turn;
  Parts parts;
  parts.perform([&] { return expire<sql::duties::ExpireVersions>(session, turn, days); });
  parts.perform([&] { return expire<sql::duties::PurgeWorkflows>(session, turn, days); });
  parts.perform([&] { return expire<sql::duties::ExpireTemplateVersions>(session, turn, days); });
  parts.perform([&] { return expire<sql::duties::ExpireSwitches>(session, turn, days); });
  parts.perform([&] { return expire<sql::duties::ExpireTokens>(session, turn, tokens_retention_days); });
  parts.perform([&] { return expire<sql::duties::ExpireAuditLog>(session, turn, audit_retention_days); });
  return parts.finish();
}

}  // namespace waybill::worker
