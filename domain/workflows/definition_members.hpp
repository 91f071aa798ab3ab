#pragma once

#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include "base/error.hpp"
#include "base/json.hpp"
#include "domain/records/record_type.hpp"

namespace waybill::domain {

// The parts of reading an object in a workflow's definition. Errors name the object and its member
// ("limit.by").

/// Returns the object that a value is; null, with an error, if it is not one. Adds an error for each unknown
/// member.
const json::object* members(const json::value& value, std::string_view name,
                            std::initializer_list<std::string_view> known, FieldErrors& errors);

/// The value of a member; null if it is missing or null.
const json::value* given(const json::object& object, std::string_view member);

/// The value of a required member; null, with an error, if it is missing.
const json::value* required(const json::object& object, std::string_view name, std::string_view member,
                            FieldErrors& errors);

/// The text of a string; nullopt for null and other values.
std::optional<std::string> text_of(const json::value* value);

/// Reads the path of a record's field with a single value, by which runs are limited or events collected.
/// Adds an error for `field` if there is no such path.
std::string parse_value_path(const json::value& value, std::string_view field, const RecordType& type,
                             FieldErrors& errors);

/// The value of such a path in a record; null if the record has none.
const json::value* value_at(const json::object& entity, std::string_view path);

}  // namespace waybill::domain
