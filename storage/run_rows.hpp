#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <tuple>

#include "base/clock.hpp"
#include "base/guid.hpp"
#include "storage/copy_rows.hpp"
#include "storage/run.hpp"
#include "storage/session.hpp"

namespace waybill::storage {

/// Runs to be copied into run_queue.
class QueuedRows {
 public:
  QueuedRows();
  /// `lease_owner` is the worker that performs the run; nullopt if none does.
  void add(const RunKey& key, const RunState& state, std::optional<Guid> lease_owner);
  /// Copies the rows, if there are any, and empties the object.
  void write(Session& session);

 private:
  CopyRows rows_;
};

/// Finished runs to be copied into runs and counted in run_counts.
class FinishedRows {
 public:
  FinishedRows();
  void add(const RunKey& key, const RunState& state);
  /// Copies the rows, if there are any, adds the counts, and empties the object.
  void write(Session& session);

 private:
  using Counts = std::map<std::tuple<Guid, Time, Guid, RunStatus>, std::int64_t>;
  static void write_counts(Session& session, const Counts& hours);

  CopyRows rows_;
  Counts hours_;
};

}  // namespace waybill::storage
