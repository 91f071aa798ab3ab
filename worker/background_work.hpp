#pragma once

#include <memory>

#include "base/guid.hpp"
#include "base/secret_box.hpp"
#include "worker/alerts/alert_sender.hpp"
#include "worker/duties/duties.hpp"
#include "worker/senders.hpp"
#include "worker/stores/importer.hpp"
#include "worker/timers/schedule_keeper.hpp"
#include "worker/worker.hpp"

namespace waybill::worker {

/// The work of a worker besides events and runs: duties, alerts, schedules and imports. Each part has its own
/// thread, except that imports share the thread for stores.
class BackgroundWork {
 public:
  /// Starts all parts. Everything referred to outlives it.
  BackgroundWork(const Worker::Options& options, const Guid& worker, const SecretBox& secrets,
                 const Catalogue& catalogue, PauseWriter& pauses, DueFloors& floors, Senders& senders);
  ~BackgroundWork() = default;
  BackgroundWork(const BackgroundWork&) = delete;
  BackgroundWork& operator=(const BackgroundWork&) = delete;

  /// Ends duties and schedules, waits up to `limit` for the imports, and begins no further attempt of an
  /// alert. Call it once, before `Senders::close`.
  void stop(Duration limit);

  /// Waits for the attempts of alerts in flight. Call it once, after `Senders::close`, which ends them.
  void finish_alerts() { alerts_.reset(); }

 private:
  std::unique_ptr<Duties> duties_;
  std::unique_ptr<AlertSender> alerts_;
  std::unique_ptr<ScheduleKeeper> schedules_;
  Importer importer_;
};

}  // namespace waybill::worker
