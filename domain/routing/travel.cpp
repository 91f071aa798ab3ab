#include "domain/routing/travel.hpp"

namespace waybill::domain {
namespace {

/// The number of consecutive fixes, from the first on, within the radius of the first.
std::size_t count_near(std::span<const Fix> fixes) {
  std::size_t count = 1;
  while (count < fixes.size() && haversine_km(fixes[0].point, fixes[count].point) <= stop_radius_km) ++count;
  return count;
}

}  // namespace

TravelDay summarise_day(std::span<const Fix> fixes) {
  TravelDay day{.moving = {}, .start = fixes.front().point, .end = fixes.back().point};
  double moving = 0;
  for (std::size_t index = 0; index + 1 < fixes.size();) {
    const auto near = count_near(fixes.subspan(index));
    const auto& last_near = fixes[index + near - 1];
    if (last_near.at - fixes[index].at >= stop_seconds) {
      ++day.stops;
      index += near - 1;
      if (index + 1 == fixes.size()) break;
    }
    day.kilometres += haversine_km(fixes[index].point, fixes[index + 1].point);
    moving += fixes[index + 1].at - fixes[index].at;
    ++index;
  }
  day.moving = std::chrono::seconds(static_cast<std::int64_t>(moving));
  return day;
}

std::string hours_and_minutes(std::chrono::seconds duration) {
  const auto minutes = std::chrono::duration_cast<std::chrono::minutes>(duration).count();
  return std::to_string(minutes / 60) + "h " + std::to_string(minutes % 60) + "m";
}

}  // namespace waybill::domain
