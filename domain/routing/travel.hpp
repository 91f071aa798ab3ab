#pragma once

#include <chrono>
#include <span>
#include <string>

#include "domain/places/point.hpp"

namespace waybill::domain {

/// Where something was at a time.
struct Fix {
  double at = 0;  // seconds since some epoch
  Point point;
};

/// What a day's fixes say.
struct TravelDay {
  double kilometres = 0;        // without the wobble of a receiver that stands
  std::chrono::seconds moving;  // from the first to the last fix, without the stops
  int stops = 0;
  Point start;
  Point end;
};

inline constexpr double stop_radius_km = 0.1;
inline constexpr double stop_seconds = 300;

/// `fixes` in order of time, at least one. A stop is the longest run of fixes within 100 m of its first one
/// that lasts five minutes or more.
TravelDay summarise_day(std::span<const Fix> fixes);

/// `3h 45m`; minutes are rounded down.
std::string hours_and_minutes(std::chrono::seconds duration);

}  // namespace waybill::domain
