#include "api/workflows/definition/step_body.hpp"

#include <algorithm>
#include <chrono>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "actions/stored_steps.hpp"
#include "api/records/fields.hpp"
#include "base/ascii.hpp"
#include "base/joined_texts.hpp"
#include "domain/conditions/conditions.hpp"
#include "domain/time/working_days.hpp"
#include "matching/steps.hpp"
#include "templates/mustache.hpp"

namespace waybill::api {
namespace {

/// Calls `visit` with each text in a value and its field.
template <typename Visit>
void for_each_text(const json::value& value, const std::string& field, const Visit& visit) {
  if (const auto* const text = value.if_string()) return visit(std::string_view(*text), field);
  if (const auto* const object = value.if_object()) {
    for (const auto& [name, each] : *object) for_each_text(each, field + "." + std::string(name), visit);
  } else if (const auto* const list = value.if_array()) {
    for (std::size_t i = 0; i < list->size(); ++i)
      for_each_text((*list)[i], field + "[" + std::to_string(i) + "]", visit);
  }
}

bool is_step_name(std::string_view name) {
  constexpr std::size_t longest = 40;
  const auto is_letter = [](char c) { return is_alphanumeric(c) && (c < '0' || c > '9'); };
  return !name.empty() && name.size() <= longest && is_letter(name.front()) &&
         std::ranges::all_of(name, [](char c) { return is_alphanumeric(c) || c == '_'; });
}

/// Checks the steps of a request.
class Checker {
 public:
  Checker(const actions::CheckContext& context, bool has_record, std::optional<std::string>& secret,
          FieldErrors& errors)
      : context_(context), secret_(secret), errors_(errors) {
    run_ = matching::values_before({}, 0, has_record);
  }

  /// `depth` is the number of choices around the list.
  json::array check_list(const json::array& given, const std::string& list, int depth) {
    json::array steps;
    for (std::size_t i = 0; i < given.size(); ++i) {
      field_ = list + "[" + std::to_string(i) + "]";
      steps.push_back(check(given[i], depth));
    }
    return steps;
  }

 private:
  json::object check(const json::value& given, int depth) {
    const json::object* const step = given.if_object();
    if (step == nullptr) {
      refuse("", "must be an object");
      return {};
    }
    const std::size_t errors_before = errors_.size();
    const std::string type = text_at(*step, "type").value_or("");
    const std::string name = check_name(*step);
    if (type == actions::choose_type) return check_choice(*step, name, depth);
    json::object stored = type == "wait"   ? check_wait(*step)
                          : type == "stop" ? check_stop(*step)
                                           : check_action(*step);
    if (name.empty()) return stored;
    stored["name"] = name;
    if (errors_.size() == errors_before)
      matching::add_values({.type = type,
                            .action = actions::find_action(type),
                            .definition = stored,
                            .when = {},
                            .name = name},
                           run_);
    return stored;
  }

  void refuse(std::string_view member, std::string message) {
    errors_.push_back({field_ + (member.empty() ? "" : ".") + std::string(member), std::move(message)});
  }

  void check_members(const json::object& step, std::initializer_list<std::string_view> known) {
    for (const auto& member : step) {
      if (std::ranges::find(known, std::string_view(member.key())) == known.end())
        refuse(member.key(), "unknown field");
    }
  }

  /// The name of a step; empty without one.
  std::string check_name(const json::object& step) {
    const json::value* const given = find_value(step, "name");
    if (given == nullptr) return {};
    if (!given->is_string() || !is_step_name(given->get_string())) {
      refuse("name", "must be 1 to 40 characters A-Z a-z 0-9 _ that begin with a letter");
      return {};
    }
    std::string name(given->get_string());
    if (!names_.insert(name).second) refuse("name", "is the name of an earlier step");
    return name;
  }

  /// The text of a member; null without one.
  json::value text(const json::object& step, std::string_view name) {
    const json::value* const value = find_value(step, name);
    if (value == nullptr) return nullptr;
    if (!value->is_string()) refuse(name, "must be a string");
    return *value;
  }

