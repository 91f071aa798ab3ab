#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "storage/blocking/time_array.hpp"
#include "storage/sql/queue.sql.hpp"
#include "worker/duties/duties.hpp"
#include "worker/duties/plans.hpp"
#include "worker/duties/portions.hpp"

namespace waybill::worker {
namespace {

// Bounds a transaction, because the ends of earlier runs may wait for it.
constexpr int runs_per_transaction = 500;
// The number of due runs of a destination that a look examines.
constexpr int examined = 1000;

}  // namespace

bool postpone_blocked(storage::blocking::Connection& session, const DutyOptions& options) {
  const storage::QueueFloors floors = options.floors ? options.floors->get() : storage::QueueFloors{};
  const auto blocked = walk_indexes(session, [&] {
    return session.run(storage::sql::queue::FindBlocked{.floor_destinations = floors.destinations,
                                                        .floors = storage::blocking::time_array(floors.times),
                                                        .tolerated = options.tolerated_blocked});
  });
  if (blocked.empty()) return false;
  // Each statement is a transaction of its own, in one message to the server. If the connection broke between
  // two messages of a transaction, the rows would stay locked, and the ends of earlier runs would wait for
  // them.
  int next = 0;
  std::int64_t postponed = 0;
  const bool has_more = repeat_for(options.turn, [&] {
    std::vector<Guid> businesses;
    std::vector<Guid> guids;
    std::vector<Time> due_times;
    const int end = std::min(next + runs_per_transaction, blocked.size());
    for (; next < end; ++next) {
      const auto run = blocked[next];
      businesses.push_back(run.business_id);
      guids.push_back(run.guid);
      due_times.push_back(run.due_at);
    }
    postponed +=
        session
            .run(storage::sql::queue::PostponeBlocked{.businesses = std::move(businesses),
                                                      .guids = std::move(guids),
                                                      .due_times = storage::blocking::time_array(due_times)})
            .front()
            .postponed;
    return next < blocked.size();
  });
  // If nothing was postponed, other sessions have locked the runs, and another look finds the same ones.
  return has_more || (blocked.size() >= examined && postponed > 0);
}

}  // namespace waybill::worker
