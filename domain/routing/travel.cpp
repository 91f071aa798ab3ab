#include "domain/routing/travel.hpp"

#include <algorithm>
#include <cmath>

namespace waybill::domain {
namespace {

/// The number of consecutive fixes, from the first on, within the radius of the first.
std::size_t count_near(std::span<const Fix> fixes) {
  std::size_t count = 1;
  while (count < fixes.size() && haversine_km(fixes[0].point, fixes[count].point) <= stop_radius_km) ++count;
  return count;
}

}  // namespace

double Travel::Day::share(double from, double until) const {
  return std::max(std::min(until, ends) - std::max(from, starts), 0.0);
}

void Travel::add(double starts, double ends, std::span<const Fix> fixes) {
  if (!waiting_.empty() && fixes.front().at - waiting_.back().at > longest_leg_seconds) {
    sum_up(true);
    waiting_.clear();
  }
  days_.push_back(
      {.starts = starts, .ends = ends, .shown = {.start = fixes.front().point, .end = fixes.back().point}});
  waiting_.insert(waiting_.end(), fixes.begin(), fixes.end());
  sum_up(false);
}

std::vector<TravelDay> Travel::finish() {
  sum_up(true);
  std::vector<TravelDay> shown;
  shown.reserve(days_.size());
  for (Day& day : days_) {
    day.shown.moving = std::chrono::seconds(std::llround(std::floor(day.moving)));
    shown.push_back(day.shown);
  }
  return shown;
}

/// Sums up the waiting fixes. Unless they are the last ones, a run of near fixes at their end stays, because
/// the next day may continue it.
void Travel::sum_up(bool is_end) {
  std::size_t index = 0;
  while (index + 1 < waiting_.size()) {
    const auto near = count_near(std::span(waiting_).subspan(index));
    const auto last_near = index + near - 1;
    const bool is_stop = waiting_[last_near].at - waiting_[index].at >= stop_seconds;
    if (!is_end && last_near + 1 == waiting_.size()) {
      if (is_stop && near > 2) {  // those in between say nothing more
        const auto first = waiting_.begin() + static_cast<std::ptrdiff_t>(index);
        waiting_.erase(first + 1, waiting_.end() - 1);
      }
      break;
    }
    if (is_stop) {
      add_stop(waiting_[index].at, waiting_[last_near].at);
      index = last_near;
      if (index + 1 == waiting_.size()) break;
    }
    add_leg(waiting_[index], waiting_[index + 1]);
    ++index;
  }
  waiting_.erase(waiting_.begin(), waiting_.begin() + static_cast<std::ptrdiff_t>(index));
}

void Travel::add_stop(double from, double until) {
  for (Day& day : days_) {
    const bool begins = from >= day.starts && from < day.ends;
    if (begins || day.share(from, until) >= stop_seconds) ++day.shown.stops;
  }
}

void Travel::add_leg(const Fix& from, const Fix& to) {
  const double seconds = to.at - from.at;
  const double kilometres = haversine_km(from.point, to.point);
  for (auto day = days_.rbegin(); day != days_.rend() && day->ends > from.at; ++day) {
    const double share = day->share(from.at, to.at);
    if (share <= 0) continue;
    day->shown.kilometres += kilometres * share / seconds;
    day->moving += share;
  }
}

std::string hours_and_minutes(std::chrono::seconds duration) {
  const auto minutes = std::chrono::duration_cast<std::chrono::minutes>(duration).count();
  return std::to_string(minutes / 60) + "h " + std::to_string(minutes % 60) + "m";
}

}  // namespace waybill::domain
