#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string_view>

#include "base/clock.hpp"
#include "base/guid.hpp"
#include "connectors/carrier_gateway.hpp"

// The times at which gateways are asked for scans. All functions are pure.
namespace waybill::worker {

/// The longest pauses between two pulls of a parcel: on its way, and without a scan of movement.
inline constexpr Duration pause_underway = std::chrono::hours(2);
inline constexpr Duration pause_unscanned = std::chrono::hours(6);
/// Counted from the shipment's creation, last move or last scan, whichever came last: a parcel that is slow
/// but has scans is asked for until it arrives, and one that is lost is given up.
inline constexpr Duration longest_silence = std::chrono::days(60);

/// The facts on which a pull depends.
struct TrackedShipment {
  std::string_view status;
  Time created_at;
  std::optional<Time> moved_at, scanned_at;
};

/// False if the parcel is not asked for any more. A call of the gateway (`is_hinted`) asks also for one that
/// has been silent for long or is delivered, because it may still come back.
bool must_ask(const TrackedShipment& shipment, bool is_hinted, Time now);

/// A number from 0 to 1 that is always the same for a parcel.
double spread_of(const Guid& shipment, std::string_view number);

/// The pause after an answer: that of the status, shortened by up to a tenth so that pulls that began
/// together do not stay together.
Duration pause_after_answer(std::string_view status, double spread);
/// The pause after the `failures`th call in succession that failed for this parcel; never longer than that
/// of the status.
Duration pause_after_failure(int failures, std::string_view status, double spread);

/// The state of an account after a failed call. A refusal of the number is not a failure of the account.
struct AccountPause {
  int failures = 0;                    // in succession
  std::optional<Duration> pause = {};  // no other call is made before its end
  bool is_failing = false;             // the credentials are refused, repeatedly
};

/// A busy or unreachable gateway pauses at the third failure, or as long as it asks for, but for an hour at
/// most; refused credentials at the first one.
AccountPause after_failure(connectors::GatewayError::Problem problem, std::optional<Duration> retry_after,
                           int failures_before);

/// The pause between the beginnings of two calls: with half of the calls that the gateway takes.
Duration gap_between_calls(int calls_per_minute);
/// The number of pulls in a turn: those that can begin within `length`.
std::int64_t pulls_of_turn(int calls_per_minute, Duration length);

}  // namespace waybill::worker
