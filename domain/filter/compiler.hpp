#pragma once

#include <string_view>

#include "domain/filter/expression.hpp"
#include "domain/filter/filter.hpp"

namespace waybill::domain::odata {

/// Checks the types of a parsed `$filter` and writes it as SQL. Throws SyntaxError.
SqlFragment compile_expression(const Expression& expression, const RecordType& type, int first_param,
                               std::string_view business);

}  // namespace waybill::domain::odata
