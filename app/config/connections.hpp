#pragma once

#include <cstdint>
#include <string>

#include "app/config/config.hpp"

namespace waybill::app {

/// The parts of the service that a process runs.
struct Roles {
  bool api = false;
  bool worker = false;

  /// "up", "api" or "worker".
  std::string name() const { return api && worker ? "up" : api ? "api" : "worker"; }
};

/// The connections of a process to the primary, by their use. Their sum never exceeds
/// `--database-connections`. Each standby has fewer: those for long reads and analysis, and one for each
/// thread.
struct ConnectionPlan {
  int io_threads = 0;  // 0 without the API
  int reads = 0;       // for each io thread, like `writes` and `long_reads`
  int writes = 0;
  int long_reads = 0;
  int store_reads = 0;  // for the worker's thread for stores, like `store_writes`
  int store_writes = 0;
  int total = 0;
};

/// Distributes `most` connections. `io_threads` 0 means one for each of `cores`, or as many as the
/// connections allow. Throws ConfigError, which names the smallest possible number, if they do not suffice.
ConnectionPlan plan_connections(Roles roles, std::int64_t most, std::int64_t io_threads, unsigned cores);

/// Throws ConfigError if the process may open more connections (`wanted`) than are `available`: PostgreSQL's
/// max_connections (`most`) without the reserved ones.
void check_available(std::int64_t wanted, std::int64_t available, std::int64_t most);

/// Returns a warning if all living processes together may open more connections than are available; empty if
/// not. `allowed` is the number that the living processes may open, `wanted` that of the process that starts.
std::string too_many_allowed(std::int64_t allowed, std::int64_t wanted, std::int64_t available);

}  // namespace waybill::app
