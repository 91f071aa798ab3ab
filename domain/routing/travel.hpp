#pragma once

#include <chrono>
#include <span>
#include <string>
#include <vector>

#include "domain/places/point.hpp"

namespace waybill::domain {

/// A position at a time.
struct Fix {
  double at = 0;  // seconds since any epoch
  Point point;
};

/// The summary of a day.
struct TravelDay {
  double kilometres = 0;           // without the jitter of a standing receiver
  std::chrono::seconds moving{0};  // between fixes, minus the stops
  int stops = 0;
  Point start;
  Point end;
};

inline constexpr double stop_radius_km = 0.1;
inline constexpr double stop_seconds = 300;
inline constexpr double longest_leg_seconds = 86'400;

/// Sums up the fixes of a vehicle by day. The way between two fixes belongs to the days by its time in each
/// of them, so the sum of the days does not depend on where a day begins; over more than 24 hours nothing is
/// known. A stop is the longest run of fixes within 100 m of its first one that lasts five minutes or more.
/// It counts for the day on which it begins, and for each later day of which it has five minutes or more.
class Travel {
 public:
  /// Adds the next day: `fixes` are in order of time, at least one, between `starts` and `ends`.
  void add(double starts, double ends, std::span<const Fix> fixes);
  /// Returns the days in the order in which they were added. No more can be added.
  std::vector<TravelDay> finish();

 private:
  struct Day {
    double starts = 0;
    double ends = 0;
    double moving = 0;  // seconds
    TravelDay shown;

    /// The seconds between two times that are in this day.
    double share(double from, double until) const;
  };

  void sum_up(bool is_end);
  void add_stop(double from, double until);
  void add_leg(const Fix& from, const Fix& to);

  std::vector<Day> days_;
  std::vector<Fix> waiting_;  // from the last one that is summed up
};

/// Formats as `3h 45m`, rounded down to minutes.
std::string hours_and_minutes(std::chrono::seconds duration);

}  // namespace waybill::domain
