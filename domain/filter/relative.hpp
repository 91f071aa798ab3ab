#pragma once

#include <string>
#include <string_view>

#include "domain/records/record_type.hpp"

namespace waybill::domain::odata {

/// SQL over the tables of relatives, which stand under the alias `x`. All of it comes from the field tables.

/// A relative's value, or a computed one, as a value of the row `r`; null when there is no such relative.
std::string relative_value(const Field& field);

/// True for the rows whose relative meets `predicate` (over `x`). `semi_join` is the form the planner can
/// turn into a join; the other one is computed once beforehand, which lets an index on the key serve it
/// beneath OR, where a join is impossible. `business` is the SQL of the business's guid.
std::string relative_meets(const Field& field, std::string_view predicate, std::string_view business,
                           bool semi_join);

/// Whether the column is part of its table's `search_text`: the searchable own fields in lower case.
bool is_in_search_text(std::string_view table, std::string_view column);

}  // namespace waybill::domain::odata
