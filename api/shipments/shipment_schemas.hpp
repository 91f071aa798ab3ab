#pragma once

#include "api/endpoint/schema.hpp"

// The bodies and answers of the calls on shipments, but the shipment itself (shipment_body.hpp) and purchases
// (purchase_schemas.hpp).
namespace waybill::api {

extern const Schema label_print_schema;
extern const Schema rates_request_schema;
extern const Schema shipment_rates_schema;    // the answer to it
extern const Schema shipment_tracked_schema;  // the answer after the carrier was asked for scans
extern const Schema shipment_guid_schema;
extern const Schema shipment_schedule_schema;
extern const Schema shipment_overview_schema;
extern const Schema unassigned_shipment_schema;
extern const Schema shipment_trace_schema;       // a trace in a list
extern const Schema trace_result_schema;         // the answer to a new trace
extern const Schema order_shipment_schema;       // the body of createShipmentFromOrder
extern const Schema order_shipment_made_schema;  // the answer to it

/// Adds an error if the delivery is before the collection, or for the carrier's number.
void check_shipment_schedule(const json::object& body, FieldErrors& errors);

}  // namespace waybill::api
