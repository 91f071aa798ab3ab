#pragma once

#include <string_view>

#include "api/endpoint/schema.hpp"

// The properties of actions: as requests define them (`…_input_properties`), as they are stored and shown,
// and those that both have. The schemas of actions, steps and planned requests share them.
namespace waybill::api::action_properties {

inline constexpr std::string_view send_email[] = {"send_email"};
inline constexpr std::string_view send_push[] = {"send_push"};
inline constexpr std::string_view webhook[] = {"webhook"};
inline constexpr std::string_view update_status[] = {"update_status"};
inline constexpr std::string_view push_tracking[] = {"push_tracking"};

inline constexpr std::string_view urgencies[] = {"very-low", "low", "normal",
                                                 "high"};  // RFC 8030 section 5.3
inline constexpr double max_ttl = 2'419'200;

inline constexpr Schema recipients_schema{.name = "MailRecipients", .json = R"({"anyOf": [{"type": "string"},
                                       {"type": "array", "items": {"type": "string"}, "maxItems": 100}]})"};
inline constexpr Schema hidden_headers_schema{
    .name = "HiddenHeaders", .json = R"({"type": "object", "additionalProperties": {"type": "string"},
                "description": "Values by name; ******** replaces a hidden value."})"};
inline constexpr Schema header_input_schema{
    .name = "Headers", .json = R"({"type": "object", "additionalProperties": {"type": "string"}})"};

inline constexpr Property email_input_properties[] = {
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

inline constexpr Property push_input_properties[] = {
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

inline constexpr std::string_view webhook_methods[] = {"POST", "PUT", "PATCH", "DELETE", "GET"};
inline constexpr std::string_view content_types[] = {"application/json", "application/x-www-form-urlencoded",
                                                     "text/plain"};

inline constexpr Schema answer_schema{.name = "AnswerFields",
                                      .json = R"({"type": "object", "minProperties": 1,
    "maxProperties": 30, "additionalProperties": {"type": "string",
    "pattern": "^(string|number|boolean|timestamp|array|object|any)\\??$"},
    "description": "Types by path, such as {\"lines.0.id\": \"number?\"}; with ? the value may be absent or null."})"};

inline constexpr Property webhook_input_properties[] = {
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

inline constexpr Property status_input_properties[] = {
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

inline constexpr std::string_view update_record[] = {"update_record"};
inline constexpr std::string_view create_shipment[] = {"create_shipment"};

inline constexpr Schema set_schema{.name = "FieldValues", .json = R"({"type": "object", "minProperties": 1,
    "additionalProperties": {"type": ["string", "number", "null", "object"]},
    "description": "New values by field; texts may contain Mustache. tags is {add, remove}, metadata an object."})"};

inline constexpr Property record_properties[] = {
    {.name = "type", .kind = Kind::one_of, .required = true, .nullable = false, .values = update_record},
    {.name = "set", .kind = Kind::any, .required = true, .nullable = false, .schema = &set_schema},
};

inline constexpr Property shipment_properties[] = {
    {.name = "type", .kind = Kind::one_of, .required = true, .nullable = false, .values = create_shipment},
    {.name = "itemIds",
     .kind = Kind::array,
     .items = Kind::uuid,
     .description = "Items of the order. Default: all."},
    {.name = "carrierId", .kind = Kind::uuid, .description = "Default: that of the order."},
    {.name = "serviceLevel", .kind = Kind::string, .description = "Default: that of the order."},
    {.name = "generateLabel", .kind = Kind::boolean},
};

inline constexpr std::string_view buy_label[] = {"buy_label"};
inline constexpr std::string_view void_label[] = {"void_label"};
inline constexpr std::string_view label_choices[] = {"cheapest", "fastest"};
inline constexpr std::string_view label_files[] = {"pdf", "zpl", "png"};

inline constexpr Property purchase_properties[] = {
    {.name = "type", .kind = Kind::one_of, .required = true, .nullable = false, .values = buy_label},
    {.name = "serviceLevel",
     .kind = Kind::string,
     .description = "A code of the shipment's carrier. Default: that of the shipment, else that of its "
                    "carrier, else standard if the carrier has a code for it, else its cheapest service. Not "
                    "with choose."},
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
     .values = label_files,
     .description = "Default: that of the carrier."},
};
inline constexpr Property void_properties[] = {
    {.name = "type", .kind = Kind::one_of, .required = true, .nullable = false, .values = void_label},
};

inline constexpr Property email_properties[] = {
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

inline constexpr Property push_properties[] = {
    {.name = "type", .kind = Kind::one_of, .nullable = false, .values = send_push},
    {.name = "recipient", .kind = Kind::string, .nullable = false},
    {.name = "template", .kind = Kind::string},
    {.name = "title", .kind = Kind::string},
    {.name = "body", .kind = Kind::text},
    {.name = "url", .kind = Kind::string},
    {.name = "ttl", .kind = Kind::integer, .nullable = false},
    {.name = "urgency", .kind = Kind::one_of, .nullable = false, .values = urgencies},
};

inline constexpr Property webhook_properties[] = {
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

inline constexpr Property status_properties[] = {
    {.name = "type", .kind = Kind::one_of, .nullable = false, .values = update_status},
    {.name = "recipient", .kind = Kind::string, .nullable = false},
    {.name = "template", .kind = Kind::string, .nullable = false},
    {.name = "status", .kind = Kind::string, .nullable = false},
    {.name = "whenAllShipments", .kind = Kind::string},
};

inline constexpr Property tracking_properties[] = {
    {.name = "type", .kind = Kind::one_of, .nullable = false, .values = push_tracking},
};

}  // namespace waybill::api::action_properties
