#include "api/workflows/trials/foreseen_end.hpp"

#include <algorithm>
#include <string_view>
#include <vector>

#include "domain/records/state_machines.hpp"

namespace waybill::api {
namespace {

std::string_view text_in(const json::object& object, std::string_view name) {
  const auto* const value = object.if_contains(name);
  return value != nullptr && value->is_string() ? std::string_view(value->get_string()) : "";
}

/// The shipments of an order; nullptr for a record without such a list.
const json::array* shipments_of(const json::object& entity) {
  const auto* const list = entity.if_contains("shipments");
  return list == nullptr ? nullptr : list->if_array();
}

bool is_live(const json::value& shipment) {
  const std::string_view status = text_in(shipment.as_object(), "status");
  return status != "cancelled" && status != "returned";
}

/// The records that a change of status concerns, with their status; empty if the entity does not show them.
std::vector<const json::object*> moved_records(const json::array& ids, const json::object& entity) {
  if (ids.size() == 1 && ids.front() == entity.at("guid")) return {&entity};
  std::vector<const json::object*> records;
  if (const auto* const shipments = shipments_of(entity)) {
    for (const json::value& shipment : *shipments) {
      if (std::ranges::find(ids, shipment.at("guid")) != ids.end()) records.push_back(&shipment.as_object());
    }
  }
  return records.size() == ids.size() ? records : std::vector<const json::object*>();
}

/// True if the live shipments of an order, at least one, have a status.
bool all_shipments_are(std::string_view status, const json::object& order) {
  bool found = false;
  const auto* const shipments = shipments_of(order);
  if (shipments == nullptr) return false;
  for (const json::value& shipment : *shipments) {
    if (!is_live(shipment)) continue;
    if (text_in(shipment.as_object(), "status") != status) return false;
    found = true;
  }
  return found;
}

/// The same verdict as storage::change_status, without the database.
std::optional<ForeseenEnd> end_of_move(const json::object& request, const json::object& entity) {
  const auto type = domain::parse_entity_type(request.at("entityType").as_string());
  const auto* const states = type ? domain::states_of(*type) : nullptr;
  if (states == nullptr) return std::nullopt;
  const json::array& ids = request.at("entityIds").as_array();
  if (ids.empty()) return ForeseenEnd{"NO_RECORD", "There is no " + std::string(states->name) + " to move."};
  const std::string_view wanted = request.at("status").as_string();
  const std::string_view all = text_in(request, "whenAllShipments");
  std::string refusals;
  bool is_ready = true;
  for (const json::object* const record : moved_records(ids, entity)) {
    const std::string_view status = text_in(*record, "status");
    if (status == wanted) continue;
    if (!states->allows(status, wanted)) {
      if (!refusals.empty()) refusals += "; ";
      refusals += states->refusal(status, wanted);
      if (ids.size() > 1) refusals.append(" (").append(text_in(*record, "guid")).append(")");
    } else if (!all.empty() && !all_shipments_are(all, *record)) {
      is_ready = false;
    }
  }
  if (!refusals.empty()) return ForeseenEnd{"FORBIDDEN_MOVE", std::move(refusals)};
  if (!is_ready) return ForeseenEnd{"CONDITION", "not every shipment is " + std::string(all)};
  return std::nullopt;
}

std::optional<ForeseenEnd> end_of_shipment(const json::object& order) {
  if (text_in(order, "status") == "cancelled") return ForeseenEnd{"LOCKED", "the order is cancelled"};
  const auto* const shipments = shipments_of(order);
  if (shipments != nullptr && std::ranges::any_of(*shipments, is_live))
    return ForeseenEnd{"EXISTS", "the order has a shipment"};
  return std::nullopt;
}

std::optional<ForeseenEnd> end_of_update(const json::object& request, const json::object& entity) {
  const std::string_view status = text_in(entity, "status");
  if (text_in(request, "entityType") != "Order" || (status != "shipped" && status != "delivered"))
    return std::nullopt;
  return ForeseenEnd{"LOCKED", "the order is " + std::string(status)};
}

}  // namespace

std::optional<ForeseenEnd> foreseen_end(const actions::Action& action, const json::object& request,
                                        const json::object& entity, const NotificationSwitches& switches) {
  const auto kind = action.notification();
  if ((kind == actions::Notification::email && !switches.email) ||
      (kind == actions::Notification::push && !switches.push))
    return ForeseenEnd{"NOTIFICATIONS_OFF", "The business has switched off these notifications."};
  const std::string_view type = action.type();
  if (type == "send_email" && request.at("to").as_array().empty())
    return ForeseenEnd{"NO_RECIPIENT", "None of the recipients is a valid mail address."};
  if (type == "update_status") return end_of_move(request, entity);
  if (type == "create_shipment") return end_of_shipment(entity);
  if (type == "update_record") return end_of_update(request, entity);
  return std::nullopt;
}

}  // namespace waybill::api
