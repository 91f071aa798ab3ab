#include "actions/records/label_step.hpp"
#include "storage/runs/run.hpp"

namespace waybill::actions {
namespace {

/// Gives the bought label of the shipment back, and waits until that is final.
class VoidLabel final : public Action {
 public:
  std::string_view type() const override { return "void_label"; }

  json::object check(const json::object& definition, const CheckContext& context,
                     FieldErrors& errors) const override {
    for (const auto& member : definition) {
      if (member.key() != "type") errors.push_back({"action." + std::string(member.key()), "unknown field"});
    }
    check_has_label(type(), context, errors);
    return {{"type", type()}};
  }

  bool changes_records() const override { return true; }
  bool is_impersonal() const override { return true; }
  bool awaits_events() const override { return true; }

  std::vector<StepValue> values(const json::object& /*definition*/) const override { return label_values(); }

  Plan plan(const WorkflowView&, const EventView& event) const override {
    Plan plan{.request = label_request(event), .body = {}};
    plan.request["void"] = true;
    return plan;
  }

  std::string destination(const json::object&, const Guid& business) const override {
    return storage::change_destination(business);
  }

  void perform(const Attempt& attempt, Effects& effects, Finish finish) const override {
    finish({.outcome = storage::LabelVoid{.step = label_step(attempt)},
            .started_at = effects.clock.now(),
            .status_code = {},
            .response = {},
            .error = {}});
  }
};

}  // namespace

const Action& void_label_action() {
  static const VoidLabel action;
  return action;
}

}  // namespace waybill::actions
