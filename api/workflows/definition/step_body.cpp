#include "api/workflows/definition/step_body.hpp"

#include <algorithm>
#include <chrono>
#include <string_view>
#include <utility>

#include "api/records/fields.hpp"
#include "domain/conditions/conditions.hpp"
#include "domain/time/working_days.hpp"
#include "matching/steps.hpp"

namespace waybill::api {
namespace {

std::string field_of(std::size_t position) { return "steps[" + std::to_string(position) + "]"; }

/// Checks the steps of a request.
class Checker {
 public:
  Checker(const actions::CheckContext& context, std::optional<std::string>& secret, FieldErrors& errors)
      : context_(context), secret_(secret), errors_(errors) {}

  json::object check(const json::array& given, std::size_t position) {
    field_ = field_of(position);
    const json::object* const step = given[position].if_object();
    if (step == nullptr) {
      refuse("", "must be an object");
      return {};
    }
    const std::string type = text_at(*step, "type").value_or("");
    if (type == "wait") return check_wait(*step);
    if (type == "stop") return check_stop(*step);
    return check_action(*step);
  }

 private:
  void refuse(std::string_view member, std::string message) {
    errors_.push_back({field_ + (member.empty() ? "" : ".") + std::string(member), std::move(message)});
  }

  void check_members(const json::object& step, std::initializer_list<std::string_view> known) {
    for (const auto& member : step) {
      if (std::ranges::find(known, std::string_view(member.key())) == known.end())
        refuse(member.key(), "unknown field");
    }
  }

  /// The text of a member; null without one.
  json::value text(const json::object& step, std::string_view name) {
    const json::value* const value = find_value(step, name);
    if (value == nullptr) return nullptr;
    if (!value->is_string()) refuse(name, "must be a string");
    return *value;
  }

  json::object check_wait(const json::object& step) {
    check_members(step, {"type", "delay", "until", "offset", "workdays"});
    const json::value delay = text(step, "delay"), until = text(step, "until"), offset = text(step, "offset");
    if (delay.is_null() && until.is_null()) refuse("delay", "is required unless until is given");
    if (!delay.is_null() && !until.is_null()) refuse("until", "must not be given together with delay");
    if (!offset.is_null() && until.is_null()) refuse("offset", "needs until");
    if (delay.is_string() && !parse_duration(delay.get_string()))
      refuse("delay", "must be an ISO 8601 duration of up to 366 days, such as PT2H");
    if (until.is_string() && !matching::is_time_field(context_.entity_type, until.get_string()))
      refuse("until", "must be a timestamp of the record, such as createdAt");
    if (offset.is_string() && !matching::parse_offset(offset.get_string()))
      refuse("offset", "must be an ISO 8601 duration of up to 366 days, such as -PT2H");
    const json::value* const workdays = find_value(step, "workdays");
    if (workdays != nullptr && !workdays->is_bool()) refuse("workdays", "must be true or false");
    if (workdays != nullptr && workdays->is_bool() && workdays->get_bool())
      return working_wait(delay, until, offset);
    return {{"type", "wait"}, {"delay", delay}, {"until", until}, {"offset", offset}};
  }

  /// The stored form of a wait that counts working days, which matching::parse_steps reads.
  json::object working_wait(const json::value& delay, const json::value& until, const json::value& offset) {
    const json::value& days = until.is_null() ? delay : offset;
    const bool is_read = days.is_string() && domain::parse_working_days(days.get_string());
    if (!is_read && (days.is_string() || !until.is_null()))
      refuse(until.is_null() ? "delay" : "offset", domain::working_days_problem);
    return {{"type", "wait"},
            {"delay", nullptr},
            {"until", nullptr},
            {"offset", nullptr},
            {"workdays", {{"days", days}, {"until", until}}}};
  }

  json::object check_stop(const json::object& step) {
    check_members(step, {"type", "when"});
    return {{"type", "stop"}, {"when", conditions(step)}};
  }

  json::object check_action(const json::object& step) {
    const json::value when = conditions(step);
    const json::value on_failure = text(step, "onFailure");
    if (on_failure.is_string() && on_failure != json::value("stop") && on_failure != json::value("continue"))
      refuse("onFailure", "must be one of stop, continue");
    json::object definition = step;
    definition.erase("when");
    definition.erase("onFailure");
    const actions::Action* const action = find_given_action(definition, field_, errors_);
    if (action == nullptr) return {};
    FieldErrors problems;
    json::object stored = action->check(definition, context_, problems);
    for (FieldError& problem : problems) {
      constexpr std::string_view prefix = "action";
      if (problem.field.starts_with(prefix)) problem.field.replace(0, prefix.size(), field_);
      errors_.push_back(std::move(problem));
    }
    if (action->has_secret()) take_secret(definition);
    stored["when"] = when;
    stored["onFailure"] = on_failure.is_null() ? json::value("stop") : on_failure;
    return stored;
  }

  json::value conditions(const json::object& step) {
    const json::value* const when = find_value(step, "when");
    if (when == nullptr) return nullptr;
    const auto parsed =
        domain::Conditions::parse(*when, domain::record_type(context_.entity_type), field_ + ".when");
    if (const auto* const problems = std::get_if<FieldErrors>(&parsed))
      errors_.insert(errors_.end(), problems->begin(), problems->end());
    return *when;
  }

