#include "worker/tracking/pull_schedule.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "domain/records/state_machines.hpp"

namespace waybill::worker {
namespace {

using namespace std::chrono_literals;
using Problem = connectors::GatewayError::Problem;

constexpr Duration first_pause = 1min;
constexpr Duration longest_pause_busy = 15min;
constexpr Duration longest_pause = 1h;
constexpr Duration first_pause_of_parcel = 5min;
constexpr int failures_before_pause = 3;
constexpr int failures_before_failing = 3;

/// `first`, doubled for each further time, up to `longest`.
Duration doubled(Duration first, int times, Duration longest) {
  constexpr int most = 20;
  return std::min(longest, first * (1 << std::clamp(times, 0, most)));
}

Duration pause_of(std::string_view status) { return status == "created" ? pause_unscanned : pause_underway; }

}  // namespace

bool must_ask(const TrackedShipment& shipment, bool is_hinted, Time now) {
  if (domain::shipment_states().next(shipment.status).empty()) return false;
  if (is_hinted) return true;
  if (shipment.status == "delivered") return false;
  const Time heard_of = std::max({shipment.created_at, shipment.moved_at.value_or(Time::min()),
                                  shipment.scanned_at.value_or(Time::min())});
  return heard_of > now - longest_silence;
}

double spread_of(const Guid& shipment, std::string_view number) {
  const Guid hash = Guid::from_name(shipment, number);
  return (hash.bytes[0] * 256 + hash.bytes[1]) / 65535.0;
}

Duration pause_after_answer(std::string_view status, double spread) {
  constexpr double longest_part = 0.1;
  const auto whole = pause_of(status);
  return whole - Duration(std::llround(static_cast<double>(whole.count()) * longest_part * spread));
}

Duration pause_after_failure(int failures, std::string_view status, double spread) {
  return doubled(first_pause_of_parcel, failures - 1, pause_after_answer(status, spread));
}

AccountPause after_failure(Problem problem, std::optional<Duration> retry_after, int failures_before) {
  const int failures = failures_before + 1;
  if (problem == Problem::busy || problem == Problem::unreachable) {
    if (retry_after)
      return {.failures = failures, .pause = std::clamp<Duration>(*retry_after, 1s, longest_pause)};
    if (failures < failures_before_pause) return {.failures = failures};
    return {.failures = failures,
            .pause = doubled(first_pause, failures - failures_before_pause, longest_pause_busy)};
  }
  return {.failures = failures,
          .pause = doubled(first_pause, failures - 1, longest_pause),
          .is_failing = failures >= failures_before_failing};
}

Duration gap_between_calls(int calls_per_minute) { return Duration(1min) * 2 / calls_per_minute; }

std::int64_t pulls_of_turn(int calls_per_minute, Duration length) {
  return std::max<std::int64_t>(1, length / gap_between_calls(calls_per_minute));
}

}  // namespace waybill::worker
