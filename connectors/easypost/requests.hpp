#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "connectors/carrier_gateway.hpp"

// The bodies of requests to EasyPost v2 (docs.easypost.com). Pure.
namespace waybill::connectors::easypost {

/// A draft with rates of one carrier account. Throws GatewayError refused for a consignment that EasyPost
/// cannot hold: it has one parcel with a weight.
std::string shipment_body(const Consignment& consignment, std::string_view carrier_account);

std::string purchase_body(std::string_view rate_id);

std::string tracker_body(std::string_view tracking_number);

enum class Rounding : std::uint8_t { nearest, up, down };

/// Kilograms, times a number of pieces, as ounces with one to `places` decimals, at least one unit of the
/// last place; nullopt if `kilograms` is not a positive decimal.
std::optional<std::string> ounces(std::string_view kilograms, std::int64_t pieces, int places,
                                  Rounding rounding);

/// Centimetres as inches with one decimal, at least 0.1; nullopt if `centimetres` is not a positive decimal.
std::optional<std::string> inches(std::string_view centimetres);

/// The exact product of an amount and a number of pieces (0 to 10^9); nullopt if one of them is malformed.
std::optional<std::string> times(std::string_view amount, std::int64_t pieces);

}  // namespace waybill::connectors::easypost
