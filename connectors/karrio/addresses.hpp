#pragma once

#include "base/error.hpp"
#include "connectors/carrier_gateway.hpp"

namespace waybill::connectors::karrio {

/// The parts of an address that Karrio 2026.1 refuses for certain by its own rules for phone numbers and
/// postal codes, which it applies before it asks a carrier. Errors name the part as the API does ("phone").
/// Parts that the rules leave open are not errors. Pure.
FieldErrors wrong_parts(const Party& party);

}  // namespace waybill::connectors::karrio
