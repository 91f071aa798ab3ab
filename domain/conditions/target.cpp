#include "domain/conditions/target.hpp"

#include "base/ascii.hpp"
#include "domain/conditions/scalar.hpp"
#include "domain/records/element_fields.hpp"
#include "domain/values/own_data.hpp"

namespace waybill::domain {
namespace {

constexpr std::string_view previous_prefix = "previous.";
constexpr std::size_t work_of_element = 64;  // an element compared with its old value

Steps split(std::string_view path) {
  Steps steps;
  for (;;) {
    const auto dot = path.find('.');
    steps.push_back(path.substr(0, dot));
    if (dot == std::string_view::npos) return steps;
    path.remove_prefix(dot + 1);
  }
}

bool keeps_history(const Field& field) {
  return field.has_role(ColumnRole::plain) || field.has_role(ColumnRole::status);
}

bool is_shown(const Field& field) {
  return !field.has_role(ColumnRole::dispatch) && field.computed() == nullptr;
}

bool holds_status(const Field& field) {
  return field.has_role(ColumnRole::status) || (field.is_event_fact() && field.path == "trace.status");
}

// True if `path` names an object on the way to `field`.
bool leads_to(std::string_view path, std::string_view field) {
  return field.size() > path.size() && field.starts_with(path) && field[path.size()] == '.';
}

std::optional<Target> find_field(std::string_view path, const RecordType& type) {
  const auto* field = type.find(path);
  if (field == nullptr || !is_shown(*field)) return std::nullopt;
  Target target;
  target.type = field->type;
  target.steps = split(field->path);
  target.relative = field->is_of_relatives();
  target.completed = field->column() != nullptr && field->column()->is_completed_by_relatives;
  target.is_value_list = field->type == FieldType::array && field->path == tags_path;
  target.has_history = keeps_history(*field);
  if (holds_status(*field)) target.states = states_of(type.type);
  return target;
}

std::optional<Target> find_object(std::string_view path, const RecordType& type) {
  std::optional<Target> target;
  const auto add = [&](const Field& field, std::string_view field_path) {
    if (!leads_to(path, field_path) || !is_shown(field)) return;
    if (!target) {
      target.emplace();
      target->type = FieldType::object;
      target->steps = split(field_path.substr(0, path.size()));
      target->relative = true;
    }
    target->relative = target->relative && field.is_of_relatives();
    if (keeps_history(field))
      target->parts.push_back({field_path.substr(path.size() + 1), split(field_path)});
  };
  for (const Field& field : type.fields) add(field, field.path);
  for (const Alias& alias : type.aliases) add(*type.find(alias.path), alias.path);
  if (target) target->has_history = !target->parts.empty();
  return target;
}

std::optional<Target> find_element_field(std::string_view path, const RecordType& type) {
  const auto dot = path.find('.');
  if (dot == std::string_view::npos) return std::nullopt;
  auto target = find_field(path.substr(0, dot), type);
  if (!target || target->type != FieldType::array) return std::nullopt;
  const auto within = path.substr(dot + 1);
  for (const auto& field : element_fields(type.type, path.substr(0, dot))) {
    if (field.path != within && !leads_to(within, field.path)) continue;
    const bool whole = field.path == within;
    target->type = whole ? field.type : FieldType::object;
    target->enters_list = true;
    target->element = split(field.path.substr(0, within.size()));
    if (whole && field.status_of) target->states = states_of(*field.status_of);
    return target;
  }
  return std::nullopt;
}

std::optional<Target> find_metadata(std::string_view path, const RecordType& type) {
  const auto dot = path.find('.');
  if (dot == std::string_view::npos || path.substr(0, dot) != metadata_path) return std::nullopt;
  auto target = find_field(metadata_path, type);
  const auto key = path.substr(dot + 1);
  if (!target || !is_metadata_key(key)) return std::nullopt;
  target->type = FieldType::string;
  target->key = std::make_shared<const std::string>(key);
  target->steps.push_back(*target->key);
  return target;
}

const json::value* child(const json::value& value, std::string_view key) {
  const auto* object = value.if_object();
  return object == nullptr ? nullptr : object->if_contains(key);
}

bool is_same(const json::value* a, const json::value* b, FieldType type) {
  if (is_nothing(a) || is_nothing(b)) return is_nothing(a) == is_nothing(b);
  return type == FieldType::object ? *a == *b : to_scalar(a, type) == to_scalar(b, type);
}

bool list_differs(const Target& target, const json::value* old_value, const json::value* new_value,
                  WorkBudget& budget) {
  static const json::array none;
  const auto list_of = [](const json::value* value) -> const json::array& {
    const auto* list = value == nullptr ? nullptr : value->if_array();
    return list == nullptr ? none : *list;
  };
  return !std::ranges::equal(list_of(old_value), list_of(new_value), [&](const auto& a, const auto& b) {
    const auto* before = element_value(a, target.element);
    const auto* text = before == nullptr ? nullptr : before->if_string();
    if (!budget.take(work_of_element + (text == nullptr ? 0 : text->size()))) return false;
    return is_same(before, element_value(b, target.element), target.type);
  });
}

}  // namespace

std::optional<Target> find_target(std::string_view path, const RecordType& type) {
  const bool previous = path.starts_with(previous_prefix);
  if (previous) path.remove_prefix(previous_prefix.size());
  if (path.empty()) return std::nullopt;
  auto target = find_field(path, type);
  if (!target) target = find_object(path, type);
  if (!target) target = find_element_field(path, type);
  if (!target) target = find_metadata(path, type);
  if (target) target->previous = previous;
  return target;
}

Target run_target(const RunValue& value) {
  Target target;
  target.type = value.type;
  target.run_path = std::make_shared<const std::string>(value.path);
  target.run_values = value.values;
  if (value.is_any) target.key = target.run_path;
  return target;
}

Target each_value(Target list) {
  list.type = FieldType::string;
  list.enters_list = true;
  return list;
}

const json::value* walk(const json::object& from, const Steps& steps) {
  const auto* value = from.if_contains(steps.front());
  for (std::size_t i = 1; i < steps.size() && value != nullptr; ++i) value = child(*value, steps[i]);
  return value;
}

const json::value* walk(const json::value& from, const Steps& steps) {
  const auto* object = from.if_object();
  return object == nullptr ? nullptr : walk(*object, steps);
}

const json::value* element_value(const json::value& element, const Steps& steps) {
  return steps.empty() ? &element : walk(element, steps);
}

bool is_nothing(const json::value* value) {
  if (value == nullptr || value->is_null()) return true;
  const auto* list = value->if_array();
  return list != nullptr && list->empty();
}

Before before(const Subject& subject, const Steps& steps) {
  const auto* present = walk(subject.entity, steps);
  if (subject.created) return {!is_nothing(present), nullptr};
  const auto* old = subject.previous.if_contains(steps.front());
  for (std::size_t i = 1; i < steps.size() && old != nullptr; ++i) {
    // The whole object was null before the change.
    if (!old->is_object()) return {!is_nothing(present), nullptr};
    old = child(*old, steps[i]);
  }
  return old == nullptr ? Before{false, present} : Before{true, old};
}

bool is_changed(const Target& target, const Subject& subject, WorkBudget& budget) {
  if (subject.created) {
    return any_value(target, subject, false, [&](const json::value* value) {
      return !budget.take(work_of_element) || !is_nothing(value);
    });
  }
  if (!target.parts.empty()) {
    return std::ranges::any_of(target.parts,
                               [&](const Target::Part& part) { return before(subject, part.steps).changed; });
  }
  const auto [changed, old] = before(subject, target.steps);
  return changed &&
         (!target.enters_list || list_differs(target, old, walk(subject.entity, target.steps), budget));
}

const json::value* value_of(const Target& target, const Subject& subject, bool previous) {
  if (target.run_path != nullptr)
    return subject.run == nullptr ? nullptr : find_path(*subject.run, *target.run_path);
  if (!previous) return walk(subject.entity, target.steps);
  if (target.parts.empty()) return before(subject, target.steps).value;
  // An object exists if any of its parts does.
  for (const auto& part : target.parts) {
    const auto* value = before(subject, part.steps).value;
    if (!is_nothing(value)) return value;
  }
  return nullptr;
}

}  // namespace waybill::domain
