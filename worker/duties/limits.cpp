#include "storage/sql/duties.sql.hpp"
#include "worker/duties/duties.hpp"

namespace waybill::worker {
namespace {

constexpr std::int64_t rows_per_transaction = 10'000;
constexpr int max_transactions = 20;

}  // namespace

void expire_limits(storage::blocking::Connection& session, const DutyOptions&) {
  for (int i = 0; i < max_transactions; ++i) {
    const auto result = session.run(storage::sql::duties::ExpireLimitedRuns{.limit = rows_per_transaction});
    if (result.front().seen < rows_per_transaction) return;
  }
}

}  // namespace waybill::worker
