#pragma once

namespace waybill::domain {

/// A place on the earth in degrees (WGS 84).
struct Point {
  double latitude = 0;
  double longitude = 0;
  bool operator==(const Point&) const = default;
};

/// The length of the great circle between two points, on a sphere of the earth's mean radius.
double haversine_km(const Point& a, const Point& b);

}  // namespace waybill::domain
