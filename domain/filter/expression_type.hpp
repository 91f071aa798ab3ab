#pragma once

#include <string>
#include <string_view>

#include "domain/filter/expression.hpp"
#include "domain/filter/literal.hpp"
#include "domain/filter/token.hpp"

namespace waybill::domain::odata {

bool is_case_function(const Expression& e);
bool is_condition(const Expression& e);
const Expression& beneath_case_functions(const Expression& e);
/// True for a literal, also beneath case functions.
bool is_constant(const Expression& e);

/// Names an expression in messages.
std::string described(const Expression& e);

/// Throws SyntaxError if the argument of a case function is not text or that of `not` is not a condition.
ValueType type_of(const Expression& e);

/// Throws SyntaxError if the argument is not text.
void require_text(const Expression& argument, std::string_view function);

/// Throws SyntaxError if the operand of `not` is not a condition.
void require_condition(const Expression& operand);

/// The error for the value `odd`, which has another type than `other`.
SyntaxError mismatch(const Expression& odd, const Expression& other);

/// The type in which a value of the metadata is compared with `other`. Throws SyntaxError.
ValueType type_beside_metadata(const Expression& metadata, const Expression& other);

/// The type in which two values are compared. Only a literal string is read as another type. Throws
/// SyntaxError.
ValueType common_type(const Expression& a, const Expression& b);

}  // namespace waybill::domain::odata
