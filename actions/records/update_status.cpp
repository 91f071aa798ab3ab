#include <algorithm>
#include <stdexcept>

#include "actions/action.hpp"
#include "actions/definition.hpp"
#include "actions/records/change_cause.hpp"
#include "base/joined_texts.hpp"
#include "domain/records/state_machines.hpp"
#include "storage/runs/run.hpp"

namespace waybill::actions {
namespace {

using domain::EntityType;

/// The records that the action moves for an event.
struct Recipient {
  EntityType entity_type;  // type of the event's record
  std::string_view name;   // empty: the record itself
  EntityType moved;
};

constexpr Recipient recipients[] = {
    {EntityType::order, "", EntityType::order},
    {EntityType::order, "shipments", EntityType::shipment},
    {EntityType::shipment, "", EntityType::shipment},
    {EntityType::shipment, "order", EntityType::order},
};

const Recipient* find_recipient(EntityType entity_type, std::string_view name) {
  const auto* const found = std::ranges::find_if(recipients, [&](const Recipient& each) {
    return each.entity_type == entity_type && each.name == name;
  });
  return found == std::end(recipients) ? nullptr : found;
}

/// Checks a status change's configuration and collects its errors.
class StatusChecker {
 public:
  StatusChecker(const json::object& definition, EntityType entity_type, FieldErrors& errors)
      : definition_(definition), entity_type_(entity_type), errors_(errors) {}

  json::object check() {
    for (const auto& member : definition_) {
      constexpr std::string_view known[] = {"type", "recipient", "template", "status", "whenAllShipments"};
      if (std::ranges::find(known, std::string_view(member.key())) == std::end(known)) {
        refuse(member.key(), "unknown field");
      }
    }
    const Recipient* const recipient = this->recipient();
    const json::value status = this->status(recipient);
    return {{"type", "update_status"},
            {"recipient", recipient == nullptr ? "" : recipient->name},
            {"template", status},
            {"status", status},
            {"whenAllShipments", when_all_shipments(recipient)}};
  }

 private:
  void refuse(std::string_view field, std::string message) {
    errors_.push_back({"action." + std::string(field), std::move(message)});
  }

  const Recipient* recipient() {
    const json::value* const value = find_value(definition_, "recipient");
    if (value != nullptr && !value->is_string()) {
      refuse("recipient", "must be a string");
      return nullptr;
    }
    const std::string_view name =
        value == nullptr ? std::string_view() : std::string_view(value->get_string());
    const Recipient* const found = find_recipient(entity_type_, name);
    if (found != nullptr) return found;
    const std::string_view label = domain::record_type(entity_type_).label;
    std::string message;
    for (const Recipient& each : recipients) {
      if (each.entity_type != entity_type_) continue;
      message += message.empty() ? "must be " : " or ";
      message += each.name.empty() ? "empty, for the " + std::string(label) + " itself,"
                                   : "\"" + std::string(each.name) + "\"";
    }
    refuse("recipient", message.empty() ? "a " + std::string(label) + " has no status" : message);
    return nullptr;
  }

  /// Reads `field`, which must be a state of the state machine; null if it is missing.
  json::value state(std::string_view field, const domain::StateMachine* states) {
    const json::value* const value = find_value(definition_, field);
    if (value == nullptr || *value == "") return nullptr;
    if (!value->is_string()) {
      refuse(field, "must be a string");
    } else if (states != nullptr && !states->has_state(value->get_string())) {
      refuse(field, "must be one of " + joined_texts(states->states));
    }
    return *value;
  }

  json::value status(const Recipient* recipient) {
    const auto* const states = recipient == nullptr ? nullptr : domain::states_of(recipient->moved);
    json::value status = state("status", states);
    json::value from_template = state("template", states);
    if (status.is_null() && from_template.is_null()) {
      refuse("status", "is required, here or as template");
    } else if (!status.is_null() && !from_template.is_null() && status != from_template) {
      refuse("template", "must be the same as status, or absent");
    }
    return status.is_null() ? from_template : status;
  }

  json::value when_all_shipments(const Recipient* recipient) {
    json::value status = state("whenAllShipments", &domain::shipment_states());
    if (!status.is_null() && recipient != nullptr && recipient->moved != EntityType::order) {
      refuse("whenAllShipments", "is only for orders");
    }
    return status;
  }

  const json::object& definition_;
  const EntityType entity_type_;
  FieldErrors& errors_;
};

json::array ids_of(const Recipient& recipient, const EventView& event) {
  if (recipient.name.empty()) return {event.entity_id.to_string()};
  json::array ids;
  if (recipient.moved == EntityType::order) {
    if (const auto* const order = find_value(event.entity, "orderId")) ids.push_back(*order);
  } else if (const auto* const shipments = find_value(event.entity, "shipments")) {
    for (const json::value& shipment : shipments->as_array()) ids.push_back(shipment.at("guid"));
  }
  return ids;
}

class UpdateStatus final : public Action {
 public:
  std::string_view type() const override { return "update_status"; }

  json::object check(const json::object& definition, const CheckContext& context,
                     FieldErrors& errors) const override {
    return StatusChecker(definition, context.entity_type, errors).check();
  }

  bool changes_records() const override { return true; }
  bool is_impersonal() const override { return true; }

  /// The relatives to move are those in the event's entity.
  Plan plan(const WorkflowView& workflow, const EventView& event) const override {
    const auto* const name = find_value(workflow.action, "recipient");
    const Recipient* const recipient =
        find_recipient(event.entity_type, name == nullptr ? "" : std::string_view(name->as_string()));
    if (recipient == nullptr) throw std::invalid_argument("the recipient has no status");
    Plan plan{.request = {{"entityType", domain::record_type(recipient->moved).name},
                          {"entityIds", ids_of(*recipient, event)},
                          {"status", workflow.action.at("status")}},
              .body = {}};
    if (const auto* const all = find_value(workflow.action, "whenAllShipments")) {
      plan.request["whenAllShipments"] = *all;
    }
    return plan;
  }

  std::string destination(const json::object&, const Guid& business) const override {
    return storage::change_destination(business);
  }

  void perform(const Attempt& attempt, Effects& effects, Finish finish) const override {
    const json::object& request = attempt.request;
    const auto type = domain::parse_entity_type(request.at("entityType").as_string());
    const auto* const states = type ? domain::states_of(*type) : nullptr;
    std::string status(request.at("status").as_string());
    if (states == nullptr || !states->has_state(status))
      throw std::invalid_argument("the status does not exist");
    AttemptResult result{.outcome = Skip{"NO_RECORD"},
                         .started_at = effects.clock.now(),
                         .status_code = {},
                         .response = {},
                         .error = {}};
    std::vector<Guid> records;
    for (const json::value& id : request.at("entityIds").as_array()) {
      records.push_back(Guid::parse(id.as_string()).value());
    }
    if (records.empty()) {
      result.error = "There is no " + std::string(states->name) + " to move.";
    } else {
      const auto* const all = find_value(request, "whenAllShipments");
      result.outcome = storage::StatusChange{
          .entity_type = *type,
          .records = std::move(records),
          .status = std::move(status),
          .when_all_shipments = all == nullptr ? std::nullopt : std::optional(std::string(all->as_string())),
          .cause = cause_of(attempt)};
    }
    finish(std::move(result));
  }
};

}  // namespace

const Action& update_status_action() {
  static const UpdateStatus action;
  return action;
}

}  // namespace waybill::actions
