#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "actions/action.hpp"
#include "actions/definition.hpp"
#include "actions/records/change_cause.hpp"

namespace waybill::actions {

/// Refuses a workflow whose records have no label.
inline void check_has_label(std::string_view action, const CheckContext& context, FieldErrors& errors) {
  if (context.entity_type != domain::EntityType::shipment && context.entity_type != domain::EntityType::order)
    errors.push_back({"action.type", std::string(action) + " is for workflows of shipments and of orders"});
}

/// The part of a plan that names the record.
inline json::object label_request(const EventView& event) {
  return {{"entityType", domain::record_type(event.entity_type).name},
          {"entityId", event.entity_id.to_string()}};
}

/// The values of a label that is bought or voided.
inline std::vector<StepValue> label_values() {
  using enum domain::FieldType;
  return {{"labelStatus", string},
          {"price", decimal},
          {"currency", string},
          {"carrier", string},
          {"serviceLevel", string},
          {"serviceCode", string},
          {"carrierTrackingNumber", string}};
}

/// The step that an attempt performs.
inline storage::LabelStep label_step(const Attempt& attempt) {
  const auto type = domain::parse_entity_type(attempt.request.at("entityType").as_string());
  if (!type) throw std::invalid_argument("the entity type does not exist");
  return {.entity_type = *type,
          .record = find_guid(attempt.request, "entityId").value(),
          .workflow = attempt.workflow,
          .run = attempt.run,
          .until = attempt.expires_at,
          .cause = cause_of(attempt)};
}

}  // namespace waybill::actions
