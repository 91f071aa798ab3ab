#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "domain/places/point.hpp"

namespace waybill::domain {

/// A town of a postal area. Most areas have several, so that each place of the area is nearer to one of them
/// than to a town of another area.
struct PostalTown {
  std::string_view area;  // what the area's postal codes begin with
  double latitude;
  double longitude;
};

/// The towns of the postal areas of a country (ISO 3166-1); empty if they are not known.
std::span<const PostalTown> postal_towns(std::string_view country);

/// The area of a domestic postal code, as `PostalTown::area`; nullopt if it is not known.
std::optional<std::string_view> postal_area(std::string_view country, std::string_view postal_code);

/// How much farther a point is from the area than from the nearest area of the country: 0 for most points in
/// the area.
double km_outside(std::string_view country, std::string_view area, const Point& point);

}  // namespace waybill::domain
