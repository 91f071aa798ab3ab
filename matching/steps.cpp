#include "matching/steps.hpp"

#include <algorithm>
#include <stdexcept>

#include "actions/definition.hpp"
#include "domain/time/working_days.hpp"

namespace waybill::matching {
namespace {

std::string_view text_of(const json::object& object, std::string_view name) {
  const auto* const value = actions::find_value(object, name);
  return value != nullptr && value->is_string() ? std::string_view(value->get_string()) : "";
}

/// `workdays` has the days and `until`, so that earlier versions, which read neither there, hold the
/// workflow.
void parse_working_wait(Step& step, const json::object& workdays) {
  step.working_days = domain::parse_working_days(text_of(workdays, "days")).value_or(0);
  step.until = text_of(workdays, "until");
  if (step.working_days == 0 || (step.until.empty() && step.working_days < 0))
    throw std::invalid_argument("unreadable working days of a step");
}

void parse_wait(Step& step) {
  if (const auto* const workdays = actions::find_value(step.definition, "workdays");
      workdays != nullptr && workdays->is_object())
    return parse_working_wait(step, workdays->get_object());
  if (const auto delay = text_of(step.definition, "delay"); !delay.empty()) {
    step.delay = parse_duration(delay);
    if (!step.delay) throw std::invalid_argument("unreadable delay of a step");
    return;
  }
  step.until = text_of(step.definition, "until");
  if (step.until.empty()) throw std::invalid_argument("a wait has neither delay nor until");
  const auto offset = text_of(step.definition, "offset");
  const auto parsed = offset.empty() ? Duration{} : parse_offset(offset);
  if (!parsed) throw std::invalid_argument("unreadable offset of a step");
  step.offset = *parsed;
}

Step parse_step(const json::object& stored, const domain::RecordType& record) {
  Step step{.type = std::string(text_of(stored, "type")),
            .definition = stored,
            .when = std::nullopt,
            .goes_on = text_of(stored, "onFailure") == "continue"};
  if (const auto* const when = actions::find_value(stored, "when")) {
    auto parsed = domain::Conditions::parse(*when, record, "when");
    if (const auto* const errors = std::get_if<FieldErrors>(&parsed))
      throw std::invalid_argument(errors->front().field + ": " + errors->front().message);
    step.when = std::get<domain::Conditions>(std::move(parsed));
  }
  if (step.type == "wait") {
    parse_wait(step);
  } else if (step.type != "stop") {
    step.action = actions::find_action(step.type);
    if (step.action == nullptr) throw std::invalid_argument("unknown action " + step.type);
  }
  return step;
}

}  // namespace

const json::array* stored_steps(const json::object& action) {
  if (text_of(action, "type") != steps_type) return nullptr;
  const auto* const steps = action.if_contains("steps");
  return steps == nullptr ? nullptr : steps->if_array();
}

std::vector<Step> parse_steps(const json::object& action, domain::EntityType type) {
  const json::array* const stored = stored_steps(action);
  if (stored == nullptr || stored->empty()) throw std::invalid_argument("the workflow has no steps");
  std::vector<Step> steps;
  steps.reserve(stored->size());
  for (const json::value& step : *stored) {
    if (!step.is_object()) throw std::invalid_argument("a step is not an object");
    steps.push_back(parse_step(step.get_object(), domain::record_type(type)));
  }
  return steps;
}

std::optional<Time> start_of_wait(const Step& wait, const json::object& entity, Time now) {
  if (wait.until.empty()) return now;
  const json::value* const value = find_path(entity, wait.until);
  if (value == nullptr || !value->is_string()) return std::nullopt;
  const std::string_view text = value->get_string();
  const auto time = parse_timestamp(text);
  return time ? time : parse_date(text);
}

std::optional<Time> end_of_wait(const Step& wait, const json::object& entity, Time now) {
  const auto start = start_of_wait(wait, entity, now);
  return start ? std::optional(*start + wait.delay.value_or(wait.offset)) : std::nullopt;
}

bool is_time_field(domain::EntityType type, std::string_view path) {
  using Role = domain::ColumnRole;
  const domain::Field* const field = domain::record_type(type).find(path);
  return field != nullptr && field->type == domain::FieldType::timestamp &&
         (field->has_role(Role::plain) || field->has_role(Role::bookkeeping));
}

std::optional<Duration> parse_offset(std::string_view text) {
  const bool is_negative = text.starts_with('-');
  const auto length = parse_duration(is_negative ? text.substr(1) : text);
  return length && is_negative ? -*length : length;
}

std::vector<std::string> template_codes(const json::object& action) {
  std::vector<std::string> codes;
  const auto add = [&](const json::object& definition) {
    const auto* const type = actions::find_action(text_of(definition, "type"));
    if (type == nullptr) return;
    for (std::string& code : type->templates(definition)) {
      if (std::ranges::find(codes, code) == codes.end()) codes.push_back(std::move(code));
    }
  };
  if (const json::array* const steps = stored_steps(action)) {
    for (const json::value& step : *steps) add(step.as_object());
  } else {
    add(action);
  }
  return codes;
}

}  // namespace waybill::matching