  json::object check_choice(const json::object& step, const std::string& name, int depth) {
    check_members(step, {"type", "name", "when", "then", "otherwise"});
    if (depth >= matching::max_choice_depth) {
      refuse("", "is inside " + std::to_string(depth) + " choices; at most " +
                     std::to_string(matching::max_choice_depth) + " can be nested");
      return {};
    }
    if (find_value(step, "when") == nullptr) refuse("when", "is required");
    json::object stored{{"type", actions::choose_type}, {"when", conditions(step)}};
    if (!name.empty()) {
      stored["name"] = name;
      matching::add_values({.type = std::string(actions::choose_type), .when = {}, .name = name}, run_);
    }
    const std::string field = field_;
    bool has_steps = false;
    for (const std::string_view way : actions::way_names) {
      const json::value* const given = find_value(step, way);
      const auto* const list = given == nullptr ? nullptr : given->if_array();
      field_ = field;
      if (given != nullptr && list == nullptr) refuse(way, "must be an array");
      has_steps = has_steps || given != nullptr;
      stored[way] =
          list == nullptr ? json::array() : check_list(*list, field + "." + std::string(way), depth + 1);
    }
    field_ = field;
    if (!has_steps) refuse("then", "is required unless otherwise is given");
    return stored;
  }

  json::object check_wait(const json::object& step) {
    if (find_value(step, matching::wait_member) != nullptr) return check_awaiting(step);
    check_members(step, {"type", "name", "delay", "until", "offset", "workdays"});
    const json::value delay = text(step, "delay"), until = text(step, "until"), offset = text(step, "offset");
    if (delay.is_null() && until.is_null()) refuse("delay", "is required unless until is given");
    if (!delay.is_null() && !until.is_null()) refuse("until", "must not be given together with delay");
    if (!offset.is_null() && until.is_null()) refuse("offset", "needs until");
    if (delay.is_string() && !parse_duration(delay.get_string()))
      refuse("delay", "must be an ISO 8601 duration of up to " + std::string(longest_duration_text) +
                          ", such as PT2H");
    if (until.is_string()) check_until(until.get_string());
    if (offset.is_string() && !matching::parse_offset(offset.get_string()))
      refuse("offset", "must be an ISO 8601 duration of up to " + std::string(longest_duration_text) +
                           ", such as -PT2H");
    if (counts_workdays(step)) return working_wait(delay, until, offset);
    return {{"type", "wait"}, {"delay", delay}, {"until", until}, {"offset", offset}};
  }

  bool counts_workdays(const json::object& step) {
    const json::value* const workdays = find_value(step, "workdays");
    if (workdays != nullptr && !workdays->is_bool()) refuse("workdays", "must be true or false");
    return workdays != nullptr && workdays->is_bool() && workdays->get_bool();
  }

  /// Checks a wait for an event.
  json::object check_awaiting(const json::object& step) {
    check_members(step, {"type", "name", matching::wait_member, "atMost", "workdays"});
    if (!run_.has_record) refuse(matching::wait_member, needs_record);
    const json::value& awaited = step.at(matching::wait_member);
    matching::check_awaited(awaited, context_.entity_type, field_ + "." + std::string(matching::wait_member),
                            true, errors_);
    const json::value at_most = text(step, "atMost");
    if (at_most.is_null()) refuse("atMost", "is required with for");
    const bool workdays = counts_workdays(step);
    if (at_most.is_string()) check_at_most(at_most.get_string(), workdays);
    if (workdays)
      return {{"type", "wait"},
              {matching::wait_member, awaited},
              {"workdays", {{"days", at_most}, {"until", nullptr}}}};
    return {{"type", "wait"}, {matching::wait_member, awaited}, {"atMost", at_most}};
  }

  void check_at_most(std::string_view text, bool workdays) {
    if (workdays && domain::parse_working_days(text).value_or(0) <= 0) {
      refuse("atMost", domain::working_days_problem);
    } else if (parse_duration(text).value_or(Duration{}) <= Duration{}) {
      refuse("atMost", "must be an ISO 8601 duration of up to " + std::string(longest_duration_text) +
                           " and not zero, such as P2D");
    }
  }

