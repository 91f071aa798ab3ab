#pragma once

#include <optional>
#include <span>
#include <vector>

#include <boost/asio/awaitable.hpp>

#include "api/endpoint/endpoint.hpp"
#include "api/endpoint/services.hpp"
#include "api/gateways/connected_carriers.hpp"
#include "api/shipments/quoted_rate.hpp"
#include "base/guid.hpp"
#include "connectors/carrier_gateway.hpp"
#include "storage/carriers/purchases.hpp"
#include "storage/sql/purchases.sql.hpp"

// Requests of purchases. A purchase has its carrier if the request fixes it: by a rate, or by a service level
// of a shipment whose carrier has a gateway. Otherwise the worker compares the carriers, within what `wanted`
// says:
// {"rate": {"carrierId", "serviceCode", "price", "currency"}} (the price as text), {"serviceLevel": …} or
// {"choose": "cheapest" | "fastest"}, each with "serviceCodes" and "carrierIds" if they were given.
// Without a format, that of the carrier counts, also of one that is chosen later (NewPurchase::format).
namespace waybill::api {

using PurchaseTerms = storage::sql::purchases::Terms::Row;

/// A purchase that nobody has requested yet.
struct PlannedPurchase {
  storage::NewPurchase purchase;
  std::vector<const connectors::GatewayConnector*>
      candidates;                          // the connectors that may perform it; not empty
  std::optional<std::string> priced = {};  // QuotedRate::shipment of the rate that it names
};

/// The rate that the body of a call names; nullopt if it names none. Throws Failure (400) for one of another
/// shipment or business. It may have expired.
std::optional<QuotedRate> named_rate(const Call& call, const Services& services);

/// The purchase of the shipment `call.id()` that its body (label_request_schema) asks for. Throws Failure:
/// 400 for a rate that has expired or is of another mode, a service level without a code, or a format that
/// the gateway lacks; 404 for an unknown carrier; 409 if no carrier can buy, or if the rate is above maxPrice
/// or in another currency.
asio::awaitable<PlannedPurchase> planned_purchase(Call& call, Services& services, const PurchaseTerms& terms,
                                                  const std::optional<QuotedRate>& rate);

/// The purchase of a shipment without wishes: from its own carrier, or if it has none from one of `carriers`,
/// which are all with a gateway. nullopt without a gateway. Throws Failure (400) if no carrier has a code for
/// the service level.
std::optional<PlannedPurchase> usual_purchase(const Call& call, const Guid& shipment,
                                              const PurchaseTerms& terms,
                                              std::span<const ConnectedCarrier> carriers);

/// Requests a purchase in the open transaction, or returns the open or bought one. Throws Failure: 404
/// without the shipment, 409 for a final one, and 400 with each field that carriers need or that no candidate
/// can take, or with rateId if the shipment has changed since the rate was asked for; nothing may be
/// committed then.
asio::awaitable<storage::StoredPurchase> request_label(storage::Transaction& transaction,
                                                       PlannedPurchase planned);

}  // namespace waybill::api
