#include "api/shipments/shipment_schemas.hpp"

#include <string_view>

#include "api/records/fields.hpp"
#include "api/records/properties.hpp"
#include "api/shipments/shipment_body.hpp"
#include "domain/records/record_type.hpp"
#include "domain/records/state_machines.hpp"
#include "domain/values/limits.hpp"

namespace waybill::api {
namespace {

constexpr Property print_properties[] = {
    {.name = "shipmentIds",
     .kind = Kind::array,
     .required = true,
     .max_length = 100,
     .items = Kind::uuid,
     .description = "The shipments in the order of their labels, each once."},
};

constexpr Property rates_properties[] = {
    {.name = "carrierIds",
     .kind = Kind::array,
     .max_length = 100,
     .min_length = 1,
     .items = Kind::uuid,
     .description = "The carriers to ask; default: all with a gateway."},
    {.name = "serviceLevel", .kind = Kind::string, .description = "Only rates of this level."},
};
constexpr Property rate_carrier_properties[] = {
    {.name = "guid", .kind = Kind::uuid, .nullable = false},
    {.name = "name", .kind = Kind::string, .nullable = false},
};
constexpr Schema rate_carrier_schema{"RateCarrier", rate_carrier_properties};
constexpr Property charge_properties[] = {
    {.name = "name", .kind = Kind::string, .nullable = false},
    {.name = "amount", .kind = Kind::number, .nullable = false},
};
constexpr Schema charge_schema{"RateCharge", charge_properties};
constexpr Property rate_properties[] = {
    {.name = "rateId", .kind = Kind::string, .nullable = false},
    {.name = "carrier", .kind = Kind::object, .nullable = false, .schema = &rate_carrier_schema},
    {.name = "serviceCode", .kind = Kind::string, .nullable = false, .description = "The gateway's."},
    {.name = "serviceName", .kind = Kind::string, .nullable = false},
    {.name = "serviceLevel",
     .kind = Kind::string,
     .description = "By the carrier's serviceCodes; null if none has this code."},
    {.name = "price", .kind = Kind::number, .nullable = false},
    {.name = "currency", .kind = Kind::string, .nullable = false},
    {.name = "charges", .kind = Kind::array, .nullable = false, .schema = &charge_schema},
    {.name = "transitDays", .kind = Kind::integer},
    {.name = "estimatedDelivery", .kind = Kind::timestamp},
    {.name = "expiresAt", .kind = Kind::timestamp, .nullable = false},
};
constexpr Schema rate_schema{"ShipmentRate", rate_properties};
constexpr Property rate_message_properties[] = {
    {.name = "carrier", .kind = Kind::object, .nullable = false, .schema = &rate_carrier_schema},
    {.name = "code",
     .kind = Kind::string,
     .nullable = false,
     .description = "The carrier's or the gateway's."},
    {.name = "message", .kind = Kind::string, .nullable = false},
};
constexpr Schema rate_message_schema{"RateMessage", rate_message_properties};
constexpr Property rates_answer_properties[] = {
    {.name = "rates", .kind = Kind::array, .nullable = false, .schema = &rate_schema},
    {.name = "messages", .kind = Kind::array, .nullable = false, .schema = &rate_message_schema},
};
constexpr Property tracked_properties[] = {
    {.name = "added", .kind = Kind::integer, .nullable = false, .description = "The number of new traces."},
    {.name = "moved", .kind = Kind::boolean, .nullable = false, .description = "True if the status changed."},
};

constexpr Property guid_properties[] = {{.name = "guid", .kind = Kind::uuid, .required = true}};

/// The property of a column, by its name in the API.
Property column_property(std::string_view name) {
  return property_of(*domain::record_type(domain::EntityType::shipment).find(name), name, Use::change);
}

const Property schedule_properties[] = {
    {.name = "shipmentId", .kind = Kind::uuid, .required = true},
    {.name = "collectionDate", .kind = Kind::timestamp},
    {.name = "deliveryDate",
     .kind = Kind::timestamp,
     .description = "The estimated delivery; null for the computed one."},
    column_property("carrierTrackingNumber"),
    column_property("carrierTrackingUrl"),
};

constexpr Property label_cost_properties[] = {
    {.name = "currency", .kind = Kind::string, .nullable = false},
    {.name = "labels", .kind = Kind::integer, .nullable = false},
    {.name = "paid", .kind = Kind::number, .nullable = false, .description = "The sum of their prices."},
};
constexpr Schema label_cost_schema{"LabelCost", label_cost_properties};

constexpr Property overview_properties[] = {
    {.name = "totalShipments", .kind = Kind::integer, .nullable = false},
    {.name = "inTransit",
     .kind = Kind::integer,
     .nullable = false,
     .description = "Shipments that are collected, in_transit or out_for_delivery."},
    {.name = "delivered", .kind = Kind::integer, .nullable = false},
    {.name = "exceptions", .kind = Kind::integer, .nullable = false},
    {.name = "pending",
     .kind = Kind::integer,
     .nullable = false,
     .description = "Shipments with the status created."},
    {.name = "onTimeRate",
     .kind = Kind::number,
     .nullable = false,
     .description = "The fraction of delivered shipments that were on time."},
    {.name = "labelCosts",
     .kind = Kind::array,
     .nullable = false,
     .schema = &label_cost_schema,
     .description = "The bought labels by currency, without voided ones and those of the test mode."},
};

constexpr Property recipient_properties[] = {
    {.name = "name", .kind = Kind::string},
    {.name = "city", .kind = Kind::string},
};
constexpr Schema recipient_schema{"UnassignedRecipient", recipient_properties};
const Property unassigned_properties[] = {
    {.name = "guid", .kind = Kind::uuid, .nullable = false},
    {.name = "trackingNumber", .kind = Kind::string, .nullable = false},
    {.name = "status", .kind = Kind::one_of, .nullable = false, .values = domain::shipment_states().states},
    {.name = "recipient", .kind = Kind::object, .nullable = false, .schema = &recipient_schema},
};

const Property trace_properties[] = {
    {.name = "timestamp", .kind = Kind::timestamp, .nullable = false},
    {.name = "status", .kind = Kind::one_of, .nullable = false, .values = domain::shipment_states().states},
    {.name = "description", .kind = Kind::text, .nullable = false},
    {.name = "location", .kind = Kind::string},
};
constexpr Property reported_properties[] = {
    {.name = "moved",
     .kind = Kind::boolean,
     .nullable = false,
     .description = "True if the shipment has the status of the trace now."},
};

constexpr Property ship_properties[] = {
    {.name = "itemIds",
     .kind = Kind::array,
     .max_length = domain::most_items,
     .min_length = 1,
     .items = Kind::uuid,
     .description = "Items of the order. Default: all."},
    {.name = "generateLabel",
     .kind = Kind::boolean,
     .description = "Buys the label of the carrier if its connector can, or makes waybill's own."},
};
const Property shipped_properties[] = {
    {.name = "guid", .kind = Kind::uuid, .nullable = false},
    {.name = "trackingNumber", .kind = Kind::string, .nullable = false},
    {.name = "orderId", .kind = Kind::uuid, .nullable = false},
    {.name = "status", .kind = Kind::one_of, .nullable = false, .values = domain::shipment_states().states},
};

}  // namespace

const Schema label_print_schema{"LabelPrint", print_properties};
const Schema rates_request_schema{"ShipmentRatesRequest", rates_properties};
const Schema shipment_rates_schema{"ShipmentRates", rates_answer_properties};
const Schema shipment_tracked_schema{"ShipmentTracked", tracked_properties};
const Schema shipment_guid_schema{"ShipmentGuid", guid_properties};
const Schema shipment_schedule_schema{"ShipmentSchedule", schedule_properties};
const Schema shipment_overview_schema{"ShipmentOverview", overview_properties};
const Schema unassigned_shipment_schema{"UnassignedShipment", unassigned_properties};
const Schema shipment_trace_schema{"ShipmentTrace", trace_properties};
const Schema trace_result_schema{"ShipmentTraceResult", reported_properties};
const Schema order_shipment_schema{"OrderShipmentCreate", ship_properties};
const Schema order_shipment_made_schema{"OrderShipmentMade", shipped_properties};

void check_shipment_schedule(const json::object& body, FieldErrors& errors) {
  const auto collection = parse_timestamp(text_at(body, "collectionDate").value_or(""));
  const auto delivery = parse_timestamp(text_at(body, "deliveryDate").value_or(""));
  if (collection && delivery && *delivery < *collection) {
    errors.push_back({"deliveryDate", "must not be before collectionDate"});
  }
  check_carrier_number(body, errors);
}

}  // namespace waybill::api
