#pragma once

#include <optional>
#include <string_view>

#include "domain/filter/expression.hpp"

namespace waybill::domain::odata {

/// True for texts whose column has an index (storage/migrations/); other texts, and all texts in lower case,
/// are found by the index on search_text.
bool has_own_index(const Expression& e);

/// See SqlFragment::sole_column.
std::string_view sole_column(const Expression& e);

/// See SqlFragment::is_of_status. A constant has no status.
bool is_of_status(const Expression& e);

/// The expression that is true for exactly the other rows, where a rule of `ne` or `not` tells; otherwise
/// nullopt.
std::optional<Expression> complement_of(const Expression& e);

/// True for a field of the users' own data: the tags, the metadata, the external reference.
bool is_own_data(const Expression& e);

/// See SqlFragment::has_own_data.
bool has_own_data(const Expression& e);

}  // namespace waybill::domain::odata
