#include "api/records/fields.hpp"
#include "api/workflows/definition/action_properties.hpp"
#include "api/workflows/definition/workflow_schemas.hpp"

namespace waybill::api {
namespace {

using namespace action_properties;

constexpr Property planned_webhook_properties[] = {
    {.name = "method",
     .kind = Kind::one_of,
     .nullable = false,
     .optional = true,
     .values = webhook_methods,
     .description = "Only if it is not POST."},
    {.name = "url", .kind = Kind::text, .nullable = false},
    {.name = "headers", .kind = Kind::any, .nullable = false, .schema = &hidden_headers_schema},
    {.name = "body", .kind = Kind::text, .nullable = false},
};
constexpr Schema planned_webhook_schema{"PlannedWebhook", planned_webhook_properties};

constexpr Property planned_email_properties[] = {
    {.name = "to", .kind = Kind::array, .nullable = false, .items = Kind::string},
    {.name = "cc", .kind = Kind::array, .nullable = false, .optional = true, .items = Kind::string},
    {.name = "bcc", .kind = Kind::array, .nullable = false, .optional = true, .items = Kind::string},
    {.name = "subject", .kind = Kind::text, .nullable = false},
    {.name = "body", .kind = Kind::text},
    {.name = "html", .kind = Kind::text},
    {.name = "senderName",
     .kind = Kind::string,
     .nullable = false,
     .optional = true,
     .description = "Only if the business has one."},
    {.name = "replyTo",
     .kind = Kind::string,
     .nullable = false,
     .optional = true,
     .description = "Only if the action or the business has one."},
    {.name = "listUnsubscribe",
     .kind = Kind::text,
     .nullable = false,
     .optional = true,
     .description = "Only if the template has a url."},
};
constexpr Schema planned_email_schema{"PlannedEmail", planned_email_properties};

constexpr Property planned_push_properties[] = {
    {.name = "title", .kind = Kind::text, .nullable = false},
    {.name = "body", .kind = Kind::text},
    {.name = "url", .kind = Kind::text},
    {.name = "subscriptions",
     .kind = Kind::integer,
     .nullable = false,
     .description = "The number of browsers that receive the message."},
};
constexpr Schema planned_push_schema{"PlannedPush", planned_push_properties};

constexpr Property planned_status_properties[] = {
    {.name = "entityType", .kind = Kind::string, .nullable = false, .schema = &entity_type_schema},
    {.name = "entityIds", .kind = Kind::array, .nullable = false, .items = Kind::uuid},
    {.name = "status", .kind = Kind::string, .nullable = false},
    {.name = "whenAllShipments", .kind = Kind::string, .nullable = false, .optional = true},
};
constexpr Schema planned_status_schema{"PlannedStatus", planned_status_properties};

constexpr Property planned_tracking_properties[] = {
    {.name = "orderId", .kind = Kind::uuid},
    {.name = "trackingNumber", .kind = Kind::string},
    {.name = "carrier", .kind = Kind::string},
    {.name = "shippedAt", .kind = Kind::timestamp, .nullable = false},
};
constexpr Schema planned_tracking_schema{"PlannedTracking", planned_tracking_properties};

constexpr Schema column_values_schema{
    .name = "ColumnValues",
    .json = R"({"type": "object", "description": "New values by column; metadata by key."})"};
constexpr Property planned_record_properties[] = {
    {.name = "entityType", .kind = Kind::string, .nullable = false, .schema = &entity_type_schema},
    {.name = "entityId", .kind = Kind::uuid, .nullable = false},
    {.name = "changes", .kind = Kind::any, .nullable = false, .schema = &column_values_schema},
    {.name = "addedTags", .kind = Kind::array, .nullable = false, .items = Kind::string},
    {.name = "removedTags", .kind = Kind::array, .nullable = false, .items = Kind::string},
};
constexpr Schema planned_record_schema{"PlannedRecord", planned_record_properties};

constexpr Property planned_shipment_properties[] = {
    {.name = "orderId", .kind = Kind::uuid, .nullable = false},
    {.name = "itemIds", .kind = Kind::array, .items = Kind::uuid},
    {.name = "carrierId", .kind = Kind::uuid},
    {.name = "serviceLevel", .kind = Kind::string},
    {.name = "generateLabel", .kind = Kind::boolean, .nullable = false},
};
constexpr Schema planned_shipment_schema{"PlannedShipment", planned_shipment_properties};

constexpr Property planned_purchase_properties[] = {
    {.name = "entityType", .kind = Kind::string, .nullable = false, .schema = &entity_type_schema},
    {.name = "entityId", .kind = Kind::uuid, .nullable = false},
    {.name = "serviceLevel", .kind = Kind::string},
    {.name = "choose", .kind = Kind::one_of, .values = label_choices},
    {.name = "serviceCodes", .kind = Kind::array, .items = Kind::string},
    {.name = "carrierIds", .kind = Kind::array, .items = Kind::uuid},
    {.name = "maxPrice", .kind = Kind::number},
    {.name = "format", .kind = Kind::one_of, .values = label_files},
};
constexpr Schema planned_purchase_schema{"PlannedPurchase", planned_purchase_properties};

constexpr Property planned_void_properties[] = {
    {.name = "entityType", .kind = Kind::string, .nullable = false, .schema = &entity_type_schema},
    {.name = "entityId", .kind = Kind::uuid, .nullable = false},
    {.name = "void", .kind = Kind::boolean, .nullable = false},
};
constexpr Schema planned_void_schema{"PlannedVoid", planned_void_properties};

constexpr const Schema* planned_requests[] = {
    &planned_webhook_schema,  &planned_email_schema,  &planned_push_schema,
    &planned_status_schema,   &planned_record_schema, &planned_shipment_schema,
    &planned_purchase_schema, &planned_void_schema,   &planned_tracking_schema};

}  // namespace

const Schema planned_request_schema{.name = "PlannedRequest", .variants = planned_requests};

}  // namespace waybill::api
