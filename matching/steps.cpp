#include "matching/steps.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

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

void parse_wait(Step& step, domain::EntityType type) {
  if (const auto* const awaited = actions::find_value(step.definition, wait_member))
    step.awaited = parse_awaited(*awaited, type, true);
  if (const auto* const workdays = actions::find_value(step.definition, "workdays");
      workdays != nullptr && workdays->is_object())
    return parse_working_wait(step, workdays->get_object());
  if (const auto delay = text_of(step.definition, step.awaited ? "atMost" : "delay"); !delay.empty()) {
    step.delay = parse_duration(delay);
    if (!step.delay) throw std::invalid_argument("unreadable delay of a step");
    return;
  }
  if (!step.awaited) step.until = text_of(step.definition, "until");
  if (step.until.empty()) throw std::invalid_argument("a wait has no end");
  const auto offset = text_of(step.definition, "offset");
  const auto parsed = offset.empty() ? Duration{} : parse_offset(offset);
  if (!parsed) throw std::invalid_argument("unreadable offset of a step");
  step.offset = *parsed;
}

/// Throws std::invalid_argument for conditions that this version cannot read.
domain::Conditions parse_conditions(const json::value& stored, const domain::RecordType& record,
                                    const domain::RunValues& run) {
  auto parsed = domain::Conditions::parse(stored, record, "when", &run);
  if (const auto* const errors = std::get_if<FieldErrors>(&parsed))
    throw std::invalid_argument(errors->front().field + ": " + errors->front().message);
  return std::get<domain::Conditions>(std::move(parsed));
}

Step parse_step(const json::object& stored, const domain::RecordType& record,
                const domain::RunValues& values) {
  Step step{.type = std::string(text_of(stored, "type")),
            .definition = stored,
            .when = std::nullopt,
            .goes_on = text_of(stored, "onFailure") == "continue",
            .name = std::string(text_of(stored, "name"))};
  if (const auto* const when = actions::find_value(stored, "when"))
    step.when = parse_conditions(*when, record, values);
  if (step.type == "wait") {
    parse_wait(step, record.type);
  } else if (step.type == actions::choose_type) {
    if (!step.when) throw std::invalid_argument("a choice has no conditions");
    for (const std::string_view way : actions::way_names) step.definition.erase(way);
  } else if (step.type != "stop") {
    step.action = actions::find_action(step.type);
    if (step.action == nullptr) throw std::invalid_argument("unknown action " + step.type);
  }
  return step;
}

/// Reads the steps of a list and those of its choices.
class Reader {
 public:
  explicit Reader(const domain::RecordType& record) : record_(record) {}

  void read(const json::array& stored, std::optional<Way> way) {
    for (const json::value& each : stored) {
      if (!each.is_object()) throw std::invalid_argument("a step is not an object");
      // A run for several records has `count`; the record's fields are checked when the workflow is
      // configured.
      domain::RunValues values = values_before(steps_, steps_.size(), false);
      values.has_record = true;
      const std::size_t position = steps_.size();
      steps_.push_back(parse_step(each.get_object(), record_, values));
      steps_[position].way = way;
      if (steps_[position].type == actions::choose_type) read_ways(each.get_object(), position);
    }
  }

  std::vector<Step> take() { return std::move(steps_); }

 private:
  void read_ways(const json::object& choice, std::size_t position) {
    for (const std::string_view name : actions::way_names) {
      const auto* const way = actions::find_value(choice, name);
      if (way == nullptr) continue;
      if (!way->is_array()) throw std::invalid_argument("a way of a choice is not a list");
      const bool is_then = name == actions::way_names.front();
      const std::size_t before = steps_.size();
      read(way->get_array(), Way{.choice = static_cast<int>(position) + 1, .is_then = is_then});
      (is_then ? steps_[position].then_steps : steps_[position].otherwise_steps) =
          static_cast<int>(steps_.size() - before);
    }
  }

  const domain::RecordType& record_;
  std::vector<Step> steps_;
};

constexpr std::string_view step_statuses[] = {"succeeded", "skipped", "dead"};

