#pragma once

#include <cstdint>
#include <map>
#include <string_view>
#include <tuple>
#include <vector>

#include "base/clock.hpp"
#include "base/guid.hpp"
#include "storage/runs/run.hpp"
#include "storage/session/session.hpp"

namespace waybill::storage {

/// Counts the failures of a batch of runs for the alerts of their businesses. Costs no statement if there is
/// none, and one for all of them otherwise.
class FailureCounts {
 public:
  /// Adds a run of a matched event.
  void add(const RunKey& key, const RunState& state);
  /// Adds a queued run, which counts only if the worker still holds it.
  void add_queued(const QueuedKey& key, const RunState& state);

  /// Part of the session's transaction; the queued runs must still be in the queue. Throws
  /// DatabaseUnavailable or StatementError.
  void write(Session& session, const Guid& worker) const;

 private:
  struct Group {
    Guid run;  // the last one
    Time oldest, newest;
    std::int64_t count = 0;
  };
  using Kind = std::tuple<Guid, std::string_view, Guid>;  // business, cause, workflow
  struct Queued {
    QueuedKey key;
    std::string_view cause;
  };

  std::map<Kind, Group> groups_;
  std::vector<Queued> queued_;
};

}  // namespace waybill::storage
