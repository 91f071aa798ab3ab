#include "domain/filter/literal.hpp"

#include <algorithm>
#include <optional>

#include "base/clock.hpp"
#include "base/guid.hpp"
#include "base/number.hpp"
#include "domain/filter/token.hpp"

namespace waybill::domain::odata {
namespace {

// Far below the limits of PostgreSQL's numeric (131072 digits before the point, 16383 after it), far above
// any amount.
constexpr std::ptrdiff_t max_digits = 40;

bool is_within_range(std::string_view number) {
  if (number.starts_with('-') || number.starts_with('+')) number.remove_prefix(1);
  const auto e = std::min(number.find_first_of("eE"), number.size());
  std::optional<std::ptrdiff_t> exponent = 0;
  if (e < number.size()) {
    auto digits = number.substr(e + 1);
    if (digits.starts_with('+')) digits.remove_prefix(1);
    exponent = parse_number<std::ptrdiff_t>(digits);
    if (!exponent) return false;
  }
  const auto mantissa = number.substr(0, e);
  const auto point = std::min(mantissa.find('.'), mantissa.size());
  const auto whole = static_cast<std::ptrdiff_t>(point);
  const auto fraction = static_cast<std::ptrdiff_t>(mantissa.size() - point);
  return whole <= max_digits && fraction <= max_digits && std::abs(*exponent) <= max_digits;
}

std::string timestamp_text(const Expression& literal) {
  auto time = parse_timestamp(literal.text);
  if (!time) time = parse_date(literal.text);
  if (!time) throw SyntaxError(shortened(literal.text) + " is not a timestamp or date", literal.offset);
  return format_sql_timestamp(*time);
}

std::string uuid_text(const Expression& literal) {
  const auto guid = Guid::parse(literal.text);
  if (!guid) throw SyntaxError(shortened(literal.text) + " is not a uuid", literal.offset);
  return guid->to_string();
}

}  // namespace

std::string_view type_name(ValueType type) {
  switch (type) {
    case ValueType::null:
      return "null";
    case ValueType::boolean:
      return "true or false";
    case ValueType::number:
      return "a number";
    case ValueType::text:
      return "text";
    case ValueType::timestamp:
      return "a timestamp";
    case ValueType::uuid:
      return "a uuid";
    case ValueType::any:
      return "a value of the metadata";
    case ValueType::list:
      return "a list of texts";
  }
  return {};
}

std::string_view sql_cast(ValueType type) {
  switch (type) {
    case ValueType::boolean:
      return "::boolean";
    case ValueType::number:
      return "::numeric";
    case ValueType::timestamp:
      return "::timestamptz";
    case ValueType::uuid:
      return "::uuid";
    default:
      return "::text";
  }
}

ValueType value_type(FieldType type) {
  switch (type) {
    case FieldType::uuid:
      return ValueType::uuid;
    case FieldType::integer:
    case FieldType::decimal:
      return ValueType::number;
    case FieldType::boolean:
      return ValueType::boolean;
    case FieldType::timestamp:
      return ValueType::timestamp;
    case FieldType::array:
      return ValueType::list;
    case FieldType::object:
      return ValueType::any;
    default:
      return ValueType::text;
  }
}

std::string literal_text(const Expression& literal, ValueType as) {
  switch (as) {
    case ValueType::uuid:
      return uuid_text(literal);
    case ValueType::timestamp:
      return timestamp_text(literal);
    case ValueType::boolean:
      return is_keyword(literal.text, "true") ? "true" : "false";
    case ValueType::number:
      if (!is_within_range(literal.text))
        throw SyntaxError(shortened(literal.text) + " is out of range", literal.offset);
      return literal.text;
    default:
      return literal.text;
  }
}

std::string like_escaped(std::string_view text) {
  std::string pattern;
  pattern.reserve(text.size());
  for (const char c : text) {
    if (c == '%' || c == '_' || c == '\\') pattern += '\\';
    pattern += c;
  }
  return pattern;
}

}  // namespace waybill::domain::odata
