#include "api/workflows/definition/workflow_schemas.hpp"

#include <algorithm>
#include <array>
#include <vector>

#include "api/records/fields.hpp"
#include "domain/time/working_days.hpp"
#include "domain/workflows/pacing.hpp"
#include "domain/workflows/triggers.hpp"

namespace waybill::api {
namespace {

constexpr std::string_view send_email[] = {"send_email"};
constexpr std::string_view send_push[] = {"send_push"};
constexpr std::string_view webhook[] = {"webhook"};
constexpr std::string_view update_status[] = {"update_status"};
constexpr std::string_view push_tracking[] = {"push_tracking"};

constexpr std::string_view condition_operators[] = {"eq",       "ne",     "gt",      "gte",      "lt",
                                                    "lte",      "in",     "nin",     "contains", "startsWith",
                                                    "endsWith", "exists", "changed", "from",     "to"};
constexpr std::string_view urgencies[] = {"very-low", "low", "normal", "high"};  // RFC 8030 section 5.3
constexpr double max_ttl = 2'419'200;

constexpr Schema recipients_schema{.name = "MailRecipients", .json = R"({"anyOf": [{"type": "string"},
                                       {"type": "array", "items": {"type": "string"}, "maxItems": 100}]})"};
constexpr Schema hidden_headers_schema{
    .name = "HiddenHeaders", .json = R"({"type": "object", "additionalProperties": {"type": "string"},
                "description": "Values by name; ******** replaces a hidden value."})"};
constexpr Schema header_input_schema{
    .name = "Headers", .json = R"({"type": "object", "additionalProperties": {"type": "string"}})"};

constexpr Property email_input_properties[] = {
    {.name = "type", .kind = Kind::one_of, .required = true, .values = send_email},
    {.name = "recipient",
     .kind = Kind::any,
     .required = true,
     .schema = &recipients_schema,
     .description = "Addresses, as an array or separated by commas. Mustache is allowed."},
    {.name = "cc", .kind = Kind::any, .schema = &recipients_schema},
    {.name = "bcc", .kind = Kind::any, .schema = &recipients_schema},
    {.name = "replyTo",
     .kind = Kind::string,
     .description = "One address; Mustache is allowed. Default: that of the business."},
    {.name = "template", .kind = Kind::string, .description = "The code of a stored template."},
    {.name = "subject", .kind = Kind::text},
    {.name = "body", .kind = Kind::text},
    {.name = "html", .kind = Kind::text},
};
constexpr Schema email_input_schema{"EmailActionInput", email_input_properties};

constexpr Property push_input_properties[] = {
    {.name = "type", .kind = Kind::one_of, .required = true, .values = send_push},
    {.name = "recipient", .kind = Kind::string, .description = "\"all\" (default) or the guid of a user."},
    {.name = "template", .kind = Kind::string, .description = "The code of a stored template."},
    {.name = "title", .kind = Kind::string, .description = "Required without a template."},
    {.name = "body", .kind = Kind::text},
    {.name = "url", .kind = Kind::string, .max_length = 2'000},
    {.name = "ttl",
     .kind = Kind::integer,
     .minimum = 0,
     .maximum = max_ttl,
     .description = "Seconds for which the push service keeps the message. Default: 86400."},
    {.name = "urgency", .kind = Kind::one_of, .values = urgencies, .description = "Default: normal."},
};
constexpr Schema push_input_schema{"PushActionInput", push_input_properties};

constexpr std::string_view webhook_methods[] = {"POST", "PUT", "PATCH", "DELETE", "GET"};
constexpr std::string_view content_types[] = {"application/json", "application/x-www-form-urlencoded",
                                              "text/plain"};

constexpr Schema answer_schema{.name = "AnswerFields", .json = R"({"type": "object", "minProperties": 1,
    "maxProperties": 30, "additionalProperties": {"type": "string",
    "pattern": "^(string|number|boolean|timestamp|array|object|any)\\??$"},
    "description": "Types by path, such as {\"lines.0.id\": \"number?\"}; with ? the value may be absent or null."})"};