  void check_until(std::string_view path) {
    if (const domain::RunValue* const value = run_.find(path)) {
      if (value->type != domain::FieldType::timestamp) refuse("until", "is not a timestamp");
    } else if (path.starts_with("steps.")) {
      refuse("until", "names no value of an earlier step");
    } else if (!run_.has_record) {
      refuse("until", needs_record);
    } else if (!matching::is_time_field(context_.entity_type, path)) {
      refuse("until", "must be a timestamp of the record, such as createdAt");
    }
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
    check_members(step, {"type", "name", "when"});
    return {{"type", "stop"}, {"when", conditions(step)}};
  }

  json::object check_action(const json::object& step) {
    const json::value when = conditions(step);
    const json::value on_failure = text(step, "onFailure");
    if (on_failure.is_string() && on_failure != json::value("stop") && on_failure != json::value("continue"))
      refuse("onFailure", "must be one of stop, continue");
    json::object definition = step;
    for (const char* const member : {"name", "when", "onFailure"}) definition.erase(member);
    const actions::Action* const action = find_given_action(definition, field_, run_.has_record, errors_);
    if (action == nullptr) return {};
    FieldErrors problems;
    json::object stored = action->check(definition, context_, problems);
    for (FieldError& problem : problems) {
      constexpr std::string_view prefix = "action";
      if (problem.field.starts_with(prefix)) problem.field.replace(0, prefix.size(), field_);
      errors_.push_back(std::move(problem));
    }
    if (action->has_secret()) take_secret(definition);
    check_tags(definition);
    stored["when"] = when;
    stored["onFailure"] = on_failure.is_null() ? json::value("stop") : on_failure;
    return stored;
  }

  json::value conditions(const json::object& step) {
    const json::value* const when = find_value(step, "when");
    if (when == nullptr) return nullptr;
    const auto parsed =
        domain::Conditions::parse(*when, domain::record_type(context_.entity_type), field_ + ".when", &run_);
    if (const auto* const problems = std::get_if<FieldErrors>(&parsed))
      errors_.insert(errors_.end(), problems->begin(), problems->end());
    return *when;
  }

  /// Checks the values of earlier steps that the Mustache of an action names. Headers are sent as they are.
  void check_tags(const json::object& definition) {
    for (const auto& [name, value] : definition) {
      if (name == "headers") continue;
      for_each_text(value, field_ + "." + std::string(name),
                    [&](std::string_view text, const std::string& field) { check_tags(text, field); });
    }
  }

  void check_tags(std::string_view text, const std::string& field) {
    if (text.find("{{") == std::string_view::npos) return;
    const auto parsed = templates::Template::parse(text);
    const auto* const good = std::get_if<templates::Template>(&parsed);
    if (good == nullptr) return;  // the action reports it
    for (const std::string& name : good->names()) {
      if ((name == "steps" || name.starts_with("steps.")) && !names_value(name))
        errors_.push_back({field, name + " names no value of an earlier step"});
    }
  }

