#pragma once

#include "api/route/schema.hpp"

namespace waybill::api {

inline constexpr std::string_view action_types[] = {"send_email",    "send_push",     "webhook",
                                                    "update_status", "update_record", "create_shipment",
                                                    "push_tracking"};

inline constexpr Property triggers_property{.name = "triggers",
                                            .kind = Kind::array,
                                            .nullable = false,
                                            .items = Kind::string,
                                            .description =
                                                "The codes of the triggers, or \"*\" alone; "
                                                "empty for a workflow with a timer."};
extern const Schema timer_schema;
inline constexpr Property timer_property{.name = "timer",
                                         .kind = Kind::object,
                                         .schema = &timer_schema,
                                         .description = "Null for a workflow with triggers."};

extern const Schema trigger_code_schema;
extern const Schema run_trigger_schema;  // also `timer`
extern const Schema conditions_schema;
extern const Schema condition_operator_schema;  // the name of an operator
extern const Schema action_input_schema;        // as a request defines it
extern const Schema action_schema;              // as it is stored and shown
extern const Schema planned_request_schema;     // the request that a run sends, or would send
extern const Schema header_values_schema;       // a header's value by its name

}  // namespace waybill::api
