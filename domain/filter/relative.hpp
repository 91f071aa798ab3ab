#pragma once

#include <string>
#include <string_view>

#include "domain/records/record_type.hpp"

namespace waybill::domain::odata {

/// SQL over the tables of relatives, under the alias `x`. All names in it come from the field tables.

/// The value of a relative for the row `r`; SQL null if there is no such relative.
std::string relative_value(const Relative& relative);

/// A condition that is true for rows whose relative meets `predicate` (over `x`). With `semi_join`, the
/// planner can turn it into a join. Without, the relatives are found once beforehand; this is for conditions
/// under OR, where no join is possible, and uses the index on the key. `business` is the SQL of the
/// business's guid.
std::string relative_meets(const Relative& relative, std::string_view predicate, std::string_view business,
                           bool semi_join);

/// The value of a field for the row `r`.
std::string value_of(const Field& field);

/// The SQL function of a row of the table whose text contains this column in lower case, among others
/// ("search_text"); empty if there is none.
std::string_view search_text_with(std::string_view table, std::string_view column);

}  // namespace waybill::domain::odata