/// The members of a step's result that the steps after it can use.
std::vector<std::string> names_of_values() {
  std::vector<std::string> names{"status", "answer", "timedOut"};
  for (const actions::Action* const action : actions::all_actions()) {
    for (actions::StepValue& value : action->values({})) names.push_back(std::move(value.path));
  }
  return names;
}

}  // namespace

void add_values(const Step& step, domain::RunValues& run) {
  if (step.name.empty()) return;
  const std::string prefix = "steps." + step.name + ".";
  run.values.push_back(
      {.path = prefix + "status", .type = domain::FieldType::string, .values = step_statuses});
  if (step.type == "wait")
    run.values.push_back({.path = prefix + "timedOut", .type = domain::FieldType::boolean});
  if (step.action == nullptr) return;
  for (const actions::StepValue& value : step.action->values(step.definition))
    run.values.push_back({.path = prefix + value.path, .type = value.type, .is_any = value.is_any});
}

domain::RunValues values_before(const std::vector<Step>& steps, std::size_t position, bool has_record) {
  domain::RunValues run{.values = {}, .has_record = has_record};
  if (!has_record) run.values.push_back({.path = "count", .type = domain::FieldType::integer});
  for (std::size_t i = 0; i < position; ++i) add_values(steps[i], run);
  return run;
}

std::vector<Step> parse_steps(const json::object& action, domain::EntityType type) {
  const json::array* const stored = actions::stored_steps(action);
  if (stored == nullptr || stored->empty()) throw std::invalid_argument("the workflow has no steps");
  Reader reader(domain::record_type(type));
  reader.read(*stored, std::nullopt);
  std::vector<Step> steps = reader.take();
  note_uses(steps, {});
  return steps;
}

void note_uses(std::vector<Step>& steps, std::string_view templates) {
  for (Step& step : steps) step.used_by.clear();
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const Step& step = steps[i];
    std::string text = to_json(step.definition);
    if (step.action != nullptr && !step.action->templates(step.definition).empty()) text += templates;
    steps[i].uses_steps = text.find("steps") != std::string::npos;
    steps[i].last_used = 0;
    if (!steps[i].uses_steps) continue;
    for (std::size_t earlier = 0; earlier < i; ++earlier) {
      const std::string values = "steps." + steps[earlier].name + '.';
      if (steps[earlier].name.empty() || text.find(values) == std::string::npos) continue;
      steps[i].last_used = static_cast<int>(earlier) + 1;
      if (text.find(values + "answer") != std::string::npos)
        steps[earlier].used_by.push_back(static_cast<int>(i) + 1);
    }
  }
}

json::object step_values(const json::object& result) {
  static const auto names = names_of_values();
  json::object values;
  for (const std::string& name : names) {
    if (const auto* const value = result.if_contains(name)) values[name] = *value;
  }
  return values;
}

std::optional<Time> start_of_wait(const Step& wait, const json::object& entity, const json::object* run,
                                  Time now) {
  if (wait.until.empty()) return now;
  const bool is_of_run = wait.until.starts_with("steps.");
  if (is_of_run && run == nullptr) return std::nullopt;
  const json::value* const value = find_path(is_of_run ? *run : entity, wait.until);
  if (value == nullptr || !value->is_string()) return std::nullopt;
  const std::string_view text = value->get_string();
  const auto time = parse_timestamp(text);
  return time ? time : parse_date(text);
}

bool holds_at_once(const Step& wait, const json::object& entity) {
  const json::object no_changes;
  return wait.awaited && !wait.awaited->triggers &&
         wait.awaited->conditions.evaluate({entity, no_changes, false});
}

std::optional<Time> end_of_wait(const Step& wait, const json::object& entity, const json::object* run,
                                Time now) {
  const auto start = start_of_wait(wait, entity, run, now);
  return start ? std::optional(shifted(*start, wait.delay.value_or(wait.offset))) : std::nullopt;
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
  const json::array* const steps = actions::stored_steps(action);
  if (steps == nullptr) {
    add(action);
  } else {
    actions::for_each_step(*steps, {}, [&](const json::object& step, const std::string&) { add(step); });
  }
  return codes;
}

}  // namespace waybill::matching