constexpr Property webhook_input_properties[] = {
    {.name = "type", .kind = Kind::one_of, .required = true, .values = webhook},
    {.name = "recipient",
     .kind = Kind::text,
     .required = true,
     .description = "An http or https URL. Mustache is allowed in its path and query."},
    {.name = "method", .kind = Kind::one_of, .values = webhook_methods, .description = "Default: POST."},
    {.name = "contentType",
     .kind = Kind::one_of,
     .values = content_types,
     .description = "Default: application/json. GET and DELETE have no body."},
    {.name = "template",
     .kind = Kind::text,
     .description = "The code of a stored template, or a body with Mustache. Default: the event payload."},
    {.name = "headers", .kind = Kind::any, .schema = &header_input_schema},
    {.name = "secret",
     .kind = Kind::string,
     .description = "whsec_…; signs the requests. Default: a generated secret."},
    {.name = "answer",
     .kind = Kind::any,
     .schema = &answer_schema,
     .description =
         "The values that a successful answer must have. A step with a name keeps them for the steps "
         "after it.",
     .example = R"({"stock.count": "number"})"},
};
constexpr Schema webhook_input_schema{"WebhookActionInput", webhook_input_properties};

constexpr Property status_input_properties[] = {
    {.name = "type", .kind = Kind::one_of, .required = true, .values = update_status},
    {.name = "recipient",
     .kind = Kind::string,
     .description = "Empty: the record of the event. Otherwise its relatives: order or shipments."},
    {.name = "template", .kind = Kind::string, .description = "The new status."},
    {.name = "status", .kind = Kind::string, .description = "The new status, instead of template."},
    {.name = "whenAllShipments",
     .kind = Kind::string,
     .description = "The order moves only if all its shipments have this status."},
};
constexpr Schema status_input_schema{"StatusActionInput", status_input_properties};

constexpr std::string_view update_record[] = {"update_record"};
constexpr std::string_view create_shipment[] = {"create_shipment"};

constexpr Schema set_schema{.name = "FieldValues", .json = R"({"type": "object", "minProperties": 1,
    "additionalProperties": {"type": ["string", "number", "null", "object"]},
    "description": "New values by field; texts may contain Mustache. tags is {add, remove}, metadata an object."})"};

constexpr Property record_properties[] = {
    {.name = "type", .kind = Kind::one_of, .required = true, .nullable = false, .values = update_record},
    {.name = "set", .kind = Kind::any, .required = true, .nullable = false, .schema = &set_schema},
};
constexpr Schema record_input_schema{"RecordActionInput", record_properties};
constexpr Schema record_schema{"RecordAction", record_properties};

constexpr Property shipment_properties[] = {
    {.name = "type", .kind = Kind::one_of, .required = true, .nullable = false, .values = create_shipment},
    {.name = "itemIds",
     .kind = Kind::array,
     .items = Kind::uuid,
     .description = "Items of the order. Default: all."},
    {.name = "carrierId", .kind = Kind::uuid, .description = "Default: that of the order."},
    {.name = "serviceLevel", .kind = Kind::string, .description = "Default: that of the order."},
    {.name = "generateLabel", .kind = Kind::boolean},
};
constexpr Schema shipment_input_schema{"ShipmentActionInput", shipment_properties};
constexpr Schema shipment_schema{"ShipmentAction", shipment_properties};

constexpr std::string_view buy_label[] = {"buy_label"};
constexpr std::string_view void_label[] = {"void_label"};
constexpr std::string_view label_choices[] = {"cheapest", "fastest"};
constexpr std::string_view label_formats[] = {"pdf", "zpl", "png"};

