#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "base/guid.hpp"
#include "connectors/gateways/rate_inquiry.hpp"
#include "domain/purchases/money.hpp"
#include "domain/purchases/purchase.hpp"

// The rate that a purchase buys. Pure.
namespace waybill::worker {

/// The wish of a request.
struct WantedRate {
  enum class By : std::uint8_t { rate, level, cheapest, fastest };
  /// A rate that a person has chosen.
  struct Shown {
    Guid carrier;
    std::string service_code;
    domain::Money price;
    std::optional<int> transit_days = {};
  };

  By by = By::cheapest;
  std::optional<Shown> rate;               // of By::rate
  std::string level;                       // our service level, of By::level
  std::vector<std::string> service_codes;  // the gateway's; empty: all
  std::vector<Guid> carriers;              // empty: all
  bool takes_usual_format = false;         // the label has the format that is usual for the chosen carrier
};

/// Reads `wanted` of a stored purchase: {"rate": {"carrierId", "serviceCode", "price", "currency",
/// "transitDays"}}, {"serviceLevel"} or {"choose": "cheapest"|"fastest"}, each with or without "serviceCodes"
/// and "carrierIds", and with "usualFormat". The others say nothing more about a rate: then `service_level`,
/// that of the purchase, is wanted, and without it the cheapest rate. A level for which a carrier has no
/// service code is served by "serviceCodes". A price is a text or a number. nullopt if a member has a wrong
/// form.
std::optional<WantedRate> read_wanted(std::string_view wanted, std::string_view service_level);

inline constexpr std::string_view no_rate_code = "NO_RATE";

struct ChosenRate {
  std::size_t carrier;  // place among those asked
  connectors::CarrierRate rate;
};

/// The rate to buy among the answers of carriers, or the reason why there is none: NO_RATE, PRICE_CHANGED
/// (the rate that a person has chosen is dearer now, or in another currency), TOO_EXPENSIVE (with the lowest
/// price), or OTHER_CURRENCY, also if rates in several currencies cannot be compared because no `max_price`
/// names one. Cheapest: by price, then transit time; fastest: by transit time, then price, so that only the
/// currencies of the fastest rates count; unknown transit times come last, and equal rates keep their order.
/// A rate that a person has chosen has a new id in each answer. Several rates may have its service: the one
/// with its transit time and price is bought, or else one with its transit time, or else one with its price;
/// PRICE_CHANGED if all rates with its transit time are dearer.
std::variant<ChosenRate, domain::PurchaseMessage> choose_rate(const WantedRate& wanted,
                                                              std::span<const connectors::AskedCarrier> asked,
                                                              const std::optional<domain::Money>& max_price);

}  // namespace waybill::worker
