#include "actions/action.hpp"

namespace waybill::actions {
namespace {

/// Does nothing and succeeds; bench/parts/queue.sh measures the queue with it. The API does not offer it.
class Nothing final : public Action {
 public:
  std::string_view type() const override { return "nothing"; }

  bool managed_only() const override { return true; }

  json::object check(const json::object& /*definition*/, const CheckContext& /*context*/,
                     FieldErrors& /*errors*/) const override {
    return {{"type", type()}};
  }

  Plan plan(const WorkflowView& /*workflow*/, const EventView& /*event*/) const override { return {}; }

  std::string destination(const json::object& /*request*/, const Guid& /*business*/) const override {
    return {};
  }

  void perform(const Attempt& /*attempt*/, Effects& effects, Finish finish) const override {
    finish({.outcome = Done(), .started_at = effects.clock.now()});
  }
};

}  // namespace

const Action& nothing_action() {
  static const Nothing action;
  return action;
}

}  // namespace waybill::actions
