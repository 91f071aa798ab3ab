#include <algorithm>
#include <array>

#include "actions/action.hpp"

namespace waybill::actions {

// Each is defined in the file of its action.
const Action& buy_label_action();
const Action& create_shipment_action();
const Action& nothing_action();
const Action& store_tracking_action();
const Action& send_email_action();
const Action& send_push_action();
const Action& update_record_action();
const Action& update_status_action();
const Action& void_label_action();
const Action& webhook_action();

std::span<const Action* const> all_actions() {
  static const std::array actions{
      &buy_label_action(),  &create_shipment_action(), &nothing_action(),       &store_tracking_action(),
      &send_email_action(), &send_push_action(),       &update_record_action(), &update_status_action(),
      &void_label_action(), &webhook_action(),
  };
  return actions;
}

const Action* find_action(std::string_view type) {
  const auto actions = all_actions();
  const auto found = std::ranges::find(actions, type, &Action::type);
  return found == actions.end() ? nullptr : *found;
}

bool only_sends(std::string_view type) {
  const Action* const action = find_action(type);
  return action != nullptr && !action->changes_records();
}

}  // namespace waybill::actions
