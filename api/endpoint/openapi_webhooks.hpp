#pragma once

#include "base/json.hpp"

namespace waybill::api {

/// The `webhooks` of the OpenAPI document: one POST for each trigger, as workflows with a webhook send it by
/// default. Their entities are the schemas that `webhook_schemas` names.
json::object webhooks();

/// The component schemas that `webhooks` refers to, by name.
json::object webhook_schemas();

}  // namespace waybill::api
