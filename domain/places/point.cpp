#include "domain/places/point.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace waybill::domain {

double haversine_km(const Point& a, const Point& b) {
  constexpr double radius_km = 6371.0088;  // the mean radius R1 of the IUGG
  constexpr double radians = std::numbers::pi / 180;
  const double sin_latitude = std::sin((b.latitude - a.latitude) * radians / 2);
  const double sin_longitude = std::sin((b.longitude - a.longitude) * radians / 2);
  const double chord = sin_latitude * sin_latitude + std::cos(a.latitude * radians) *
                                                         std::cos(b.latitude * radians) * sin_longitude *
                                                         sin_longitude;
  return 2 * radius_km * std::asin(std::sqrt(std::min(1.0, chord)));
}

}  // namespace waybill::domain
