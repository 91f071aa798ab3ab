#include "worker/timers/schedule_keeper.hpp"

namespace waybill::worker {
namespace {

using namespace std::chrono_literals;

ScheduleLane::Options lane_options(const ScheduleKeeper::Options& options, ScheduleLane::Kind kind) {
  const bool is_slow = kind == ScheduleLane::Kind::slow;
  return {.database_url = options.database_url,
          .blast = options.blast,
          .runs = {.worker = options.worker,
                   .public_url = options.public_url,
                   .query_time = is_slow ? 5s : 500ms,
                   .reading_time = is_slow ? 10s : 500ms,
                   .ends_slow_ticks = is_slow}};
}

}  // namespace

ScheduleKeeper::ScheduleKeeper(const Options& options, const Catalogue& catalogue, PauseWriter& pauses,
                               const Clock& clock)
    : quick_(ScheduleLane::Kind::quick, lane_options(options, ScheduleLane::Kind::quick), shares_, catalogue,
             pauses, clock),
      slow_(ScheduleLane::Kind::slow, lane_options(options, ScheduleLane::Kind::slow), shares_, catalogue,
            pauses, clock) {}

}  // namespace waybill::worker
