#pragma once

#include <chrono>
#include <string>

#include "base/clock.hpp"

namespace waybill::storage {

/// Time limits of a session; zero is no limit.
struct SessionLimits {
  Duration lock{};                 // wait for a lock, then StatementError (is_lock_conflict)
  Duration idle_in_transaction{};  // of the client; then the server ends the session and frees its locks
};

/// Limits for the sessions of the worker's threads: no lock of another session blocks them for long, and a
/// worker that hangs in a transaction keeps no locks.
inline constexpr SessionLimits worker_limits{.lock = std::chrono::milliseconds(500),
                                             .idle_in_transaction = std::chrono::seconds(5)};

/// Returns the server settings of a blocking session ("-c name=value …"): UTC, ISO dates and the limits.
std::string session_settings(const SessionLimits& limits);

}  // namespace waybill::storage