  /// True for the path of a value of an earlier step, or of something inside one that holds values.
  bool names_value(std::string_view path) const {
    using Type = domain::FieldType;
    return std::ranges::any_of(run_.values, [&](const domain::RunValue& value) {
      const bool holds_values = value.is_any || value.type == Type::array || value.type == Type::object;
      return path == value.path || (holds_values && path.size() > value.path.size() &&
                                    path.starts_with(value.path) && path[value.path.size()] == '.');
    });
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
  domain::RunValues run_;        // of the steps that are checked already
  std::set<std::string> names_;  // of the steps that are checked already
};

/// True for steps that versions without names, answers and choices could not perform.
bool is_extended(const json::array& steps) {
  bool extended = actions::count_steps(steps) > actions::max_plain_steps;
  actions::for_each_step(steps, {}, [&](const json::object& step, const std::string&) {
    extended = extended || step.contains("name") || step.contains("answer") ||
               text_at(step, "type") == actions::choose_type;
  });
  return extended;
}

/// Replaces the stored form of a wait that counts working days by what the API shows.
void show_wait(json::object& step) {
  const json::value* const stored = find_value(step, "workdays");
  if (stored == nullptr || !stored->is_object()) return;
  const json::object workdays = stored->get_object();
  const bool has_until = find_value(workdays, "until") != nullptr;
  const bool awaits = find_value(step, matching::wait_member) != nullptr;
  step[has_until ? "offset" : awaits ? "atMost" : "delay"] = workdays.at("days");
  if (has_until) step["until"] = workdays.at("until");
  step["workdays"] = true;
}

/// The member of a shown wait that says how long it lasts.
std::string_view length_member(const json::object& wait) {
  if (find_value(wait, matching::wait_member) != nullptr) return "atMost";
  return find_value(wait, "delay") != nullptr ? "delay" : "offset";
}

/// The longest time that a shown wait adds; that of a wait for a field is known only for its offset.
Duration length_of(const json::object& wait) {
  if (find_value(wait, "workdays") != nullptr) {
    const auto days = text_at(wait, length_member(wait)).value_or("");
    return domain::longest_working_days(domain::parse_working_days(days).value_or(0));
  }
  if (length_member(wait) != "offset")
    return parse_duration(text_at(wait, length_member(wait)).value_or("")).value_or(Duration{});
  const auto offset = matching::parse_offset(text_at(wait, "offset").value_or("PT0S")).value_or(Duration{});
  return std::chrono::abs(offset);
}

}  // namespace

const actions::Action* find_given_action(const json::object& action, const std::string& field,
                                         bool has_record, FieldErrors& errors) {
  const auto type = text_at(action, "type");
  if (!type) {
    errors.push_back({field + ".type", action.contains("type") ? "must be a string" : "is required"});
    return nullptr;
  }
  const actions::Action* const found = actions::find_action(*type);
  if (found != nullptr && !found->managed_only()) {
    if (found->changes_records() && !has_record)
      errors.push_back({field + ".type", std::string("changes a record, so it ") + needs_record});
    return found;
  }
  std::vector<std::string_view> known;
  for (const actions::Action* const each : actions::all_actions()) {
    if (!each->managed_only()) known.push_back(each->type());
  }
  if (field != "action") known.insert(known.end(), {"wait", "choose", "stop"});
  errors.push_back({field + ".type", "must be one of " + joined_texts(known)});
  return nullptr;
}

json::object check_steps(const json::value& given, const actions::CheckContext& context, bool has_record,
                         std::optional<std::string>& secret, FieldErrors& errors) {
  const json::array* const list = given.if_array();
  if (list == nullptr) {
    errors.push_back({"steps", "must be an array"});
    return {};
  }
  if (list->empty() || list->size() > matching::max_steps ||
      actions::count_steps(*list) > matching::max_steps) {
    errors.push_back({"steps", "must have 1 to " + std::to_string(matching::max_steps) +
                                   " entries, with those of choices"});
    return {};
  }
  constexpr std::size_t max_depth = 30;  // a definition that contains them is read with two levels more
  if (is_nested_deeper(given, max_depth)) {
    errors.push_back({"steps", "must not be nested deeper than " + std::to_string(max_depth)});
    return {};
  }
  json::array steps = Checker(context, has_record, secret, errors).check_list(*list, "steps", 0);
  const std::string_view type =
      errors.empty() && is_extended(steps) ? actions::extended_steps_type : actions::steps_type;
  return {{"type", type}, {"steps", std::move(steps)}};
}

namespace {

/// Sums up the waits along the ways of steps.
class Waits {
 public:
  Waits(Duration limit, FieldErrors& errors) : limit_(limit), errors_(errors) {}

