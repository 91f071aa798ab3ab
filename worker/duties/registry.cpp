#include <array>

#include "worker/duties/duties.hpp"

namespace waybill::worker {

std::span<const Duty> all_duties() {
  using namespace std::chrono_literals;
  static constexpr auto duties = std::to_array<Duty>({
      {"postpone_blocked", 1s, postpone_blocked},
      {"check_floors", 1s, check_floors, Duty::By::each_worker},
      {"publish_destinations", 5s, publish_destinations, Duty::By::each_worker},
      {"expire_destinations", 10min, expire_destinations, Duty::By::one_worker, 100},
      {"partitions", 10min, keep_partitions},
      {"fold_counts", 10s, fold_counts},
      {"sum_counts", 5min, sum_counts},
      {"release_held", 5s, release_held},
      {"expire", 10min, expire},
      {"expire_timers", 10min, expire_timers},
      {"expire_uploads", 10min, expire_uploads},
      {"expire_limits", 1min, expire_limits},
      {"expire_history", 1h, expire_history},
      {"purge_deleted", 10min, purge_deleted},
      {"silence_devices", 5s, silence_devices},
      {"pause_failing", 30min, pause_failing},
      {"check_ledger", 150s, check_ledger},
      {"read_passed_over", 30s, read_passed_over},
      {"bring_back_runs", 20s, bring_back_runs, Duty::By::one_worker, 100},
      {"bring_back_counts", 1min, bring_back_counts, Duty::By::one_worker, 100},
      {"watch_firings", 1min, watch_firings, Duty::By::one_worker, 100},
      {"watch_sources", 1min, watch_sources, Duty::By::one_worker, 100},
      {"measure_queue", 15s, measure_queue, Duty::By::each_worker},
  });
  return duties;
}

}  // namespace waybill::worker
