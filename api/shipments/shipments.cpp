#include <span>
#include <string_view>

#include "api/endpoint/paging.hpp"
#include "api/records/history.hpp"
#include "api/records/list.hpp"
#include "api/scans/scans.hpp"
#include "api/shipments/label_file.hpp"
#include "api/shipments/purchase_schemas.hpp"
#include "api/shipments/shipment_body.hpp"
#include "api/shipments/shipment_handlers.hpp"
#include "api/shipments/shipment_schemas.hpp"
#include "domain/records/state_machines.hpp"

namespace waybill::api {
namespace {

const Parameter list_query[] = {
    {.name = "from",
     .kind = Kind::date_or_timestamp,
     .description = "The earliest time of creation. A date begins at midnight UTC."},
    {.name = "to",
     .kind = Kind::date_or_timestamp,
     .description = "The latest time of creation. A date includes the whole day."},
    {.name = "customerGuid", .kind = Kind::uuid},
    {.name = "status",
     .kind = Kind::array,
     .values = domain::shipment_states().states,
     .description = "May be given several times: shipments with any of the statuses."},
    {.name = "late",
     .kind = Kind::boolean,
     .description =
         "True: shipments that have not arrived by their estimated delivery and are not returned or "
         "cancelled. An estimate that nobody set or announced lasts until the end of its day (UTC)."},
    {.name = "trackingNumber",
     .kind = Kind::string,
     .description = "Our number or the carrier's, without regard to case."},
    {.name = "search",
     .kind = Kind::string,
     .description = "Words, each of which must occur in a number, the recipient's name or company, or the "
                    "recipient's city."},
    {.name = "tag", .kind = Kind::string, .description = "A tag, without regard to case."},
    {.name = "externalReference", .kind = Kind::string},
    filter_parameter,
    lower_page_parameter,
    per_page_parameter,
};

constexpr std::string_view label_kinds[] = {"carrier", "waybill"};
const Parameter label_query[] = {
    {.name = "format",
     .kind = Kind::one_of,
     .values = label_formats(),
     .description = "The format that the caller can use. Default: any."},
    {.name = "kind", .kind = Kind::one_of, .values = label_kinds},
};
constexpr ErrorCode label_errors[] = {ErrorCode::conflict};
constexpr ErrorCode print_errors[] = {ErrorCode::not_found, ErrorCode::conflict,
                                      ErrorCode::payload_too_large};

const Endpoint shipment_endpoint_table[] = {
    {.method = Method::get,
     .path = "/api/v1/shipments",
     .permission = Permission::read,
     .handler = list_shipments,
     .operation_id = "listShipments",
     .summary = "Lists shipments, newest first",
     .description =
         "Parameters select by status, lateness, customer, number, tag, reference and time of creation, and "
         "search texts.",
     .tag = "Shipments",
     .query = list_query,
     .answer = &shipment_entry_schema,
     .answer_is_array = true,
     .paginated = true,
     .errors = list_errors},
    {.method = Method::post,
     .path = "/api/v1/shipments",
     .permission = Permission::operate,
     .handler = create_shipment,
     .operation_id = "createShipment",
     .summary = "Creates a shipment",
     .description = "The Location header has the path of the shipment.",
     .tag = "Shipments",
     .body = &shipment_create_schema,
     .body_check = check_shipment_create,
     .body_kind = BodyKind::object,
     .status = 201},
    {.method = Method::patch,
     .path = "/api/v1/shipments",
     .permission = Permission::operate,
     .handler = schedule_shipment,
     .operation_id = "scheduleShipment",
     .summary = "Sets the dates of a shipment and the carrier's tracking number and link",
     .description = "Fields that are left out keep their values.",
     .tag = "Shipments",
     .body = &shipment_schedule_schema,
     .body_check = check_shipment_schedule,
     .body_kind = BodyKind::object,
     .answer = &shipment_guid_schema},
    {.method = Method::get,
     .path = "/api/v1/shipments/overview",
     .permission = Permission::read,
     .handler = get_shipment_overview,
     .operation_id = "getShipmentOverview",
     .summary = "Returns the numbers of shipments by status, and the cost of their labels",
     .description = "inTransit counts those that are collected, in transit or out for delivery; onTimeRate "
                    "is the share of deliveries on or before the estimated date; labelCosts are the prices "
                    "of bought labels by currency.",
     .tag = "Shipments",
     .answer = &shipment_overview_schema,
     .from_standby = true},
    {.method = Method::get,
     .path = "/api/v1/shipments/unassigned",
     .permission = Permission::read,
     .handler = list_unassigned_shipments,
     .operation_id = "listUnassignedShipments",
     .summary = "Lists up to 1 000 open shipments that are in no dispatch, oldest first",
     .description = "These can be put into a dispatch.",
     .tag = "Shipments",
     .answer = &unassigned_shipment_schema,
     .answer_is_array = true},
    {.method = Method::post,
     .path = "/api/v1/shipments/delete",
     .permission = Permission::operate,
     .handler = delete_shipments,
     .operation_id = "deleteShipments",
     .summary = "Deletes shipments that are not underway, all or none",
     .description =
         "An unknown guid is 404, and nothing is deleted then. 409 names those whose carrier's label "
         "is bought or being bought.",
     .tag = "Shipments",
     .body = &shipment_guid_schema,
     .body_kind = BodyKind::array,
     .answer_is_array = true},
    {.method = Method::get,
     .path = "/api/v1/shipments/{shipmentId}",
     .permission = Permission::read,
     .handler = get_shipment,
     .operation_id = "getShipment",
     .summary = "Returns a shipment",
     .description = "With sender, recipient, packages and both tracking numbers. A deleted shipment is 404.",
     .tag = "Shipments",
     .answer = &shipment_schema},
    {.method = Method::put,
     .path = "/api/v1/shipments/{shipmentId}",
     .permission = Permission::operate,
     .handler = update_shipment,
     .operation_id = "updateShipment",
     .summary = "Updates a shipment",
     .description = "Fields that are left out keep their values.",
     .tag = "Shipments",
     .body = &shipment_update_schema,
     .body_check = check_shipment_update,
     .body_kind = BodyKind::object,
     .shown_by = get_shipment,
     .answer = &shipment_guid_schema},
    {.method = Method::del,
     .path = "/api/v1/shipments/{shipmentId}",
     .permission = Permission::operate,
     .handler = delete_shipment,
     .operation_id = "deleteShipment",
     .summary = "Deletes a shipment that is not underway",
     .description =
         "One that is on its way cannot be deleted (400), nor one whose carrier's label is bought or "
         "being bought (409): void it first.",
     .tag = "Shipments"},
    {.method = Method::get,
     .path = "/api/v1/shipments/{shipmentId}/traces",
     .permission = Permission::read,
     .handler = list_traces,
     .operation_id = "listShipmentTraces",
     .summary = "Lists the newest 1 000 traces of a shipment by time",
     .description = "What carriers, drivers and users have reported about the parcel.",
     .tag = "Shipments",
     .answer = &shipment_trace_schema,
     .answer_is_array = true},
    {.method = Method::post,
     .path = "/api/v1/shipments/{shipmentId}/traces",
     .permission = Permission::operate,
     .handler = report_trace,
     .operation_id = "addShipmentTrace",
     .summary = "Adds a trace to a shipment",
     .description = "The trace moves the shipment to its status if it is not older than the last move and "
                    "the move is allowed.",
     .tag = "Shipments",
     .body = &trace_schema,
     .body_kind = BodyKind::object,
     .answer = &trace_result_schema},
    {.method = Method::post,
     .path = "/api/v1/traces",
     .permission = Permission::operate,
     .handler = report_scans,
     .operation_id = "addTraces",
     .summary = "Adds up to 1 000 traces to any shipments",
     .description = "Each entry has a result: whether it moved its shipment, or its error. Entries with an "
                    "error are not stored; the others are.",
     .tag = "Shipments",
     .body = &scan_schema,
     .body_check = check_scan,
     .body_kind = BodyKind::array,
     .answer = &scan_result_schema,
     .answer_is_array = true},
    {.method = Method::post,
     .path = "/api/v1/shipments/{shipmentId}/rates",
     .permission = Permission::operate,
     .handler = get_rates,
     .operation_id = "getShipmentRates",
     .summary = "Asks carriers for the prices of a shipment",
     .description =
         "All configured carriers with a gateway are asked at the same time, for up to 20 s, or "
         "those that are named. The rates are sorted by price, then by transit time; what a carrier "
         "does not answer is left out, with a message. Each rate is valid for an hour.",
     .tag = "Shipments",
     .body = &rates_request_schema,
     .body_kind = BodyKind::object,
     .answer = &shipment_rates_schema},
    {.method = Method::post,
     .path = "/api/v1/shipments/{shipmentId}/track",
     .permission = Permission::operate,
     .handler = track_shipment,
     .operation_id = "trackShipment",
     .summary = "Asks the carrier for the scans of a shipment",
     .description = "The scans become traces. A scan that is known is not added again.",
     .tag = "Shipments",
     .answer = &shipment_tracked_schema},
    {.method = Method::get,
     .path = "/api/v1/shipments/{shipmentId}/label",
     .permission = Permission::read,
     .handler = get_label,
     .operation_id = "getShipmentLabel",
     .summary = "Returns the label of a shipment",
     .description = "The carrier's label as the carrier made it, if the shipment's carrier can sell labels, "
                    "else waybill's "
                    "own; kind names one of them. 409 with the status of the purchase while the carrier's is "
                    "not bought, and "
                    "with `format` if it was bought in another one; never waybill's own instead. A PNG is "
                    "image/png, ZPL is "
                    "application/zpl. Waybill's own is a PDF in A6, with a Code 128 and a QR code. 409 if "
                    "the number does not fit as a barcode, or if the "
                    "server has no font for a script of the texts, which the message names, or if nothing of "
                    "a field of an address can be printed, such as a name of emoji; details names the field.",
     .tag = "Shipments",
     .query = label_query,
     .errors = label_errors,
     .media_type = "application/pdf",
     .other_media_types = other_label_types},
    {.method = Method::post,
     .path = "/api/v1/labels",
     .permission = Permission::operate,
     .handler = print_labels,
     .operation_id = "printLabels",
     .summary = "Returns the labels of up to 100 shipments as one PDF",
     .description =
         "In the order given. The label of a shipment is the one that was bought from its carrier (PDF or "
         "PNG), "
         "or waybill's own if the carrier has no gateway. 404 names unknown shipments and 409 those without "
         "a "
         "printable label, in details; then nothing is printed. 413 if all labels have more than 50 MiB. An "
         "Idempotency-Key has no effect.",
     .tag = "Shipments",
     .body = &label_print_schema,
     .body_kind = BodyKind::object,
     .errors = print_errors,
     .media_type = "application/pdf"},
    {.method = Method::get,
     .path = "/api/v1/shipments/{shipmentId}/history",
     .permission = Permission::read,
     .handler = get_shipment_history,
     .operation_id = "listShipmentHistory",
     .summary = "Lists the status changes of a shipment, oldest first",
     .description = "The newest thousand changes, each with its author and notes.",
     .tag = "Shipments",
     .answer = &shipment_history_schema,
     .answer_is_array = true},
    {.method = Method::post,
     .path = "/api/v1/Orders/{orderId}/shipment",
     .permission = Permission::operate,
     .handler = ship_order,
     .operation_id = "createShipmentFromOrder",
     .summary = "Creates the shipment of an order",
     .description =
         "All items unless itemIds names some. 409 if the order has a live shipment, 400 for a "
         "cancelled order. generateLabel buys the label of a carrier that can sell one, with the answers of "
         "buyShipmentLabel, or makes waybill's own at once.",
     .tag = "Orders",
     .body = &order_shipment_schema,
     .body_kind = BodyKind::object,
     .answer = &order_shipment_made_schema,
     .status = 201,
     .is_audited = true},
};

}  // namespace

std::span<const Endpoint> shipment_endpoints() { return shipment_endpoint_table; }

}  // namespace waybill::api
