#include "api/changes.hpp"

#include "api/fields.hpp"

namespace waybill::api {
namespace {

bool is_null_at(const json::object& body, std::string_view path) {
  const auto* const value = find_path(body, path);
  return value != nullptr && value->is_null();
}

}  // namespace

json::object named_columns(const json::object& body, std::span<const ColumnOf> columns) {
  json::object changes;
  for (const auto& [path, column] : columns) {
    if (const auto* const value = find_path(body, path)) {
      changes.emplace(column, *value);
    } else if (is_null_at(body, path.substr(0, path.find('.')))) {
      changes.emplace(column, nullptr);
    }
  }
  return changes;
}

void add_relative(const json::object& body, std::string_view flat, std::string_view nested,
                  std::string_view column, json::object& changes) {
  auto guid = guid_at(body, flat);
  if (!guid) guid = guid_at(body, nested);
  const auto object = nested.substr(0, nested.find('.'));
  if (guid) {
    changes.emplace(column, *guid);
  } else if (is_null_at(body, flat) || is_null_at(body, object) || is_null_at(body, nested)) {
    changes.emplace(column, nullptr);
  }
}

void check_not_blank(const json::object& body, std::initializer_list<std::string_view> names,
                     FieldErrors& errors) {
  for (const auto name : names) {
    const auto text = text_at(body, name);
    if (text && !text->empty() && is_blank(*text)) errors.push_back({std::string(name), "must not be blank"});
  }
}

}  // namespace waybill::api
