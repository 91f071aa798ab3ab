#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/json.hpp"

namespace waybill::connectors::karrio {

/// Reads foreign JSON with each number as a string of its own characters, so that money stays exact and no
/// number is too large. Of two equal keys the last counts. nullopt if malformed, nested deeper than 32, or
/// with more than 200 000 values.
std::optional<json::value> exact_json(std::string_view text);

/// A decimal without an exponent and plus sign and with the same value as the number `text` ("1.5E+2":
/// "150"); digits after the point are kept. Empty if `text` is not a number or has more than 30 digits.
std::string plain_decimal(std::string_view text);

}  // namespace waybill::connectors::karrio
