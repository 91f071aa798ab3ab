#include <algorithm>
#include <stdexcept>

#include "actions/action.hpp"
#include "actions/definition.hpp"
#include "actions/tracking_sender.hpp"

namespace waybill::actions {
namespace {

json::value member(const json::object& object, std::string_view name) {
  const auto* const value = find_value(object, name);
  return value == nullptr ? json::value() : *value;
}

/// Sends the tracking of a shipment to the store from which its order was imported.
class StoreTracking final : public Action {
 public:
  std::string_view type() const override { return "push_tracking"; }

  bool managed_only() const override { return true; }

  json::object check(const json::object& definition, const CheckContext& context,
                     FieldErrors& errors) const override {
    for (const auto& field : definition) {
      if (field.key() != "type") errors.push_back({"action." + std::string(field.key()), "unknown field"});
    }
    if (context.entity_type != domain::EntityType::shipment) {
      errors.push_back({"action.type", "is only for shipments"});
    }
    return {{"type", type()}};
  }

  /// For display only, without `destination`: each attempt reads the shipment again.
  Plan plan(const WorkflowView& workflow, const EventView& event) const override {
    const auto* const number = find_value(event.entity, "carrierTrackingNumber");
    const auto* const carrier = number == nullptr ? nullptr : find_value(event.entity, "carrier");
    return {
        .request = {{"orderId", member(event.entity, "orderId")},
                    {"trackingNumber", number == nullptr ? member(event.entity, "trackingNumber") : *number},
                    {"carrier", carrier == nullptr ? json::value() : member(carrier->as_object(), "name")},
                    {"shippedAt", format_timestamp(event.at)},
                    {"destination", "store:" + workflow.business_id.to_string()}},
        .body = {}};
  }

  bool is_impersonal() const override { return true; }

  /// By business; the sender finds the store and limits its requests itself.
  std::string destination(const json::object& request, const Guid& /*business*/) const override {
    return std::string(request.at("destination").as_string());
  }

  std::string queue_destination(const json::object& /*definition*/, const Guid& business) const override {
    return "store:" + business.to_string();
  }

  void perform(const Attempt& attempt, Effects& effects, Finish finish) const override {
    const auto shipped_at = parse_timestamp(attempt.request.at("shippedAt").as_string());
    if (!shipped_at) throw std::invalid_argument("shippedAt is not a valid time");
    effects.tracking->send({.business = attempt.business_id,
                            .shipment = attempt.entity_id,
                            .shipped_at = *shipped_at,
                            .workflow = attempt.workflow},
                           std::move(finish));
  }
};

}  // namespace

const Action& store_tracking_action() {
  static const StoreTracking action;
  return action;
}

}  // namespace waybill::actions
