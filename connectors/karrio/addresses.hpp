#pragma once

#include <string>
#include <string_view>

#include "base/error.hpp"
#include "connectors/carrier_gateway.hpp"

namespace waybill::connectors::karrio {

struct StreetLines {
  std::string first, second;
};

/// A street in the two lines that Karrio takes: the second has all lines after the first. Pure.
StreetLines street_lines(std::string_view street);

/// The parts of an address that Karrio 2026.1 refuses for certain by its own rules for streets, phone numbers
/// and postal codes, which it applies before it asks a carrier. Errors name the part as the API does
/// ("phone"). Parts that the rules leave open are not errors. Pure.
FieldErrors wrong_parts(const Party& party);

}  // namespace waybill::connectors::karrio
