#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "base/json.hpp"

namespace waybill::connectors {

/// The most bytes of a carrier's number, as shipments keep it.
inline constexpr std::size_t longest_tracking_number = 200;

/// The tracking number in an answer of a gateway, without invisible characters. nullopt if there is none, or
/// a longer one than `longest_tracking_number`: a part of it could be the number of another parcel. Pure.
std::optional<std::string> tracking_number_in(const json::value* value);

}  // namespace waybill::connectors
