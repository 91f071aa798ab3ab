#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "base/json.hpp"
#include "domain/records/record_type.hpp"

// The fields that the action update_record can set, with the bounds that the API has for them.
namespace waybill::actions {

/// The fields of a type whose column has a name in the action (domain::Column::settable_as).
std::span<const domain::Field* const> settable_fields(domain::EntityType type);
/// Null if a workflow cannot set the field.
const domain::Field* find_settable(domain::EntityType type, std::string_view name);

/// The value of the column for a value of the API or a rendered text, or the reason that it is not valid.
/// Null and an empty text clear the field.
std::variant<json::value, std::string> column_value(const domain::Field& field, const json::value& value);

}  // namespace waybill::actions
