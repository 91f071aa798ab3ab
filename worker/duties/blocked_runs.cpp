#include "storage/session/session_limits.hpp"
#include "storage/sql/queue.sql.hpp"
#include "worker/duties/duties.hpp"
#include "worker/duties/portions.hpp"

namespace waybill::worker {
namespace {

// The end of an earlier run may wait for one transaction.
constexpr std::int64_t runs_per_transaction = 500;

}  // namespace

bool postpone_blocked(storage::blocking::Connection& session, const DutyOptions& options) {
  return repeat_for(options.turn, [&] {
    return session.transact([](storage::blocking::Transaction& transaction) {
      transaction.execute(storage::local_index_walking_plans);
      const storage::sql::queue::PostponeBlocked postpone{.limit = runs_per_transaction};
      return transaction.run(postpone).front().postponed == runs_per_transaction;
    });
  });
}

}  // namespace waybill::worker
