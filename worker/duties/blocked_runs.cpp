#include "storage/session/session_limits.hpp"
#include "storage/sql/queue.sql.hpp"
#include "worker/duties/duties.hpp"

namespace waybill::worker {
namespace {

// The end of an earlier run waits for at most one transaction.
constexpr std::int64_t runs_per_transaction = 500;
constexpr int max_transactions = 40;

}  // namespace

void postpone_blocked(storage::blocking::Connection& session, const DutyOptions&) {
  for (int i = 0; i < max_transactions; ++i) {
    const std::int64_t postponed = session.transact([](storage::blocking::Transaction& transaction) {
      transaction.execute(storage::local_index_walking_plans);
      return transaction.run(storage::sql::queue::PostponeBlocked{.limit = runs_per_transaction})
          .front()
          .postponed;
    });
    if (postponed < runs_per_transaction) return;
  }
}

}  // namespace waybill::worker