constexpr Property purchase_properties[] = {
    {.name = "type", .kind = Kind::one_of, .required = true, .nullable = false, .values = buy_label},
    {.name = "serviceLevel",
     .kind = Kind::string,
     .description = "A code of the shipment's carrier. Default: that of the shipment. Not with choose."},
    {.name = "choose",
     .kind = Kind::one_of,
     .values = label_choices,
     .description = "Compares all configured carriers that can buy labels. Default: the carrier of the "
                    "shipment."},
    {.name = "serviceCodes",
     .kind = Kind::array,
     .items = Kind::string,
     .description = "With choose: codes of the gateways to choose among. Default: all."},
    {.name = "carrierIds",
     .kind = Kind::array,
     .items = Kind::uuid,
     .description = "With choose: carriers to choose among. Default: all."},
    {.name = "maxPrice",
     .kind = Kind::number,
     .description = "In the currency of the business. A dearer label is not bought."},
    {.name = "format",
     .kind = Kind::one_of,
     .values = label_formats,
     .description = "Default: that of the carrier."},
};
constexpr Schema purchase_input_schema{"PurchaseActionInput", purchase_properties};
constexpr Schema purchase_schema{"PurchaseAction", purchase_properties};
constexpr Property void_properties[] = {
    {.name = "type", .kind = Kind::one_of, .required = true, .nullable = false, .values = void_label},
};
constexpr Schema void_input_schema{"VoidActionInput", void_properties};
constexpr Schema void_schema{"VoidAction", void_properties};

constexpr std::string_view failure_choices[] = {"stop", "continue"};
constexpr Property when_property{.name = "when",
                                 .kind = Kind::any,
                                 .schema = &conditions_schema,
                                 .description = "Conditions on the record as it then is."};
constexpr Property step_name_property{
    .name = "name",
    .kind = Kind::string,
    .optional = true,
    .max_length = 40,
    .description = "For the values that later steps use: letters, digits and _, a letter first. Unique."};
constexpr Property step_of_action_properties[] = {
    step_name_property,
    when_property,
    {.name = "onFailure",
     .kind = Kind::one_of,
     .values = failure_choices,
     .description = "The effect of a failure of the step on the run. Default: stop."},
};

/// The properties of an action and those of its step.
template <std::size_t N>
constexpr std::array<Property, N + 3> step_properties(const Property (&action)[N]) {
  std::array<Property, N + 3> all{};
  std::ranges::copy(action, all.begin());
  std::ranges::copy(step_of_action_properties, all.begin() + N);
  return all;
}

/// The property `workdays`, which only what counts working days shows.
constexpr Property workdays_of(std::string_view description) {
  return {.name = "workdays", .kind = Kind::boolean, .optional = true, .description = description};
}

constexpr std::string_view wait[] = {"wait"};
constexpr std::string_view stop[] = {"stop"};
constexpr std::string_view choose[] = {"choose"};
constexpr Property awaited_properties[] = {
    {.name = "triggers",
     .kind = Kind::array,
     .items = Kind::string,
     .description = "Codes of triggers of the entity type, or \"*\" alone, without those of deletions and "
                    "erasures. Default: any event."},
    {.name = "conditions",
     .kind = Kind::any,
     .schema = &conditions_schema,
     .description = "On the record as of the event. Default: none."},
};
constexpr Schema awaited_schema{"AwaitedEvent", awaited_properties};
constexpr Property cancel_on_properties[] = {
    {.name = "triggers",
     .kind = Kind::array,
     .required = true,
     .nullable = false,
     .items = Kind::string,
     .description = "Codes of triggers of the entity type, or \"*\" alone."},
    {.name = "conditions",
     .kind = Kind::any,
     .schema = &conditions_schema,
     .description = "On the record as of the event. Default: none."},
};

