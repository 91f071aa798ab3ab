#include "domain/filter/expression_type.hpp"

namespace waybill::domain::odata {

bool is_case_function(const Expression& e) { return e.kind == Kind::lower || e.kind == Kind::upper; }
bool is_condition(const Expression& e) { return e.kind >= Kind::contains; }

const Expression& beneath_case_functions(const Expression& e) {
  return is_case_function(e) ? beneath_case_functions(e.args[0]) : e;
}

bool is_constant(const Expression& e) { return is_literal(beneath_case_functions(e)); }

std::string described(const Expression& e) {
  if (is_condition(e)) return "the condition";
  if (is_case_function(e)) return shortened(e.text) + "()";
  return e.kind == Kind::string ? "'" + shortened(e.text) + "'" : shortened(e.text);
}

void require_text(const Expression& argument, std::string_view function) {
  const auto type = type_of(argument);
  if (type == ValueType::text || type == ValueType::any) return;
  throw SyntaxError(described(argument) + " is " + std::string(type_name(type)) + ", but " +
                        std::string(function) + " needs text",
                    argument.offset);
}

void require_condition(const Expression& operand) {
  if (type_of(operand) == ValueType::boolean) return;
  throw SyntaxError("not needs a condition in parentheses, as in not (…); found " + described(operand),
                    operand.offset);
}

ValueType type_of(const Expression& e) {
  switch (e.kind) {
    case Kind::null:
      return ValueType::null;
    case Kind::number:
      return ValueType::number;
    case Kind::timestamp:
      return ValueType::timestamp;
    case Kind::uuid:
      return ValueType::uuid;
    case Kind::field:
      return value_type(e.field->type);
    case Kind::string:
      return ValueType::text;
    case Kind::lower:
    case Kind::upper:
      require_text(e.args[0], e.text);
      return ValueType::text;
    case Kind::negation:
      require_condition(e.args[0]);
      return ValueType::boolean;
    default:
      return ValueType::boolean;
  }
}

SyntaxError mismatch(const Expression& odd, const Expression& other) {
  return {described(odd) + " is " + std::string(type_name(type_of(odd))) + ", but " + described(other) +
              " is " + std::string(type_name(type_of(other))),
          odd.offset};
}

ValueType type_beside_metadata(const Expression& metadata, const Expression& other) {
  const auto type = type_of(other);
  switch (type) {
    case ValueType::null:
      return ValueType::any;
    case ValueType::boolean:
    case ValueType::number:
    case ValueType::text:
      return type;
    case ValueType::timestamp:
    case ValueType::uuid:
      if (is_literal(other)) return ValueType::text;
      break;
    case ValueType::any:
      throw SyntaxError("two values of the metadata cannot be compared", other.offset);
    default:
      break;
  }
  throw mismatch(other, metadata);
}

ValueType common_type(const Expression& a, const Expression& b) {
  const auto type_a = type_of(a);
  const auto type_b = type_of(b);
  if (type_a == ValueType::any) return type_beside_metadata(a, b);
  if (type_b == ValueType::any) return type_beside_metadata(b, a);
  if (type_a == ValueType::list && type_b == ValueType::text && b.kind == Kind::string) return type_a;
  if (type_b == ValueType::list && type_a == ValueType::text && a.kind == Kind::string) return type_b;
  const auto reads_as = [](const Expression& e, ValueType type) {
    return e.kind == Kind::string && (type == ValueType::uuid || type == ValueType::timestamp);
  };
  if (type_a == type_b || type_b == ValueType::null || reads_as(b, type_a)) return type_a;
  if (type_a == ValueType::null || reads_as(a, type_b)) return type_b;
  throw is_literal(a) ? mismatch(a, b) : mismatch(b, a);
}

}  // namespace waybill::domain::odata
