#pragma once

#include <string>
#include <string_view>

#include "domain/filter/expression.hpp"

namespace waybill::domain::odata {

enum class ValueType { null, boolean, number, text, timestamp, uuid };

/// "a number", for messages.
std::string_view type_name(ValueType type);
/// "::numeric" and the like, which makes PostgreSQL read the parameter as this type.
std::string_view sql_cast(ValueType type);
ValueType value_type(FieldType type);

inline bool is_literal(const Expression& expression) { return expression.kind <= Kind::uuid; }

/// The literal as PostgreSQL reads it as a parameter of type `as`; a string also stands for a timestamp, a
/// date or a uuid. Throws SyntaxError when it is none, and when PostgreSQL could not hold it.
std::string literal_text(const Expression& literal, ValueType as);

/// A LIKE pattern that matches `text` itself, under PostgreSQL's default escape character.
std::string like_escaped(std::string_view text);

}  // namespace waybill::domain::odata
