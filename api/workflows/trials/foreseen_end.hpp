#pragma once

#include <optional>
#include <string>

#include "actions/action.hpp"
#include "base/json.hpp"

namespace waybill::api {

/// The business's switches of notifications.
struct NotificationSwitches {
  bool email = true, push = true;
};

/// The code and error with which a run or step would end.
struct ForeseenEnd {
  std::string code;
  std::string error;
};

/// The end of a run that would not perform its planned request for a record as it now is: switched off,
/// nobody to mail, a forbidden status, an order that is shipped or has a shipment. nullopt if the record
/// alone shows no reason; the run may still find one.
std::optional<ForeseenEnd> foreseen_end(const actions::Action& action, const json::object& request,
                                        const json::object& entity, const NotificationSwitches& switches);

}  // namespace waybill::api
