#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>

#include "base/json.hpp"
#include "domain/records/record_type.hpp"

// The fields that the action update_record can set, with the bounds that the API has for them.
namespace waybill::actions {

struct SettableField {
  enum class Kind : std::uint8_t {
    text,
    long_text,
    name,
    tracking_number,
    email,
    timestamp,
    guid,
    money,
    web_address
  };
  domain::EntityType entity_type;
  std::string_view name;    // in the API
  std::string_view column;  // name of the table's column
  Kind kind;
};

std::span<const SettableField> settable_fields();
/// Null if a workflow cannot set the field.
const SettableField* find_settable(domain::EntityType type, std::string_view name);

/// The value of the column for a value of the API or a rendered text, or the reason that it is not valid.
/// Null and an empty text clear the field.
std::variant<json::value, std::string> column_value(const SettableField& field, const json::value& value);

}  // namespace waybill::actions
