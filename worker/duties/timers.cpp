#include "storage/sql/duties.sql.hpp"
#include "worker/duties/duties.hpp"

namespace waybill::worker {
namespace {

constexpr std::int64_t rows_per_transaction = 1'000;
constexpr int max_transactions = 100;

}  // namespace

void expire_timers(storage::blocking::Connection& session, const DutyOptions&) {
  for (int i = 0; i < max_transactions; ++i) {
    const auto result = session.run(storage::sql::duties::ExpireTimers{.limit = rows_per_transaction});
    if (result.front().deleted < rows_per_transaction) return;
  }
}

}  // namespace waybill::worker