constexpr Property wait_properties[] = {
    {.name = "type", .kind = Kind::one_of, .required = true, .nullable = false, .values = wait},
    step_name_property,
    {.name = "delay", .kind = Kind::duration},
    {.name = "until",
     .kind = Kind::string,
     .description = "A timestamp of the record, or of an earlier step's answer, instead of delay."},
    {.name = "offset", .kind = Kind::string, .description = "Added to until, such as -PT2H."},
    {.name = "for",
     .kind = Kind::any,
     .optional = true,
     .schema = &awaited_schema,
     .description = "The event of the record that ends the wait, instead of delay and until. It needs "
                    "triggers or conditions. Conditions alone end it at once if they hold."},
    {.name = "atMost",
     .kind = Kind::duration,
     .optional = true,
     .description = "The longest wait for the event, required with for. Then the run continues, and "
                    "steps.NAME.timedOut is true."},
    workdays_of("The delay, the offset or atMost is 1 to 20 whole days, counted as working days."),
};
constexpr Schema wait_input_schema{"WaitStepInput", wait_properties};
constexpr Schema wait_schema{"WaitStep", wait_properties};
constexpr Property stop_properties[] = {
    {.name = "type", .kind = Kind::one_of, .required = true, .nullable = false, .values = stop},
    step_name_property,
    when_property,
};
constexpr Schema stop_input_schema{"StopStepInput", stop_properties};
constexpr Schema stop_schema{"StopStep", stop_properties};

// The elements of the lists are all kinds of steps, so each list refers to their common name.
constexpr Schema way_input_schema{.name = "WayInput", .json = R"({"type": "array", "maxItems": 50,
    "items": {"$ref": "#/components/schemas/StepInput"}})"};
constexpr Schema way_schema{.name = "Way", .json = R"({"type": "array",
    "items": {"$ref": "#/components/schemas/Step"}})"};
constexpr Property choice_input_properties[] = {
    {.name = "type", .kind = Kind::one_of, .required = true, .nullable = false, .values = choose},
    step_name_property,
    {.name = "when",
     .kind = Kind::any,
     .required = true,
     .nullable = false,
     .schema = &conditions_schema,
     .description = "Conditions on the record as it then is, and on values of earlier steps."},
    {.name = "then", .kind = Kind::any, .schema = &way_input_schema},
    {.name = "otherwise", .kind = Kind::any, .schema = &way_input_schema},
};
constexpr Schema choice_input_schema{"ChoiceStepInput", choice_input_properties};
constexpr Property choice_properties[] = {
    {.name = "type", .kind = Kind::one_of, .nullable = false, .values = choose},
    step_name_property,
    {.name = "when", .kind = Kind::any, .nullable = false, .schema = &conditions_schema},
    {.name = "then", .kind = Kind::any, .nullable = false, .schema = &way_schema},
    {.name = "otherwise", .kind = Kind::any, .nullable = false, .schema = &way_schema},
};
constexpr Schema choice_schema{"ChoiceStep", choice_properties};

constexpr auto webhook_step_input = step_properties(webhook_input_properties);
constexpr auto email_step_input = step_properties(email_input_properties);
constexpr auto push_step_input = step_properties(push_input_properties);
constexpr auto status_step_input = step_properties(status_input_properties);
constexpr auto record_step = step_properties(record_properties);
constexpr auto shipment_step = step_properties(shipment_properties);
constexpr auto purchase_step = step_properties(purchase_properties);
constexpr auto void_step = step_properties(void_properties);
constexpr Schema webhook_step_input_schema{"WebhookStepInput", webhook_step_input};
constexpr Schema email_step_input_schema{"EmailStepInput", email_step_input};
constexpr Schema push_step_input_schema{"PushStepInput", push_step_input};
constexpr Schema status_step_input_schema{"StatusStepInput", status_step_input};
constexpr Schema record_step_input_schema{"RecordStepInput", record_step};
constexpr Schema shipment_step_input_schema{"ShipmentStepInput", shipment_step};
constexpr Schema purchase_step_input_schema{"PurchaseStepInput", purchase_step};
constexpr Schema void_step_input_schema{"VoidStepInput", void_step};
constexpr Schema record_step_schema{"RecordStep", record_step};
constexpr Schema shipment_step_schema{"ShipmentStep", shipment_step};
constexpr Schema purchase_step_schema{"PurchaseStep", purchase_step};
constexpr Schema void_step_schema{"VoidStep", void_step};
constexpr const Schema* step_inputs[] = {
    &webhook_step_input_schema,  &email_step_input_schema,  &push_step_input_schema,
    &status_step_input_schema,   &record_step_input_schema, &shipment_step_input_schema,
    &purchase_step_input_schema, &void_step_input_schema,   &wait_input_schema,
    &choice_input_schema,        &stop_input_schema};

