#include "actions/answer.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "base/clock.hpp"
#include "base/exact_number.hpp"
#include "base/utf8.hpp"

namespace waybill::actions {
namespace {

constexpr std::size_t max_path_characters = 200;

constexpr std::array<std::pair<std::string_view, AnswerType>, 7> types{{{"string", AnswerType::string},
                                                                        {"number", AnswerType::number},
                                                                        {"boolean", AnswerType::boolean},
                                                                        {"timestamp", AnswerType::timestamp},
                                                                        {"array", AnswerType::array},
                                                                        {"object", AnswerType::object},
                                                                        {"any", AnswerType::any}}};

std::string_view name_of(AnswerType type) {
  return std::ranges::find(types, type, &std::pair<std::string_view, AnswerType>::second)->first;
}

bool holds_values(AnswerType type) {
  return type == AnswerType::array || type == AnswerType::object || type == AnswerType::any;
}

std::optional<AnswerField> parse_field(std::string_view path, const json::value& type) {
  const auto* const text = type.if_string();
  if (text == nullptr) return std::nullopt;
  std::string_view name = *text;
  const bool optional = name.ends_with('?');
  if (optional) name.remove_suffix(1);
  const auto found = std::ranges::find(types, name, &std::pair<std::string_view, AnswerType>::first);
  if (found == types.end()) return std::nullopt;
  return AnswerField{.path = std::string(path), .type = found->second, .optional = optional};
}

/// The declared field that contains `field`; null if there is none.
const AnswerField* container_of(const std::vector<AnswerField>& fields, const AnswerField& field) {
  const auto found = std::ranges::find_if(fields, [&](const AnswerField& other) {
    return field.path.size() > other.path.size() && field.path.starts_with(other.path) &&
           field.path[other.path.size()] == '.';
  });
  return found == fields.end() ? nullptr : &*found;
}

bool is_of_type(const json::value& value, AnswerType type) {
  switch (type) {
    case AnswerType::string:
      return value.is_string() && !exact_number(value);
    case AnswerType::number:
      return value.is_number() || exact_number(value);
    case AnswerType::boolean:
      return value.is_bool();
    case AnswerType::timestamp:
      return value.is_string() && (parse_timestamp(value.get_string()) || parse_date(value.get_string()));
    case AnswerType::array:
      return value.is_array();
    case AnswerType::object:
      return value.is_object();
    case AnswerType::any:
      return true;
  }
  return false;
}

/// The value at a path of an answer, which may be a list; null if there is none.
const json::value* value_at(const json::value& answer, std::string_view path) {
  const std::size_t dot = path.find('.');
  const json::value* value = find_member(answer, path.substr(0, dot));
  if (value == nullptr || dot == std::string_view::npos) return value;
  return value_at(*value, path.substr(dot + 1));
}

/// The first number in a value that cannot be kept by its characters: it is too long, or conditions, which
/// compare doubles, would take it for zero or infinity. Empty if there is none.
std::string_view unkept_number(const json::value& value) {
  if (const auto number = exact_number(value)) {
    const double nearest = nearest_double(*number);
    const bool is_kept = number->size() <= max_number_characters && nearest != 0 && std::isfinite(nearest);
    return is_kept ? std::string_view() : *number;
  }
  std::string_view unkept;
  if (const auto* const object = value.if_object()) {
    for (const auto& member : *object)
      if (unkept.empty()) unkept = unkept_number(member.value());
  } else if (const auto* const list = value.if_array()) {
    for (const json::value& element : *list)
      if (unkept.empty()) unkept = unkept_number(element);
  }
  return unkept;
}

bool holds_nul(const json::value& value) {
  if (const auto* const text = value.if_string()) return text->find('\0') != json::string::npos;
  if (const auto* const object = value.if_object())
    return std::ranges::any_of(*object, [](const auto& member) { return holds_nul(member.value()); });
  const auto* const list = value.if_array();
  return list != nullptr && std::ranges::any_of(*list, holds_nul);
}

/// The reason that a declared value cannot be kept as the answer has it; empty if all can.
std::string unkept_value(const std::vector<AnswerField>& fields, const json::value& answer) {
  constexpr std::size_t shown = 40;
  for (const AnswerField& field : fields) {
    const json::value* const value = value_at(answer, field.path);
    if (value == nullptr) continue;
    if (holds_nul(*value)) return "The text at " + field.path + " has a NUL character.";
    if (const auto number = unkept_number(*value); !number.empty())
      return "The number at " + field.path +
             " cannot be kept exactly: " + std::string(number.substr(0, shown)) +
             (number.size() > shown ? "…" : "") + ".";
  }
  return {};
}

}  // namespace

bool is_answer_path(std::string_view path) {
  if (path.empty() || path.front() == '.' || path.back() == '.' || path.find("..") != std::string_view::npos)
    return false;
  const auto dots = static_cast<std::size_t>(std::ranges::count(path, '.'));
  return dots < max_answer_depth && count_characters(path) <= max_path_characters &&
         std::ranges::none_of(
             path, [](char c) { return (c >= 0 && c <= ' ') || c == '\x7f' || c == '{' || c == '}'; });
}

void check_answer(const json::value& given, const std::string& field, FieldErrors& errors) {
  const auto* const object = given.if_object();
  if (object == nullptr || object->empty() || object->size() > max_answer_fields) {
    errors.push_back({field, "must be an object of 1 to 30 paths with their types"});
    return;
  }
  std::vector<AnswerField> fields;
  for (const auto& [path, type] : *object) {
    const std::string place = field + "." + std::string(path);
    if (!is_answer_path(path)) {
      errors.push_back({place, "must be a path: up to 30 names and positions of elements, joined by dots"});
    } else if (auto parsed = parse_field(path, type)) {
      fields.push_back(std::move(*parsed));
    } else {
      errors.push_back(
          {place,
           "must be one of string, number, boolean, timestamp, array, object, any; with ? if it may be "
           "absent or null"});
    }
  }
  for (const AnswerField& each : fields) {
    const AnswerField* const container = container_of(fields, each);
    if (container != nullptr && !holds_values(container->type))
      errors.push_back({field + "." + each.path, "is inside " + container->path + ", which is a " +
                                                     std::string(name_of(container->type))});
  }
}

std::vector<AnswerField> parse_answer(const json::value& stored) {
  const auto* const object = stored.if_object();
  if (object == nullptr) throw std::invalid_argument("unreadable answer of a step");
  std::vector<AnswerField> fields;
  for (const auto& [path, type] : *object) {
    auto field = parse_field(path, type);
    if (!field) throw std::invalid_argument("unreadable type in the answer of a step");
    fields.push_back(std::move(*field));
  }
  return fields;
}

std::variant<json::object, std::string> declared_values(const std::vector<AnswerField>& fields,
                                                        const json::value& answer) {
  json::object values;
  for (const AnswerField& field : fields) {
    const json::value* const value = value_at(answer, field.path);
    const bool is_absent = value == nullptr || value->is_null();
    if (is_absent ? !field.optional : !is_of_type(*value, field.type)) {
      const bool is_any = field.type == AnswerType::any;
      return "The answer has no " + (is_any ? "value" : std::string(name_of(field.type))) + " at " +
             field.path + ".";
    }
    if (container_of(fields, field) == nullptr)
      put_path(values, field.path, is_absent ? json::value() : *value);
  }
  if (is_nested_deeper(values, max_answer_depth))
    return "The declared values are nested deeper than " + std::to_string(max_answer_depth) + ".";
  return values;
}

std::variant<json::object, std::string> read_answer(const std::vector<AnswerField>& fields,
                                                    std::string_view body) {
  constexpr std::string_view byte_order_mark = "\ufeff";
  if (body.starts_with(byte_order_mark)) body.remove_prefix(byte_order_mark.size());
  constexpr std::size_t max_depth = 32;
  const auto parsed = parse_exact_json(body, max_depth, {}, BadValues::keep);
  if (const auto* const error = std::get_if<JsonError>(&parsed))
    return "The answer is not JSON: " + error->message + ".";
  const auto& answer = std::get<json::value>(parsed);
  auto values = declared_values(fields, answer);
  if (std::holds_alternative<std::string>(values)) return values;
  if (auto reason = unkept_value(fields, answer); !reason.empty()) return reason;
  return values;
}

}  // namespace waybill::actions
