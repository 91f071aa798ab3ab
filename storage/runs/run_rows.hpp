#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <tuple>
#include <vector>

#include "base/clock.hpp"
#include "base/guid.hpp"
#include "storage/runs/run.hpp"
#include "storage/session/copy_rows.hpp"
#include "storage/session/session.hpp"

namespace waybill::storage {

/// Runs to be copied into run_queue, and into limited_runs if they are limited.
class QueuedRows {
 public:
  QueuedRows();
  /// `lease_owner` is the worker that performs the run; nullopt if none does. `ordered_from` is an event
  /// before which no run of the workflow and record is open; nullopt if none is known.
  void add(const RunKey& key, const RunState& state, std::optional<Guid> lease_owner,
           std::optional<std::uint64_t> ordered_from);
  /// Copies the rows, if there are any, and empties the object.
  void write(Session& session);

 private:
  void begin_watches(Session& session);

  CopyRows rows_;
  CopyRows limited_;
  std::vector<QueuedKey> eventless_watches_;  // runs without an event that watch their record
};

/// The bucket of a latency, as the SQL function latency_bucket computes it: bucket n ends at 2^(n/8)
/// milliseconds.
int latency_bucket(Duration latency);
/// The end of a bucket in milliseconds.
double latency_of_bucket(int bucket);

/// Finished runs to be copied into runs and counted in run_counts.
class FinishedRows {
 public:
  FinishedRows();
  void add(const RunKey& key, const RunState& state);
  /// Copies the rows, if there are any, adds the counts, and empties the object.
  void write(Session& session);

 private:
  struct Count {
    std::int64_t runs = 0;
    std::map<int, std::int64_t> latencies;  // succeeded runs by the bucket of their latency
    Time newest_at{};                       // creation of the newest run
    void add(const Count& other);
  };
  using Counts = std::map<std::tuple<Guid, Time, Guid, RunStatus>, Count>;
  static void write_counts(Session& session, const Counts& hours);

  CopyRows rows_;
  Counts hours_;
};

}  // namespace waybill::storage