constexpr const Schema* action_inputs[] = {
    &webhook_input_schema, &email_input_schema,    &push_input_schema,     &status_input_schema,
    &record_input_schema,  &shipment_input_schema, &purchase_input_schema, &void_input_schema};

constexpr Property email_properties[] = {
    {.name = "type", .kind = Kind::one_of, .nullable = false, .values = send_email},
    {.name = "recipient", .kind = Kind::any, .nullable = false, .schema = &recipients_schema},
    {.name = "cc", .kind = Kind::any, .optional = true, .schema = &recipients_schema},
    {.name = "bcc", .kind = Kind::any, .optional = true, .schema = &recipients_schema},
    {.name = "replyTo", .kind = Kind::string, .optional = true},
    {.name = "template", .kind = Kind::string},
    {.name = "subject", .kind = Kind::text},
    {.name = "body", .kind = Kind::text},
    {.name = "html", .kind = Kind::text},
};
constexpr Schema email_schema{"EmailAction", email_properties};

constexpr Property push_properties[] = {
    {.name = "type", .kind = Kind::one_of, .nullable = false, .values = send_push},
    {.name = "recipient", .kind = Kind::string, .nullable = false},
    {.name = "template", .kind = Kind::string},
    {.name = "title", .kind = Kind::string},
    {.name = "body", .kind = Kind::text},
    {.name = "url", .kind = Kind::string},
    {.name = "ttl", .kind = Kind::integer, .nullable = false},
    {.name = "urgency", .kind = Kind::one_of, .nullable = false, .values = urgencies},
};
constexpr Schema push_schema{"PushAction", push_properties};

constexpr Property webhook_properties[] = {
    {.name = "type", .kind = Kind::one_of, .nullable = false, .values = webhook},
    {.name = "recipient", .kind = Kind::text, .nullable = false},
    {.name = "method", .kind = Kind::one_of, .nullable = false, .optional = true, .values = webhook_methods},
    {.name = "contentType",
     .kind = Kind::one_of,
     .optional = true,
     .values = content_types,
     .description = "Null without a body, or with a Content-Type among the headers."},
    {.name = "template", .kind = Kind::text},
    {.name = "headers", .kind = Kind::any, .nullable = false, .schema = &hidden_headers_schema},
    {.name = "secret",
     .kind = Kind::string,
     .nullable = false,
     .optional = true,
     .description = "Only in the answer to the request that set or generated it."},
    {.name = "answer",
     .kind = Kind::any,
     .nullable = false,
     .optional = true,
     .schema = &answer_schema,
     .example = R"({"stock.count": "number"})"},
};
constexpr Schema webhook_schema{"WebhookAction", webhook_properties};

constexpr Property status_properties[] = {
    {.name = "type", .kind = Kind::one_of, .nullable = false, .values = update_status},
    {.name = "recipient", .kind = Kind::string, .nullable = false},
    {.name = "template", .kind = Kind::string, .nullable = false},
    {.name = "status", .kind = Kind::string, .nullable = false},
    {.name = "whenAllShipments", .kind = Kind::string},
};
constexpr Schema status_schema{"StatusAction", status_properties};

constexpr Property tracking_properties[] = {
    {.name = "type", .kind = Kind::one_of, .nullable = false, .values = push_tracking},
};
constexpr Schema tracking_schema{"TrackingAction", tracking_properties};

constexpr auto webhook_step = step_properties(webhook_properties);
constexpr auto email_step = step_properties(email_properties);
constexpr auto push_step = step_properties(push_properties);
constexpr auto status_step = step_properties(status_properties);
constexpr Schema webhook_step_schema{"WebhookStep", webhook_step};
constexpr Schema email_step_schema{"EmailStep", email_step};
constexpr Schema push_step_schema{"PushStep", push_step};
constexpr Schema status_step_schema{"StatusStep", status_step};
constexpr const Schema* steps[] = {&webhook_step_schema,  &email_step_schema,  &push_step_schema,
                                   &status_step_schema,   &record_step_schema, &shipment_step_schema,
                                   &purchase_step_schema, &void_step_schema,   &wait_schema,
                                   &choice_schema,        &stop_schema};

