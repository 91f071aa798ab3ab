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
  session.execute(storage::index_walking_plans);
  // Each statement is a transaction without a second message to the server. If this worker lost its link
  // between two, the rows would stay locked, and the ends of earlier runs would wait for them.
  const bool has_more = repeat_for(options.turn, [&] {
    const storage::sql::queue::PostponeBlocked postpone{.limit = runs_per_transaction,
                                                        .tolerated = options.tolerated_blocked};
    return session.run(postpone).front().postponed == runs_per_transaction;
  });
  session.execute(storage::usual_plans);
  return has_more;
}

}  // namespace waybill::worker
