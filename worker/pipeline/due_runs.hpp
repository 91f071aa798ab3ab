#pragma once

#include <cstddef>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.hpp"
#include "base/guid.hpp"
#include "storage/run_store.hpp"
#include "storage/session.hpp"
#include "worker/delivery/runner.hpp"
#include "worker/pipeline/batch_size.hpp"
#include "worker/pipeline/pacer.hpp"
#include "worker/pipeline/render_queue.hpp"
#include "worker/planning/catalogue.hpp"
#include "worker/planning/run_preparer.hpp"

namespace waybill::worker {

/// Claims due runs from the database's queue, gives them their texts where they have none, and hands them to
/// the runner. A crash loses nothing: claims end with their lease.
///
/// `note_due` may be called by any thread, the others on the pump thread only. Methods with a session throw
/// DatabaseUnavailable or StatementError, after which nothing is half done.
class DueRuns {
 public:
  struct Options {
    Guid worker;
    std::string public_url;  // of the service, for links to tracking pages; may be empty
    std::size_t batch = 256;
    std::size_t per_destination = 32;
    std::size_t bytes = 8UL * 1024 * 1024;
    Duration lease = std::chrono::seconds(30);
    Duration retention = std::chrono::days(30);  // of events
  };

  DueRuns(const Options& options, const Catalogue& catalogue, Runner& runner, const Clock& clock);

  /// Notes when a run in the queue is due, and that runs may have left memory. Returns true if the pump
  /// should look.
  bool note_due(std::optional<Time> due);
  /// Makes the next `claim` look, whatever is known.
  void look_again() { next_look_ = {}; }

  /// Claims runs if any may be due. Returns true if it found some.
  bool claim(storage::Session& session);
  /// Renders claimed runs that have no texts, for about two milliseconds, and begins steps of others. Returns
  /// true if more wait.
  bool render_some(storage::Session& session);
  /// Puts the claimed runs that are not rendered back into the queue.
  void give_back();
  /// When to look next, at the latest.
  Time next_look() const;

 private:
  void take_over(storage::Session& session, std::vector<storage::ClaimedRun> claimed);
  bool prepare_some(storage::Session& session, RenderQueue& queue, BatchSize& size, std::size_t least);

  const Options options_;
  const Catalogue& catalogue_;
  Runner& runner_;
  const Clock& clock_;
  RunPreparer preparer_;
  Pacer pacer_;
  RenderQueue to_render_{32};
  BatchSize render_batch_;
  RenderQueue to_begin_{128};  // runs of several steps
  BatchSize begin_batch_;
  Time next_look_{};
  mutable std::mutex mutex_;  // of the next two
  std::optional<Time> next_due_;
  bool waits_for_room_ = false;
};

}  // namespace waybill::worker
