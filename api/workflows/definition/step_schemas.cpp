#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

#include "api/workflows/definition/action_properties.hpp"
#include "api/workflows/definition/workdays_property.hpp"
#include "api/workflows/definition/workflow_schemas.hpp"

namespace waybill::api {
namespace {

using namespace action_properties;

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

constexpr Schema step_input_schema{.name = "StepInput", .variants = step_inputs};
constexpr Schema step_schema{.name = "Step", .variants = steps};
constexpr const Schema* step_input_list[] = {&step_input_schema};
constexpr const Schema* step_list[] = {&step_schema};

}  // namespace

const Schema steps_input_schema{
    .name = "StepsInput", .variants = step_input_list, .json = R"({"type": "array",
    "minItems": 1, "maxItems": 50, "items": {"$ref": "#/components/schemas/StepInput"}})"};
const Schema steps_schema{.name = "Steps", .variants = step_list, .json = R"({"type": "array",
    "items": {"$ref": "#/components/schemas/Step"}})"};

}  // namespace waybill::api
