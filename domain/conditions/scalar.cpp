#include "domain/conditions/scalar.hpp"

#include "base/exact_number.hpp"

namespace waybill::domain {
namespace {

Scalar text_scalar(std::string_view text, FieldType type) {
  if (type == FieldType::uuid) {
    if (const auto guid = Guid::parse(text)) return *guid;
  }
  if (type == FieldType::timestamp) {
    if (const auto time = parse_timestamp(text)) return *time;
    if (const auto date = parse_date(text)) return *date;
  }
  return text;
}

}  // namespace

Scalar to_scalar(const json::value* value, FieldType type) {
  if (value == nullptr) return std::monostate{};
  switch (value->kind()) {
    case json::kind::null:
      return std::monostate{};
    case json::kind::bool_:
      return value->get_bool();
    case json::kind::int64:
      return static_cast<long double>(value->get_int64());
    case json::kind::uint64:
      return static_cast<long double>(value->get_uint64());
    case json::kind::double_:
      return static_cast<long double>(value->get_double());
    case json::kind::string:
      if (const auto number = exact_number(*value)) return static_cast<long double>(nearest_double(*number));
      return text_scalar(value->get_string(), type);
    case json::kind::array:
      if (value->get_array().empty()) return std::monostate{};
      return Something{};
    case json::kind::object:
      return Something{};
  }
  return std::monostate{};
}

}  // namespace waybill::domain