constexpr const Schema* actions[] = {&webhook_schema,  &email_schema,  &push_schema,
                                     &status_schema,   &record_schema, &shipment_schema,
                                     &purchase_schema, &void_schema,   &tracking_schema};

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
    {.name = "format", .kind = Kind::one_of, .values = label_formats},
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

constexpr Schema step_input_schema{.name = "StepInput", .variants = step_inputs};
constexpr Schema step_schema{.name = "Step", .variants = steps};
constexpr const Schema* step_input_list[] = {&step_input_schema};
constexpr const Schema* step_list[] = {&step_schema};
constexpr Property timer_properties[] = {
    {.name = "field",
     .kind = Kind::string,
     .required = true,
     .nullable = false,
     .description = "createdAt, statusChangedAt, collectionDate, estimatedDelivery or lastTraceAt, as the "
                    "entity type has them."},
    {.name = "offset",
     .kind = Kind::string,
     .required = true,
     .nullable = false,
     .description = "ISO 8601 with an optional sign, such as PT24H or -P1D; at most 366 days."},
    workdays_of("The offset is 1 to 20 whole days, counted as working days."),
};

constexpr Property schedule_properties[] = {
    {.name = "cron",
     .kind = Kind::string,
     .required = true,
     .nullable = false,
     .description = "Minute, hour, day of the month, month and day of the week, such as 0 8 * * mon-fri."},
    {.name = "timezone",
     .kind = Kind::string,
     .description = "IANA, such as Europe/Lisbon. Default: that of the business."},
};
constexpr Property schedule_query_properties[] = {
    {.name = "filter", .kind = Kind::text, .description = "As $filter of the lists. Default: all records."},
    {.name = "orderBy", .kind = Kind::text, .description = "As $orderby. Default: the newest first."},
    {.name = "limit", .kind = Kind::integer, .minimum = 1, .maximum = 1000, .description = "Default: 1000."},
};

constexpr Property digest_properties[] = {
    {.name = "by",
     .kind = Kind::string,
     .description = "A path of the record: a digest for each of its values, null among them. Default: one "
                    "digest for all events."},
    {.name = "every", .kind = Kind::duration, .description = "The time from the first event to the run."},
    {.name = "quiet",
     .kind = Kind::duration,
     .description = "Instead of every: the run begins after this time without a further event."},
    {.name = "atMost",
     .kind = Kind::duration,
     .description = "With quiet: the longest time from the first event to the run. Default: P1D."},
    {.name = "max",
     .kind = Kind::integer,
     .minimum = 1,
     .maximum = domain::most_digest_items,
     .description = "With this number of events the run begins at once. Default: 100."},
};

/// The codes of all triggers, and those of timers, schedules and digests.
std::span<const std::string_view> run_triggers() {
  static const auto codes = [] {
    std::vector<std::string_view> all(domain::trigger_codes().begin(), domain::trigger_codes().end());
    all.emplace_back("timer");
    all.emplace_back("schedule");
    all.push_back(domain::digest_code);
    return all;
  }();
  return codes;
}

