#pragma once

#include <string>

#include "domain/records/record_type.hpp"

namespace waybill::api {

/// The total of the records of a business (`$1`) that have a value of own data, in SQL: the kept total with
/// the changes that are not folded yet, or `count` for a value without one. `value` is the own_value of
/// domain::SqlFragment. See docs/decisions/0100-totals-of-own-data.md. Pure.
std::string kept_total(domain::EntityType type, const std::string& value, const std::string& count);

/// A condition on the record `r`, in SQL, that is true for all records with the value, because none of them
/// was created later. Without a kept total it is true for all records. Pure.
std::string up_to_newest(domain::EntityType type, const std::string& value);

}  // namespace waybill::api
