#include <chrono>

#include "storage/blocking/time_array.hpp"
#include "storage/sql/queue.sql.hpp"
#include "worker/duties/duties.hpp"
#include "worker/duties/plans.hpp"

namespace waybill::worker {

void check_floors(storage::blocking::Connection& session, const DutyOptions& options) {
  if (options.floors == nullptr) return;
  const storage::QueueFloors floors = options.floors->to_check(std::chrono::steady_clock::now());
  if (floors.destinations.empty()) return;
  storage::QueueFloors below;
  walk_indexes(session, [&] {
    const auto began = std::chrono::steady_clock::now();
    for (const auto& run : session.run(storage::sql::queue::FindBelowFloors{
             .destinations = floors.destinations, .floors = storage::blocking::time_array(floors.times)})) {
      below.destinations.emplace_back(run.destination);
      below.times.push_back(run.due_at);
    }
    options.floors->checked(floors, below, began, std::chrono::steady_clock::now());
  });
}

}  // namespace waybill::worker
