#pragma once

#include <chrono>
#include <string>

#include "base/clock.hpp"

namespace waybill::storage {

/// Time limits of a session; zero means no limit.
struct SessionLimits {
  Duration lock{};                 // wait for a lock, then StatementError (is_lock_conflict)
  Duration idle_in_transaction{};  // the client's idle time; then the session ends and frees its locks
  /// The longest call during which the server, asked by another connection, answers nothing; then the session
  /// ends (DatabaseUnavailable). Only processes that serve watch their sessions (CallWatch).
  Duration silence = std::chrono::seconds(5);
};

/// Limits for the sessions of the worker's threads: no lock of another session blocks them for long, and a
/// worker that hangs in a transaction loses its locks before the other workers take its shards.
inline constexpr SessionLimits worker_limits{.lock = std::chrono::milliseconds(500),
                                             .idle_in_transaction = std::chrono::seconds(2)};

/// A lease that was renewed half a second before a call ends at this time of the call.
inline constexpr Duration silence_of_leases = std::chrono::milliseconds(2500);
/// Limits for the session of the leases: while nothing answers, the worker gives its shards up in time.
inline constexpr SessionLimits lease_limits{.lock = worker_limits.lock,
                                            .idle_in_transaction = worker_limits.idle_in_transaction,
                                            .silence = silence_of_leases};

/// `Session::run_with_fresh_plan` plans a statement again if its plan is older than this and its calls with
/// this plan have together taken longer than `longest_plan_use`. The rows that arrive in this time are few
/// enough to read all of them, if the plan was made for an empty table.
inline constexpr std::chrono::milliseconds longest_plan_age{250};
/// A statement that is quick with an old plan keeps it: to plan it would take longer than to run it.
inline constexpr std::chrono::milliseconds longest_plan_use{10};

/// Returns the server settings of a blocking session ("-c name=value …"): `pq::own_settings` and the limits.
std::string session_settings(const SessionLimits& limits);

/// Settings of the sessions that read the queue and the outbox. These tables grow and shrink by orders of
/// magnitude within seconds, and statistics do not follow: a plan made while they were empty would sort the
/// whole backlog at each look. All reads there walk indexes.
inline constexpr const char* index_walking_plans =
    "set plan_cache_mode = force_generic_plan; set enable_bitmapscan = off; set enable_seqscan = off";
/// Ends `index_walking_plans`.
inline constexpr const char* usual_plans =
    "reset plan_cache_mode; reset enable_bitmapscan; reset enable_seqscan";

}  // namespace waybill::storage
