#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/clock.hpp"
#include "base/guid.hpp"
#include "base/secret_box.hpp"
#include "connectors/carrier_gateway.hpp"

namespace waybill::api {

/// A rate that was shown for a shipment, as a purchase can name it.
struct QuotedRate {
  Guid carrier;
  std::string service_code, price, currency;  // as the gateway gave them
  Time expires_at;
  std::string shipment;  // `priced_parts` of the shipment when the rate was asked for
  bool test_mode;        // that of the carrier then
  std::optional<int> transit_days = {};

  bool operator==(const QuotedRate&) const = default;
};

/// The id of a rate: a sealed text, so that nobody can make one up. Only this business can use it, and only
/// for this shipment.
std::string seal_rate(const SecretBox& secrets, const Guid& business, const Guid& shipment,
                      const QuotedRate& rate);
/// nullopt for a text that `seal_rate` has not made for this shipment. The rate may have expired.
std::optional<QuotedRate> open_rate(const SecretBox& secrets, const Guid& business, const Guid& shipment,
                                    std::string_view id);

/// A hash of the parts of a shipment on which its price depends: the parcels, both addresses, the direction.
/// Names and contacts are not among them. Pure.
std::string priced_parts(const connectors::Consignment& consignment);

}  // namespace waybill::api
