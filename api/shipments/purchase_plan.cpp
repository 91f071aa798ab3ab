#include "api/shipments/purchase_plan.hpp"

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/gateways/connected_carriers.hpp"
#include "api/records/fields.hpp"
#include "api/shipments/purchase_schemas.hpp"
#include "api/shipments/shipment_body.hpp"
#include "base/json.hpp"
#include "connectors/gateways/consignment.hpp"
#include "storage/sql/shipments.sql.hpp"

namespace waybill::api {
namespace {

using connectors::GatewayConnector;
using storage::NewPurchase;

constexpr std::string_view usual_level = "standard";

std::string_view name_of(connectors::LabelFormat format) {
  return label_formats()[static_cast<std::size_t>(format)];
}

bool has_format(const GatewayConnector& connector, std::string_view format) {
  return std::ranges::find(connector.formats(), format, name_of) != connector.formats().end();
}

/// The author of the later events of the shipment, without the request, which the audit log has.
std::string author_of(const Call& call) {
  const Call plain{.principal = call.principal};
  return plain.cause().json;
}

std::string level_of(const PurchaseTerms& terms) {
  return std::string(terms.service_level.value_or(terms.default_level.value_or(usual_level)));
}

bool has_code(const json::object& service_codes, std::string_view level) {
  const auto* const code = service_codes.if_contains(level);
  return code != nullptr && code->is_string();
}

Failure without_code(const std::string& level) {
  return invalid("serviceLevel",
                 "no carrier that can buy it has a code for " + level + " in its serviceCodes");
}

/// The currency and the amount of `maxPrice`; nullopt if there is none.
std::optional<domain::Money> max_price_of(const json::object& body, const PurchaseTerms& terms) {
  const auto* const value = find_value(body, "maxPrice");
  if (value == nullptr) return std::nullopt;
  return domain::Money{.amount = decimal_text(*value).value(), .currency = std::string(terms.currency)};
}

void check_price(const QuotedRate& rate, const std::optional<domain::Money>& max_price) {
  const auto refusal = domain::price_refusal({.amount = rate.price, .currency = rate.currency}, max_price);
  if (refusal.empty()) return;
  if (refusal == "OTHER_CURRENCY")
    throw conflict("The rate is in " + rate.currency + ", maxPrice in " + max_price->currency +
                   ", the currency of the business.");
  throw conflict("The rate of " + rate.price + " " + rate.currency + " is above maxPrice.");
}

void set_carrier(NewPurchase& purchase, const ConnectedCarrier& carrier) {
  purchase.carrier_id = carrier.guid;
  purchase.connector = std::string(carrier.connector->name());
  purchase.test_mode = carrier.account.test_mode;
  purchase.format = carrier.label_format.empty() ? std::string(name_of(carrier.connector->formats().front()))
                                                 : carrier.label_format;
}

/// Fixes the format; `carriers` are those that may be chosen, if none is fixed.
void set_format(NewPurchase& purchase, const json::object& body,
                const std::vector<ConnectedCarrier>& carriers) {
  const auto format = text_at(body, "format");
  if (!format) return;
  const bool is_offered = std::ranges::any_of(carriers, [&](const ConnectedCarrier& carrier) {
    return (!purchase.carrier_id || carrier.guid == *purchase.carrier_id) &&
           has_format(*carrier.connector, *format);
  });
  if (!is_offered) throw invalid("format", "is not a format of the carrier's gateway");
  purchase.format = *format;
}

void check_within_wishes(const json::object& body, const QuotedRate& rate) {
  const auto carriers = guids_at(body, "carrierIds");
  if (!carriers.empty() && std::ranges::find(carriers, rate.carrier) == carriers.end())
    throw invalid("carrierIds", "does not have the carrier of rateId");
  const auto* const codes = find_value(body, "serviceCodes");
  if (codes != nullptr &&
      std::ranges::find(codes->get_array(), json::value(rate.service_code)) == codes->get_array().end())
    throw invalid("serviceCodes", "does not have the service of rateId");
}

/// Fixes the carrier and service of a rate.
json::object wanted_rate(NewPurchase& purchase, const Call& call, const Services& services,
                         const QuotedRate& rate, const ConnectedCarrier& carrier) {
  if (rate.expires_at <= services.clock.now())
    throw invalid("rateId", "has expired; ask for the rates again");
  if (rate.test_mode != carrier.account.test_mode)
    throw invalid("rateId", "is older than the testMode of the carrier; ask for the rates again");
  check_within_wishes(call.object(), rate);
  check_price(rate, purchase.max_price);
  set_carrier(purchase, carrier);
  purchase.service_level = carrier.level_of(rate.service_code).value_or("");
  return {{"rate",
           {{"carrierId", rate.carrier.to_string()},
            {"serviceCode", rate.service_code},
            {"price", rate.price},
            {"currency", rate.currency},
            {"transitDays", rate.transit_days ? json::value(*rate.transit_days) : nullptr}}}};
}

/// Fixes the service level, and the carrier of the shipment if it is one of `carriers`.
json::object wanted_level(NewPurchase& purchase, const json::object& body, const PurchaseTerms& terms,
                          const std::vector<ConnectedCarrier>& carriers) {
  purchase.service_level = text_at(body, "serviceLevel").value_or(level_of(terms));
  const auto own = terms.carrier_id ? std::ranges::find(carriers, *terms.carrier_id, &ConnectedCarrier::guid)
                                    : carriers.end();
  if (own != carriers.end()) set_carrier(purchase, *own);
  const auto sells = [&](const ConnectedCarrier& carrier) {
    return has_code(carrier.service_codes, purchase.service_level);
  };
  const bool is_known = own != carriers.end() ? sells(*own) : std::ranges::any_of(carriers, sells);
  if (!is_known && find_value(body, "serviceCodes") == nullptr) throw without_code(purchase.service_level);
  return {{"serviceLevel", purchase.service_level}};
}

}  // namespace

std::optional<QuotedRate> named_rate(const Call& call, const Services& services) {
  const auto id = text_at(call.object(), "rateId");
  if (!id) return std::nullopt;
  auto rate = open_rate(services.secrets, call.business(), call.id(), *id);
  if (!rate) throw invalid("rateId", "is not a rate of this shipment; ask for its rates");
  return rate;
}

asio::awaitable<PlannedPurchase> planned_purchase(Call& call, Services& services, const PurchaseTerms& terms,
                                                  const std::optional<QuotedRate>& rate) {
  const json::object& body = call.object();
  const auto named = guids_at(body, "carrierIds");
  const auto choice = text_at(body, "choose");
  // The shipment's own carrier is the only one unless the request compares carriers.
  const bool takes_own = !rate && !choice && named.empty() && terms.connector;
  auto considered = named;
  if (rate) considered = {rate->carrier};
  if (takes_own) considered = {terms.carrier_id.value()};
  const auto carriers = co_await connected_carriers(call, services, std::move(considered));

  NewPurchase purchase{.business_id = call.business(),
                       .shipment_id = call.id(),
                       .cause = author_of(call),
                       .max_price = max_price_of(body, terms)};
  json::object wanted;
  if (rate) {
    wanted = wanted_rate(purchase, call, services, *rate, carriers.front());
  } else if (choice) {
    wanted = {{"choose", *choice}};
  } else {
    wanted = wanted_level(purchase, body, terms, carriers);
  }
  if (const auto* const codes = find_value(body, "serviceCodes")) wanted["serviceCodes"] = *codes;
  if (!named.empty()) {
    json::array& ids = wanted["carrierIds"].emplace_array();
    for (const Guid& carrier : named) ids.emplace_back(carrier.to_string());
  }
  set_format(purchase, body, carriers);
  purchase.wanted = to_json(wanted);
  PlannedPurchase planned{.purchase = std::move(purchase), .candidates = {}};
  if (rate) planned.priced = rate->shipment;
  for (const ConnectedCarrier& carrier : carriers) {
    if (planned.purchase.carrier_id.value_or(carrier.guid) == carrier.guid)
      planned.candidates.push_back(carrier.connector);
  }
  co_return planned;
}

std::optional<PlannedPurchase> usual_purchase(const Call& call, const Guid& shipment,
                                              const PurchaseTerms& terms,
                                              std::span<const ConnectedCarrier> carriers) {
  const auto* const connector = terms.connector ? connectors::find_gateway(*terms.connector) : nullptr;
  if (terms.carrier_id ? connector == nullptr : carriers.empty()) return std::nullopt;
  const std::string level = level_of(terms);
  PlannedPurchase planned{.purchase = {.business_id = call.business(),
                                       .shipment_id = shipment,
                                       .wanted = to_json(json::object{{"serviceLevel", level}}),
                                       .cause = author_of(call),
                                       .service_level = level},
                          .candidates = {}};
  if (terms.carrier_id) {
    const json::value codes = terms.service_codes ? json::parse(*terms.service_codes) : json::object();
    if (!has_code(codes.as_object(), level)) throw without_code(level);
    planned.purchase.carrier_id = terms.carrier_id;
    planned.purchase.connector = std::string(*terms.connector);
    planned.purchase.format = std::string(terms.label_format.value_or(name_of(connector->formats().front())));
    planned.purchase.test_mode = terms.test_mode;
    planned.candidates = {connector};
    return planned;
  }
  for (const ConnectedCarrier& carrier : carriers)
    if (has_code(carrier.service_codes, level)) planned.candidates.push_back(carrier.connector);
  if (planned.candidates.empty()) throw without_code(level);
  return planned;
}

asio::awaitable<storage::StoredPurchase> request_label(storage::Transaction& transaction,
                                                       PlannedPurchase planned) {
  const storage::sql::shipments::Consignment read{.business = planned.purchase.business_id,
                                                  .shipment = planned.purchase.shipment_id};
  auto requested = co_await storage::request_purchase(transaction, std::move(planned.purchase));
  if (!requested) throw not_found("shipment");
  if (requested->is_new) {  // the shipment is locked now
    const auto rows = co_await transaction.run(read);
    const auto row = rows.front();
    if (domain::is_over(row.status))
      throw conflict("The shipment is " + std::string(row.status) + "; no label can be bought for it.");
    FieldErrors errors;
    const auto consignment = connectors::consignment_of(row, errors);
    if (!errors.empty()) throw invalid(std::move(errors));
    if (planned.priced && *planned.priced != priced_parts(consignment))
      throw invalid("rateId",
                    "is older than the packages or addresses of the shipment; ask for the rates again");
    const auto can_take = [&](const GatewayConnector* connector) {
      return connectors::unsupported_parts(*connector, consignment).empty();
    };
    if (std::ranges::none_of(planned.candidates, can_take))
      throw invalid(connectors::unsupported_parts(*planned.candidates.front(), consignment));
  }
  co_return std::move(requested->purchase);
}

}  // namespace waybill::api