  /// The longest time that has passed after the steps of a list, which begins after `before`.
  Duration after(const json::array& steps, const std::string& list, Duration before) {
    Duration total = before;
    for (std::size_t i = 0; i < steps.size(); ++i) {
      const json::object& step = steps[i].as_object();
      const std::string field = list + "[" + std::to_string(i) + "]";
      const auto type = text_at(step, "type");
      if (type == actions::choose_type) {
        const Duration start = total;
        for (const std::string_view way : actions::way_names)
          total = std::max(total, after(step.at(way).as_array(), field + "." + std::string(way), start));
      } else if (type == "wait") {
        total += length_of(step);
        if (total >= limit_) refuse(step, field);
      }
    }
    return total;
  }

 private:
  void refuse(const json::object& wait, const std::string& field) {
    errors_.push_back({field + "." + std::string(length_member(wait)),
                       "must, with the delay of the workflow and the waits before it, be shorter than the " +
                           std::to_string(limit_ / std::chrono::days(1)) + " days that events are kept"});
  }

  const Duration limit_;
  FieldErrors& errors_;
};

/// The most waits for a window along a way of steps, and whether the last step before the next one was a
/// wait.
struct WindowWaits {
  int count = 0;
  bool has_waited = true;
};

WindowWaits window_waits(const json::array& steps, WindowWaits before) {
  WindowWaits waits = before;
  for (const json::value& each : steps) {
    const json::object& step = each.as_object();
    const auto type = text_at(step, "type");
    if (type == "stop") continue;
    if (type == actions::choose_type) {
      const WindowWaits start = waits;
      waits.has_waited = false;
      for (const std::string_view way : actions::way_names) {
        const WindowWaits end = window_waits(step.at(way).as_array(), start);
        waits.count = std::max(waits.count, end.count);
        waits.has_waited = waits.has_waited || end.has_waited;
      }
      continue;
    }
    if (type != "wait" && waits.has_waited) ++waits.count;
    waits.has_waited = type == "wait";
  }
  return waits;
}

}  // namespace

Duration check_waits(const json::object& action, Duration delay, Duration limit, FieldErrors& errors) {
  return Waits(limit, errors).after(shown_steps(action), "steps", delay);
}

int count_window_waits(const json::object& action) {
  const json::array* const steps = actions::stored_steps(action);
  return steps == nullptr ? 1 : window_waits(*steps, {}).count;
}

void for_each_action(const json::object& action, const VisitAction& visit) {
  const auto visit_one = [&](const json::object& definition, const std::string& field) {
    const auto* const found = actions::find_action(text_at(definition, "type").value_or(""));
    if (found != nullptr) visit(*found, definition, field);
  };
  const json::array* const steps = actions::stored_steps(action);
  if (steps == nullptr) return visit_one(action, "action");
  actions::for_each_step(*steps, "steps", visit_one);
}

bool awaits_events(const json::object& action) {
  const auto is_awaiting = [](const json::object& step) {
    const std::string type = text_at(step, "type").value_or("");
    if (type == "wait") return find_value(step, matching::wait_member) != nullptr;
    const auto* const found = actions::find_action(type);
    return found != nullptr && found->awaits_events();
  };
  const json::array* const steps = actions::stored_steps(action);
  if (steps == nullptr) return is_awaiting(action);
  bool awaits = false;
  actions::for_each_step(*steps, {}, [&](const json::object& step, const std::string&) {
    awaits = awaits || is_awaiting(step);
  });
  return awaits;
}

json::array shown_steps(const json::object& action) {
  const json::array* const stored = actions::stored_steps(action);
  if (stored == nullptr) return {};
  json::array steps = *stored;
  actions::for_each_step(steps, {}, [](json::object& step, const std::string&) { show_wait(step); });
  return steps;
}

void show_action(json::object& workflow) {
  json::value& action = workflow.at("action");
  json::value steps;
  if (action.is_object() && actions::stored_steps(action.get_object()) != nullptr)
    steps = shown_steps(action.get_object());
  if (!steps.is_null()) action = nullptr;
  workflow["steps"] = std::move(steps);
}

}  // namespace waybill::api
