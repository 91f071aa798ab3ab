#include "api/workflows/definition/action_properties.hpp"
#include "api/workflows/definition/workflow_schemas.hpp"

namespace waybill::api {
namespace {

using namespace action_properties;

constexpr Schema email_input_schema{"EmailActionInput", email_input_properties};
constexpr Schema push_input_schema{"PushActionInput", push_input_properties};
constexpr Schema webhook_input_schema{"WebhookActionInput", webhook_input_properties};
constexpr Schema status_input_schema{"StatusActionInput", status_input_properties};
constexpr Schema record_input_schema{"RecordActionInput", record_properties};
constexpr Schema shipment_input_schema{"ShipmentActionInput", shipment_properties};
constexpr Schema purchase_input_schema{"PurchaseActionInput", purchase_properties};
constexpr Schema void_input_schema{"VoidActionInput", void_properties};
constexpr Schema record_schema{"RecordAction", record_properties};
constexpr Schema shipment_schema{"ShipmentAction", shipment_properties};
constexpr Schema purchase_schema{"PurchaseAction", purchase_properties};
constexpr Schema void_schema{"VoidAction", void_properties};
constexpr Schema email_schema{"EmailAction", email_properties};
constexpr Schema push_schema{"PushAction", push_properties};
constexpr Schema webhook_schema{"WebhookAction", webhook_properties};
constexpr Schema status_schema{"StatusAction", status_properties};
constexpr Schema tracking_schema{"TrackingAction", tracking_properties};

constexpr const Schema* action_inputs[] = {
    &webhook_input_schema, &email_input_schema,    &push_input_schema,     &status_input_schema,
    &record_input_schema,  &shipment_input_schema, &purchase_input_schema, &void_input_schema};

constexpr const Schema* actions[] = {&webhook_schema,  &email_schema,  &push_schema,
                                     &status_schema,   &record_schema, &shipment_schema,
                                     &purchase_schema, &void_schema,   &tracking_schema};

}  // namespace

const Schema action_input_schema{.name = "ActionInput", .variants = action_inputs};
const Schema action_schema{.name = "Action", .variants = actions};

}  // namespace waybill::api