/// The paths depend on the entity type, and the types of the values on the path; the handler checks both.
constexpr std::string_view conditions_json = R"json({
  "type": "object",
  "description": "Paths with the values or operators that fields must match. All entries must hold.",
  "properties": {
    "all": {"type": "array", "items": {"$ref": "#/components/schemas/Conditions"}},
    "any": {"type": "array", "items": {"$ref": "#/components/schemas/Conditions"}},
    "not": {"$ref": "#/components/schemas/Conditions"}
  },
  "patternProperties": {
    "^(?!(all|any|not)$)": {
      "anyOf": [
        {"type": ["string", "number", "boolean", "null"]},
        {
          "type": "object",
          "minProperties": 1,
          "additionalProperties": false,
          "properties": {
            "eq": {"type": ["string", "number", "boolean", "null"]},
            "ne": {"type": ["string", "number", "boolean", "null"]},
            "gt": {"type": ["string", "number"]},
            "gte": {"type": ["string", "number"]},
            "lt": {"type": ["string", "number"]},
            "lte": {"type": ["string", "number"]},
            "in": {"type": "array", "items": {"type": ["string", "number", "boolean", "null"]}},
            "nin": {"type": "array", "items": {"type": ["string", "number", "boolean", "null"]}},
            "contains": {"type": "string"},
            "startsWith": {"type": "string"},
            "endsWith": {"type": "string"},
            "exists": {"type": "boolean"},
            "changed": {"type": "boolean"},
            "from": {"type": ["string", "number", "boolean", "null"]},
            "to": {"type": ["string", "number", "boolean", "null"]}
          }
        }
      ]
    }
  },
  "additionalProperties": true
})json";

constexpr Schema day_schema{.name = "Weekday", .values = domain::weekday_names};
constexpr Property window_properties[] = {
    {.name = "days",
     .kind = Kind::array,
     .required = true,
     .nullable = false,
     .max_length = 7,
     .schema = &day_schema},
    {.name = "from", .kind = Kind::time_of_day, .required = true, .nullable = false},
    {.name = "to",
     .kind = Kind::time_of_day,
     .required = true,
     .nullable = false,
     .description = "Before `from`: on the next day."},
    {.name = "timezone", .kind = Kind::string, .description = "IANA. Default: that of the business."},
    workdays_of("It opens on working days only."),
};
constexpr Property limit_properties[] = {
    {.name = "by",
     .kind = Kind::string,
     .required = true,
     .nullable = false,
     .description = "A path of the record. A record without a value is not limited."},
    {.name = "count",
     .kind = Kind::integer,
     .required = true,
     .nullable = false,
     .minimum = 1,
     .maximum = domain::most_limited_runs},
    {.name = "per",
     .kind = Kind::duration,
     .required = true,
     .nullable = false,
     .description = "From PT1S to 366 days, sliding."},
};
constexpr Property rate_properties[] = {
    {.name = "perSecond",
     .kind = Kind::number,
     .required = true,
     .nullable = false,
     .minimum = domain::lowest_rate,
     .maximum = domain::highest_rate},
};

}  // namespace

const Schema trigger_code_schema{.name = "TriggerCode", .values = domain::trigger_codes()};
const Schema run_trigger_schema{.name = "RunTrigger", .values = run_triggers()};
const Schema timer_schema{"Timer", timer_properties};
const Schema schedule_schema{"Schedule", schedule_properties};
const Schema schedule_query_schema{"ScheduleQuery", schedule_query_properties};
const Schema cancel_on_schema{"CancellingEvents", cancel_on_properties};
const Schema conditions_schema{.name = "Conditions", .json = conditions_json};
const Schema condition_operator_schema{.name = "ConditionOperator", .values = condition_operators};
const Schema action_input_schema{.name = "ActionInput", .variants = action_inputs};
const Schema action_schema{.name = "Action", .variants = actions};
const Schema steps_input_schema{
    .name = "StepsInput", .variants = step_input_list, .json = R"({"type": "array",
    "minItems": 1, "maxItems": 50, "items": {"$ref": "#/components/schemas/StepInput"}})"};
const Schema steps_schema{.name = "Steps", .variants = step_list, .json = R"({"type": "array",
    "items": {"$ref": "#/components/schemas/Step"}})"};
const Schema planned_request_schema{.name = "PlannedRequest", .variants = planned_requests};
const Schema header_values_schema{
    .name = "HeaderValues",
    .json = R"({"type": "object", "additionalProperties": {"type": ["string", "null"]},
                "description": "Values by name; null if a value is no longer known."})"};

const Schema window_schema{"WorkflowWindow", window_properties};
const Schema limit_schema{"WorkflowLimit", limit_properties};
const Schema rate_schema{"WorkflowRate", rate_properties};
const Schema digest_schema{"WorkflowDigest", digest_properties};

}  // namespace waybill::api
