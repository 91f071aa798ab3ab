#pragma once

#include <string>
#include <string_view>

#include "domain/filter/expression.hpp"

namespace waybill::domain::odata {

/// `any` is a value of the metadata: a text, a number, or true or false.
enum class ValueType { null, boolean, number, text, timestamp, uuid, any, list };

/// "a number", for messages.
std::string_view type_name(ValueType type);
/// The cast that makes PostgreSQL read a parameter as this type, such as "::numeric".
std::string_view sql_cast(ValueType type);
ValueType value_type(FieldType type);

inline bool is_literal(const Expression& expression) { return expression.kind <= Kind::uuid; }

/// The literal as text of a PostgreSQL parameter of type `as`; a string may be a timestamp, a date or a uuid.
/// Throws SyntaxError if the literal is malformed or outside PostgreSQL's range.
std::string literal_text(const Expression& literal, ValueType as);

/// A LIKE pattern that matches `text` itself, under PostgreSQL's default escape character.
std::string like_escaped(std::string_view text);

}  // namespace waybill::domain::odata
