#pragma once

#include <string_view>
#include <variant>

#include "base/clock.hpp"
#include "base/guid.hpp"
#include "base/json.hpp"
#include "domain/records/record_type.hpp"

namespace waybill::domain {

/// Stands for any object or non-empty list, which can only be compared with null.
struct Something {
  auto operator<=>(const Something&) const = default;
};

/// A JSON value in comparable form: numbers by value (a long double holds every number of JSON's three kinds
/// exactly; one with more digits, base/exact_number.hpp, is compared as a double), timestamps as instants,
/// uuids without case. Text points into the JSON value.
using Scalar = std::variant<std::monostate, bool, long double, std::string_view, Guid, Time, Something>;

/// `value` as a value of a field of this type; a null pointer is null. Text that is not a uuid or timestamp
/// stays text. A date is a timestamp at its midnight UTC.
Scalar to_scalar(const json::value* value, FieldType type);

}  // namespace waybill::domain
