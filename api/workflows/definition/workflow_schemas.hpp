#pragma once

#include "api/endpoint/schema.hpp"

namespace waybill::api {

inline constexpr std::string_view action_types[] = {
    "send_email",      "send_push", "webhook",    "update_status", "update_record",
    "create_shipment", "buy_label", "void_label", "push_tracking", "steps"};
inline constexpr std::string_view step_types[] = {
    "send_email", "send_push",  "webhook",       "update_status", "update_record", "create_shipment",
    "buy_label",  "void_label", "push_tracking", "wait",          "choose",        "stop"};

extern const Schema window_schema;
extern const Schema limit_schema;
extern const Schema rate_schema;
extern const Schema cancel_on_schema;

inline constexpr Property window_property{
    .name = "window",
    .kind = Kind::any,
    .schema = &window_schema,
    .description = "An attempt that is due outside waits until the window opens."};
inline constexpr Property workdays_property{.name = "workdays",
                                            .kind = Kind::boolean,
                                            .nullable = false,
                                            .description = "The delay counts working days."};
inline constexpr Property limit_property{
    .name = "limit",
    .kind = Kind::any,
    .schema = &limit_schema,
    .description = "Further runs are skipped. Replays neither count nor are limited."};
inline constexpr Property rate_property{
    .name = "rate",
    .kind = Kind::any,
    .schema = &rate_schema,
    .description = "Limits the attempts for each destination, with a burst of one second's worth."};
inline constexpr Property cancel_on_property{
    .name = "cancelOn",
    .kind = Kind::any,
    .schema = &cancel_on_schema,
    .description =
        "Later events of the record that end its open runs, as skipped with the code "
        "CANCELLED_BY_EVENT."};

inline constexpr Property warnings_property{
    .name = "warnings",
    .kind = Kind::array,
    .nullable = false,
    .optional = true,
    .items = Kind::string,
    .description =
        "Sentences on surprising effects of the definition, which is stored all the same. Only if there "
        "are any.",
    .example = R"(["While a run waits for an event, the later runs for its record wait, too."])"};

extern const Schema digest_schema;
inline constexpr Property digest_property{
    .name = "digest",
    .kind = Kind::any,
    .schema = &digest_schema,
    .description =
        "Collects the events that meet the workflow; one run begins for those of one digest. Not "
        "with delay, ordered, limit, timer or schedule."};

inline constexpr Property triggers_property{.name = "triggers",
                                            .kind = Kind::array,
                                            .nullable = false,
                                            .items = Kind::string,
                                            .description =
                                                "The codes of the triggers, or \"*\" alone; "
                                                "empty with a timer or a schedule."};
extern const Schema timer_schema;
inline constexpr Property timer_property{
    .name = "timer", .kind = Kind::object, .schema = &timer_schema, .description = "Null without a timer."};

extern const Schema trigger_code_schema;
extern const Schema schedule_schema;
extern const Schema schedule_query_schema;
inline constexpr Property schedule_property{.name = "schedule",
                                            .kind = Kind::object,
                                            .schema = &schedule_schema,
                                            .description =
                                                "Null without a schedule, as are query, each "
                                                "and runWhenEmpty."};
inline constexpr Property query_property{
    .name = "query", .kind = Kind::object, .schema = &schedule_query_schema};
inline constexpr Property each_property{
    .name = "each", .kind = Kind::boolean, .description = "A run for each record, not one for all."};
inline constexpr Property run_when_empty_property{.name = "runWhenEmpty", .kind = Kind::boolean};

extern const Schema run_trigger_schema;  // also `timer`, `schedule` and `digest`
extern const Schema conditions_schema;
extern const Schema condition_operator_schema;  // the name of an operator
extern const Schema action_input_schema;        // as a request defines it
extern const Schema action_schema;              // as it is stored and shown
extern const Schema steps_input_schema;         // a list of steps as a request defines it
extern const Schema steps_schema;               // as it is stored and shown
extern const Schema planned_request_schema;     // the request that a run sends, or would send
extern const Schema header_values_schema;       // a header's value by its name

}  // namespace waybill::api
