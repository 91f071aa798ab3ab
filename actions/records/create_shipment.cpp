#include <algorithm>

#include "actions/action.hpp"
#include "actions/definition.hpp"
#include "actions/records/change_cause.hpp"
#include "storage/runs/run.hpp"

namespace waybill::actions {
namespace {

constexpr std::size_t most_items = 1'000;

constexpr std::string_view shipment_members[] = {"itemIds", "carrierId", "serviceLevel", "generateLabel"};

/// Checks the configuration of a new shipment and collects its errors.
class ShipmentChecker {
 public:
  ShipmentChecker(const json::object& definition, FieldErrors& errors)
      : definition_(definition), errors_(errors) {}

  json::object check(domain::EntityType entity_type) {
    for (const auto& member : definition_) {
      if (member.key() != "type" &&
          std::ranges::find(shipment_members, std::string_view(member.key())) == std::end(shipment_members))
        refuse(member.key(), "unknown field");
    }
    if (entity_type != domain::EntityType::order)
      refuse("type", "create_shipment is for workflows of orders");
    return {{"type", "create_shipment"},
            {"itemIds", items()},
            {"carrierId", carrier()},
            {"serviceLevel", service_level()},
            {"generateLabel", label()}};
  }

 private:
  void refuse(std::string_view field, std::string message) {
    errors_.push_back({"action." + std::string(field), std::move(message)});
  }

  json::value items() {
    const auto* const value = find_value(definition_, "itemIds");
    if (value == nullptr) return nullptr;
    const auto* const list = value->if_array();
    if (list == nullptr || list->empty() || list->size() > most_items) {
      refuse("itemIds", "must be an array of 1 to 1000 guids");
      return nullptr;
    }
    for (std::size_t i = 0; i < list->size(); ++i) {
      const auto* const text = (*list)[i].if_string();
      if (text == nullptr || !Guid::parse(*text))
        refuse("itemIds[" + std::to_string(i) + "]", "must be a uuid");
    }
    return *value;
  }

  json::value carrier() {
    const auto* const value = find_value(definition_, "carrierId");
    if (value == nullptr) return nullptr;
    if (!find_guid(definition_, "carrierId")) refuse("carrierId", "must be a uuid");
    return *value;
  }

  json::value service_level() {
    constexpr std::size_t longest = 200;
    const auto* const value = find_value(definition_, "serviceLevel");
    if (value == nullptr) return nullptr;
    const auto* const text = value->if_string();
    if (text == nullptr || text->empty() || text->size() > longest)
      refuse("serviceLevel", "must be a code of 1 to 200 characters");
    return *value;
  }

  json::value label() {
    const auto* const value = find_value(definition_, "generateLabel");
    if (value == nullptr) return false;
    if (!value->is_bool()) refuse("generateLabel", "must be true or false");
    return *value;
  }

  const json::object& definition_;
  FieldErrors& errors_;
};

/// Makes a shipment for the order of the event. The label of a carrier that can buy none is rendered when it
/// is first read.
class CreateShipment final : public Action {
 public:
  std::string_view type() const override { return "create_shipment"; }

  json::object check(const json::object& definition, const CheckContext& context,
                     FieldErrors& errors) const override {
    return ShipmentChecker(definition, errors).check(context.entity_type);
  }

  std::vector<NamedRecord> records(const json::object& definition) const override {
    std::vector<NamedRecord> named;
    if (const auto carrier = find_guid(definition, "carrierId"))
      named.push_back({NamedRecord::Kind::carrier, *carrier});
    if (const auto* const items = find_value(definition, "itemIds")) {
      for (const json::value& item : items->as_array())
        named.push_back({NamedRecord::Kind::item, Guid::parse(item.as_string()).value()});
    }
    return named;
  }

  bool changes_records() const override { return true; }

  std::vector<StepValue> values(const json::object& /*definition*/) const override {
    return {{"shipmentId", domain::FieldType::uuid}, {"trackingNumber", domain::FieldType::string}};
  }

  Plan plan(const WorkflowView& workflow, const EventView& event) const override {
    Plan plan{.request = {{"orderId", event.entity_id.to_string()}}, .body = {}};
    copy_members(workflow.action, shipment_members, plan.request);
    return plan;
  }

  std::string destination(const json::object&, const Guid& business) const override {
    return storage::change_destination(business);
  }

  void perform(const Attempt& attempt, Effects& effects, Finish finish) const override {
    const json::object& request = attempt.request;
    const Time now = effects.clock.now();
    storage::NewShipment change{.order = find_guid(request, "orderId").value(),
                                .shipment = Guid::timed_random(to_unix_ms(now)),
                                .carrier = find_guid(request, "carrierId"),
                                .generate_label = request.at("generateLabel") == json::value(true),
                                .cause = cause_of(attempt)};
    if (const auto* const level = find_value(request, "serviceLevel"))
      change.service_level = std::string(level->as_string());
    if (const auto* const items = find_value(request, "itemIds")) {
      change.items.emplace();
      for (const json::value& item : items->as_array())
        change.items->push_back(Guid::parse(item.as_string()).value());
    }
    finish({.outcome = std::move(change), .started_at = now, .status_code = {}, .response = {}, .error = {}});
  }
};

}  // namespace

const Action& create_shipment_action() {
  static const CreateShipment action;
  return action;
}

}  // namespace waybill::actions
