#pragma once

#include <chrono>
#include <span>
#include <string>

#include "domain/places/point.hpp"

namespace waybill::domain {

/// A position at a time.
struct Fix {
  double at = 0;  // seconds since any epoch
  Point point;
};

/// The summary of a day's fixes.
struct TravelDay {
  double kilometres = 0;        // without the jitter of a standing receiver
  std::chrono::seconds moving;  // from the first to the last fix, minus the stops
  int stops = 0;
  Point start;
  Point end;
};

inline constexpr double stop_radius_km = 0.1;
inline constexpr double stop_seconds = 300;

/// `fixes` are in order of time, at least one. A stop is the longest run of fixes within 100 m of its first
/// one that lasts five minutes or more.
TravelDay summarise_day(std::span<const Fix> fixes);

/// Formats as `3h 45m`, rounded down to minutes.
std::string hours_and_minutes(std::chrono::seconds duration);

}  // namespace waybill::domain
