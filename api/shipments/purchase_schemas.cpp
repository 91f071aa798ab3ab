#include "api/shipments/purchase_schemas.hpp"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "api/records/fields.hpp"
#include "base/blanks.hpp"
#include "domain/purchases/purchase.hpp"

namespace waybill::api {
namespace {

constexpr std::string_view formats[] = {"pdf", "zpl", "png"};
constexpr std::string_view choices[] = {"cheapest", "fastest"};
constexpr std::string_view void_states[] = {"unknown", "pending", "refused"};
constexpr std::string_view resolutions[] = {"bought", "not_bought"};

constexpr Property carrier_properties[] = {
    {.name = "guid", .kind = Kind::uuid, .nullable = false},
    {.name = "name", .kind = Kind::string},
};
constexpr Schema carrier_schema{"CarrierOfPurchase", carrier_properties};
constexpr Property error_properties[] = {
    {.name = "code", .kind = Kind::string, .description = "The carrier's, the gateway's or ours."},
    {.name = "message", .kind = Kind::text},
};
constexpr Schema error_schema{"PurchaseError", error_properties};

const Property purchase_properties[] = {
    {.name = "guid",
     .kind = Kind::uuid,
     .nullable = false,
     .description = "Also the reference that the gateway gets."},
    {.name = "shipmentId", .kind = Kind::uuid, .nullable = false},
    {.name = "attempt",
     .kind = Kind::integer,
     .nullable = false,
     .description = "The number of the purchase among those of the shipment, from 1."},
    {.name = "status",
     .kind = Kind::one_of,
     .nullable = false,
     .values = purchase_statuses(),
     .description = "refused and voided are final; bought stays until a void. An unknown one is looked up; "
                    "what that does not settle, an admin resolves. void_refused is a bought label whose void "
                    "was refused; a void without an answer is void_unknown, and is looked up."},
    {.name = "connector", .kind = Kind::string, .description = "Null until a carrier is chosen."},
    {.name = "carrier",
     .kind = Kind::object,
     .schema = &carrier_schema,
     .description = "Null until it is chosen."},
    {.name = "serviceLevel", .kind = Kind::string},
    {.name = "serviceCode", .kind = Kind::string, .description = "The gateway's."},
    {.name = "serviceName", .kind = Kind::string},
    {.name = "quote",
     .kind = Kind::number,
     .description = "The price of the rate that is bought, or of the chosen one if the draft is dearer."},
    {.name = "quoteCurrency", .kind = Kind::string},
    {.name = "price",
     .kind = Kind::number,
     .description = "The price that the carrier charged. Null for a bought label: unknown."},
    {.name = "currency", .kind = Kind::string},
    {.name = "isDearer",
     .kind = Kind::boolean,
     .nullable = false,
     .description = "True if the price is above the quote, or in another currency."},
    {.name = "maxPrice", .kind = Kind::number},
    {.name = "maxPriceCurrency",
     .kind = Kind::string,
     .description = "The currency of the business at the request."},
    {.name = "format",
     .kind = Kind::one_of,
     .nullable = false,
     .values = formats,
     .description = "The format that the carrier is asked for."},
    {.name = "testMode", .kind = Kind::boolean, .description = "Null until a carrier is chosen."},
    {.name = "gatewayId", .kind = Kind::string},
    {.name = "carrierTrackingNumbers",
     .kind = Kind::array,
     .nullable = false,
     .items = Kind::string,
     .description = "The carrier's numbers, one for each parcel."},
    {.name = "carrierTrackingUrl", .kind = Kind::string},
    {.name = "hasLabel",
     .kind = Kind::boolean,
     .nullable = false,
     .description = "True if the label can be fetched."},
    {.name = "error",
     .kind = Kind::object,
     .schema = &error_schema,
     .description = "The last refusal or failure."},
    {.name = "voidState",
     .kind = Kind::one_of,
     .values = void_states,
     .description = "The state of the last void: without an answer, accepted but not decided, or refused."},
    {.name = "resolution",
     .kind = Kind::one_of,
     .values = resolutions,
     .description = "The decision of an admin about a purchase without an answer; not_bought also after a "
                    "withdrawal."},
    {.name = "strayOf",
     .kind = Kind::uuid,
     .description = "The purchase in addition to which this label turned up."},
    {.name = "requestedAt", .kind = Kind::timestamp, .nullable = false},
    {.name = "boughtAt", .kind = Kind::timestamp},
    {.name = "voidedAt", .kind = Kind::timestamp},
};

constexpr Property sum_properties[] = {
    {.name = "currency",
     .kind = Kind::string,
     .description = "Null: purchases without a price, and those of test labels."},
    {.name = "purchases", .kind = Kind::integer, .nullable = false},
    {.name = "paid",
     .kind = Kind::number,
     .nullable = false,
     .description = "The prices of labels that are bought, or being voided."},
    {.name = "returned", .kind = Kind::number, .nullable = false, .description = "Those of voided labels."},
};

constexpr Property request_properties[] = {
    {.name = "rateId",
     .kind = Kind::string,
     .max_length = 2'000,
     .description = "A rate of POST …/rates. At most one of rateId, serviceLevel and choose. Default: the "
                    "service level of the shipment, else that of its carrier, else standard."},
    {.name = "serviceLevel",
     .kind = Kind::string,
     .description = "A level for which a carrier has a code in its serviceCodes."},
    {.name = "choose",
     .kind = Kind::one_of,
     .values = choices,
     .description = "Compares the carriers; of equal prices, the faster one."},
    {.name = "serviceCodes",
     .kind = Kind::array,
     .max_length = 100,
     .min_length = 1,
     .items = Kind::string,
     .description = "Only these services, by the gateways' codes."},
    {.name = "carrierIds",
     .kind = Kind::array,
     .max_length = 100,
     .min_length = 1,
     .items = Kind::uuid,
     .description = "Only these carriers."},
    {.name = "maxPrice",
     .kind = Kind::money,
     .description =
         "In the currency of the business. A dearer rate, or one in another currency, is not bought."},
    {.name = "format",
     .kind = Kind::one_of,
     .values = formats,
     .description = "Default: the labelFormat of the carrier."},
};

constexpr Property resolve_properties[] = {
    {.name = "outcome", .kind = Kind::one_of, .required = true, .values = resolutions},
    {.name = "carrierTrackingNumber",
     .kind = Kind::tracking_number,
     .description = "Required for an unknown purchase that was bought."},
    {.name = "label",
     .kind = Kind::string,
     .max_length = longest_label_text,
     .description = "The carrier's label in Base64: PDF, PNG or ZPL, at most 750 000 bytes."},
};

}  // namespace

const Schema purchase_schema{"Purchase", purchase_properties};
const Schema purchase_sum_schema{"PurchaseSum", sum_properties};
const Schema label_request_schema{"ShipmentLabelPurchase", request_properties};
const Schema resolve_schema{"PurchaseResolve", resolve_properties};

std::span<const std::string_view> label_formats() { return formats; }

std::span<const std::string_view> purchase_statuses() {
  static const auto all = [] {
    std::vector<std::string_view> names(domain::purchase_states().states.begin(),
                                        domain::purchase_states().states.end());
    names.insert(names.end(), {"void_refused", "void_unknown"});
    return names;
  }();
  return all;
}

void check_label_request(const json::object& body, FieldErrors& errors) {
  std::string_view first;
  for (const std::string_view name : {"rateId", "serviceLevel", "choose"}) {
    check_not_blank(body, name, errors);
    if (find_value(body, name) == nullptr) continue;
    if (!first.empty())
      errors.push_back({std::string(name), "must not be given together with " + std::string(first)});
    first = name;
  }
  const auto* const given = find_value(body, "serviceCodes");
  const auto* const codes = given == nullptr ? nullptr : given->if_array();
  for (std::size_t i = 0; codes != nullptr && i < codes->size(); ++i) {
    const auto* const code = (*codes)[i].if_string();
    if (code != nullptr && is_blank(std::string_view(*code)))
      errors.push_back({"serviceCodes[" + std::to_string(i) + "]", "must not be blank"});
  }
}

void check_resolve(const json::object& body, FieldErrors& errors) {
  check_not_blank(body, "carrierTrackingNumber", errors);
  if (text_at(body, "outcome") != "not_bought") return;
  for (const std::string_view name : {"carrierTrackingNumber", "label"}) {
    if (find_value(body, name) != nullptr)
      errors.push_back({std::string(name), "must not be given with the outcome not_bought"});
  }
}

}  // namespace waybill::api