  /// All webhooks of a workflow are signed with one secret.
  void take_secret(const json::object& step) {
    const auto given = text_at(step, "secret");
    if (!given) return;
    if (secret_ && *secret_ != *given) refuse("secret", "must be the same in all steps");
    secret_ = given;
  }

  const actions::CheckContext& context_;
  std::optional<std::string>& secret_;
  FieldErrors& errors_;
  std::string field_;
};

/// Replaces the stored form of a wait that counts working days by what the API shows.
void show_wait(json::object& step) {
  const json::value* const stored = find_value(step, "workdays");
  if (stored == nullptr || !stored->is_object()) return;
  const json::object workdays = stored->get_object();
  const bool has_until = find_value(workdays, "until") != nullptr;
  step[has_until ? "offset" : "delay"] = workdays.at("days");
  if (has_until) step["until"] = workdays.at("until");
  step["workdays"] = true;
}

/// The longest time that a shown wait adds; that of a wait for a field is known only for its offset.
Duration length_of(const json::object& wait) {
  if (find_value(wait, "workdays") != nullptr) {
    const auto days = text_at(wait, find_value(wait, "delay") != nullptr ? "delay" : "offset").value_or("");
    return domain::longest_working_days(domain::parse_working_days(days).value_or(0));
  }
  if (const auto delay = text_at(wait, "delay")) return parse_duration(*delay).value_or(Duration{});
  const auto offset = matching::parse_offset(text_at(wait, "offset").value_or("PT0S")).value_or(Duration{});
  return std::chrono::abs(offset);
}

}  // namespace

const actions::Action* find_given_action(const json::object& action, const std::string& field,
                                         FieldErrors& errors) {
  const auto type = text_at(action, "type");
  if (!type) {
    errors.push_back({field + ".type", action.contains("type") ? "must be a string" : "is required"});
    return nullptr;
  }
  const actions::Action* const found = actions::find_action(*type);
  if (found != nullptr && !found->managed_only()) return found;
  std::string known;
  for (const actions::Action* const each : actions::all_actions()) {
    if (!each->managed_only()) known += (known.empty() ? "" : ", ") + std::string(each->type());
  }
  if (field != "action") known += ", wait, stop";
  errors.push_back({field + ".type", "must be one of " + known});
  return nullptr;
}

json::object check_steps(const json::value& given, const actions::CheckContext& context,
                         std::optional<std::string>& secret, FieldErrors& errors) {
  const json::array* const list = given.if_array();
  if (list == nullptr) {
    errors.push_back({"steps", "must be an array"});
    return {};
  }
  if (list->empty() || list->size() > matching::max_steps) {
    errors.push_back({"steps", "must have 1 to " + std::to_string(matching::max_steps) + " entries"});
    return {};
  }
  Checker checker(context, secret, errors);
  json::array steps;
  for (std::size_t i = 0; i < list->size(); ++i) steps.push_back(checker.check(*list, i));
  return {{"type", matching::steps_type}, {"steps", std::move(steps)}};
}

Duration check_waits(const json::object& action, Duration delay, Duration limit, FieldErrors& errors) {
  const json::array steps = shown_steps(action);
  Duration total = delay;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const json::object& step = steps[i].as_object();
    if (text_at(step, "type") != "wait") continue;
    total += length_of(step);
    if (total < limit) continue;
    errors.push_back({field_of(i) + (find_value(step, "delay") != nullptr ? ".delay" : ".offset"),
                      "must, with the delay of the workflow and the waits before it, be shorter than the " +
                          std::to_string(limit / std::chrono::days(1)) + " days that events are kept"});
  }
  return total;
}

int count_window_waits(const json::object& action) {
  const json::array* const steps = matching::stored_steps(action);
  if (steps == nullptr) return 1;
  int count = 0;
  bool has_waited = true;
  for (const json::value& step : *steps) {
    const auto type = text_at(step.as_object(), "type");
    if (type == "stop") continue;
    if (type != "wait" && has_waited) ++count;
    has_waited = type == "wait";
  }
  return count;
}

void for_each_action(const json::object& action, const VisitAction& visit) {
  const auto visit_one = [&](const json::object& definition, const std::string& field) {
    const auto* const found = actions::find_action(text_at(definition, "type").value_or(""));
    if (found != nullptr) visit(*found, definition, field);
  };
  const json::array* const steps = matching::stored_steps(action);
  if (steps == nullptr) return visit_one(action, "action");
  for (std::size_t i = 0; i < steps->size(); ++i) visit_one((*steps)[i].as_object(), field_of(i));
}

json::array shown_steps(const json::object& action) {
  const json::array* const stored = matching::stored_steps(action);
  if (stored == nullptr) return {};
  json::array steps = *stored;
  for (json::value& step : steps) {
    if (step.is_object()) show_wait(step.get_object());
  }
  return steps;
}

void show_action(json::object& workflow) {
  json::value& action = workflow.at("action");
  json::value steps;
  if (action.is_object() && matching::stored_steps(action.get_object()) != nullptr)
    steps = shown_steps(action.get_object());
  if (!steps.is_null()) action = nullptr;
  workflow["steps"] = std::move(steps);
}

}  // namespace waybill::api
