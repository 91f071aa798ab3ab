#pragma once

#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/clock.hpp"
#include "base/guid.hpp"
#include "domain/records/change.hpp"
#include "storage/events/outbox.hpp"
#include "storage/events/record_columns.hpp"
#include "storage/runs/run_store.hpp"
#include "worker/planning/catalogue.hpp"
#include "worker/planning/run_origins.hpp"
#include "worker/planning/spent_times.hpp"

namespace waybill::worker {

/// Prepares runs that were claimed from the queue for their attempt. Reads the database, and changes nothing
/// but the steps that runs begin. A run is rendered with the version of its workflow that caused it. One
/// thread. Methods throw DatabaseUnavailable, StatementError, or ColumnsChanged if a migration changed the
/// tables; they may then be called again.
class RunPreparer {
 public:
  /// `worker` holds the claimed runs. `public_url` is that of the service, for links to tracking pages; may
  /// be empty. A run that would wait for longer than `retention` after its event ends as expired.
  RunPreparer(const Catalogue& catalogue, const Clock& clock, const Guid& worker, std::string public_url,
              Duration retention)
      : catalogue_(catalogue),
        clock_(clock),
        worker_(worker),
        public_url_(std::move(public_url)),
        retention_(retention) {}

  /// Renders runs that were queued without their texts, from their events. A run whose event is no longer
  /// stored is dead with code EVENT_GONE. Runs whose workflow is gone or unreadable stay as they are; those
  /// whose version of the workflow is unreadable are marked. Runs of several steps begin their next step;
  /// store_steps must follow.
  void render(storage::Session& session, std::vector<storage::ClaimedRun>& runs);

  /// Stores the steps that runs have begun, with their texts, before they are performed, and renews the
  /// leases of these runs. Removes the runs that this worker no longer holds. A step whose texts the database
  /// refuses ends dead with code UNRECORDABLE, and delays no other run.
  void store_steps(storage::Session& session, std::vector<storage::ClaimedRun>& runs, Duration lease) const;

  /// The time that `render` took, by business, as far as it is known for which.
  SpentTimes& times() { return times_; }

 private:
  /// An event from which runs are rendered.
  struct Source {
    storage::StoredEvent event;
    domain::Change change;  // with the relatives at the time of reading
  };
  /// A claimed run of several steps, with its version of the workflow.
  struct Stepping {
    storage::ClaimedRun* claimed;
    WorkflowPtr workflow;
  };

  void render_all(storage::Session& session, std::vector<storage::ClaimedRun>& runs);
  void render_one(storage::Session& session, const EarlierVersions& versions, storage::ClaimedRun& claimed,
                  const WorkflowPtr& workflow, std::vector<Stepping>& stepping);
  bool is_cancelled(storage::Session& session, const Workflow& workflow, storage::ClaimedRun& claimed);
  void render_list(storage::Session& session, const Workflow& workflow, storage::ClaimedRun& claimed);
  void read_sources(storage::Session& session, std::span<const storage::RunKey* const> runs);
  const Source* source_of(storage::Session& session, const storage::RunKey& run);
  static bool repeats_choice(const Stepping& run);
  void begin_all(storage::Session& session, const std::vector<Stepping>& stepping);
  void begin_first(storage::Session& session, const Stepping& run);
  void begin_with_list(storage::Session& session, const Stepping& run);
  void begin_later(storage::Session& session, std::vector<const Stepping*> runs);
  void begin_portion(storage::Session& session, std::vector<const Stepping*>& waiting);
  void begin(storage::Session& session, const Stepping& run, const storage::StoredEvent& event,
             const json::object& entity, const domain::Change& then);
  WorkflowPtr with_version(storage::Session& session, const WorkflowPtr& workflow, const storage::Run& run,
                           const EarlierVersion& version) const;

  const Catalogue& catalogue_;
  const Clock& clock_;
  const Guid worker_;
  const std::string public_url_;
  const Duration retention_;
  storage::CachedColumns columns_;
  SpentTimes times_;
  std::vector<Source> sources_;  // of the batch, as far as they were read together
  std::optional<Source> last_;   // cache: the runs of one event come in succession
};

}  // namespace waybill::worker
