#pragma once

#include <functional>
#include <optional>
#include <string>

#include "actions/action.hpp"
#include "base/clock.hpp"
#include "base/error.hpp"
#include "base/json.hpp"

namespace waybill::api {

/// The error of a member that only a run for one record can have.
inline constexpr const char* needs_record =
    "needs a run for one record: no digest, and a schedule only with each: true";

/// Checks the type of the action of a request, which must be one that a workflow of a business may have. Null
/// if it is not; then `errors` says why. Adds an error for one that changes a record if runs are for several
/// (`has_record` is false). `field` is "action" or "steps[0]".
const actions::Action* find_given_action(const json::object& action, const std::string& field,
                                         bool has_record, FieldErrors& errors);

/// Checks the `steps` of a request and returns them in the form that is stored (actions/stored_steps.hpp).
/// Errors are under "steps[0].then[1].…"; the result is then not used. `has_record` is false if runs are for
/// several records. `secret` gets the signing secret that a webhook gives. Pure.
json::object check_steps(const json::value& given, const actions::CheckContext& context, bool has_record,
                         std::optional<std::string>& secret, FieldErrors& errors);

/// Adds an error for each wait of a stored action that does not end before `limit`, with the delay of the
/// workflow and the waits before it. Returns the delay and the waits along the longest way together.
Duration check_waits(const json::object& action, Duration delay, Duration limit, FieldErrors& errors);

/// The number of times that a run of a stored action can wait for the window of its workflow: once for each
/// action that is the first or follows a wait.
int count_window_waits(const json::object& action);

/// Calls `visit` with each action of a stored action, its definition and its field: "action", or "steps[0]".
using VisitAction = std::function<void(const actions::Action& action, const json::object& definition,
                                       const std::string& field)>;
void for_each_action(const json::object& action, const VisitAction& visit);

/// True if a step of a stored action waits for an event, or for a label.
bool awaits_events(const json::object& action);

/// The steps of a stored action as the API shows them; empty if it is a single one.
json::array shown_steps(const json::object& action);

/// Replaces the stored `action` of a workflow by what the API shows: `action` and `steps`, one of which is
/// null.
void show_action(json::object& workflow);

}  // namespace waybill::api
