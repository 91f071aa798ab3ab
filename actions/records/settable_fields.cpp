#include "actions/records/settable_fields.hpp"

#include <algorithm>

#include "base/blanks.hpp"
#include "base/clock.hpp"
#include "base/guid.hpp"
#include "base/number.hpp"
#include "base/utf8.hpp"
#include "domain/email.hpp"
#include "domain/web_address.hpp"

namespace waybill::actions {
namespace {

using enum domain::EntityType;
using Kind = SettableField::Kind;

constexpr SettableField fields[] = {
    {order, "carrierId", "carrier_id", Kind::guid},
    {order, "serviceLevel", "service_level", Kind::text},
    {order, "collectionDate", "collection_date", Kind::timestamp},
    {order, "notes", "notes", Kind::long_text},
    {order, "externalReference", "external_reference", Kind::text},
    {shipment, "instructions", "instructions", Kind::long_text},
    {shipment, "collectionDate", "collection_date", Kind::timestamp},
    {shipment, "deliveryDate", "estimated_delivery", Kind::timestamp},
    {shipment, "carrierTrackingNumber", "carrier_tracking_number", Kind::tracking_number},
    {shipment, "carrierTrackingUrl", "carrier_tracking_url", Kind::web_address},
    {shipment, "externalReference", "external_reference", Kind::text},
    {customer, "name", "name", Kind::name},
    {customer, "company", "company", Kind::text},
    {customer, "email", "email", Kind::email},
    {customer, "phone", "phone", Kind::text},
    {customer, "externalReference", "external_reference", Kind::text},
    {product, "name", "name", Kind::name},
    {product, "description", "description", Kind::long_text},
    {product, "price", "price", Kind::money},
    {product, "cost", "cost", Kind::money},
    {product, "externalReference", "external_reference", Kind::text},
};

constexpr std::size_t longest_text = 200;
constexpr std::size_t longest_long_text = 10'000;

std::size_t longest(Kind kind) {
  if (kind == Kind::long_text) return longest_long_text;
  if (kind == Kind::email) return domain::longest_email;
  return kind == Kind::web_address ? domain::longest_web_address : longest_text;
}

/// The amount as text of a decimal number.
std::variant<json::value, std::string> money_value(const json::value& value) {
  constexpr double limit = 1e12;
  std::optional<std::string> text;
  if (value.is_number()) {
    text = decimal_text(value);
  } else if (const auto* const given = value.if_string()) {
    const auto parsed = parse_json(*given);
    const auto* const number = std::get_if<json::value>(&parsed);
    if (number != nullptr && number->is_number()) text = decimal_text(*number);
  }
  if (!text) return std::string("must be a number");
  if (decimal_places(*text) > 2) return std::string("must have at most two decimals");
  const double amount = parse_number<double>(*text).value_or(-1);
  if (amount < 0) return std::string("must be at least 0");
  if (amount >= limit) return std::string("must be below 1000000000000");
  return json::value(*text);
}

std::optional<std::string> text_problem(Kind kind, std::string_view text) {
  switch (kind) {
    case Kind::name:
    case Kind::tracking_number:
      if (is_blank(text)) return "must not be blank";
      break;
    case Kind::email:
      if (!domain::is_email(text)) return "must be an e-mail address";
      break;
    case Kind::timestamp:
      if (!parse_timestamp(text)) return "must be a timestamp such as 2026-11-20T05:45:12Z";
      break;
    case Kind::guid:
      if (!Guid::parse(text)) return "must be a uuid";
      break;
    case Kind::web_address:
      if (const auto problem = domain::web_address_problem(text)) return std::string(*problem);
      break;
    default:
      break;
  }
  if (text.find('\0') != std::string_view::npos) return "must not contain NUL";
  if (count_characters(text) > longest(kind))
    return "must have at most " + std::to_string(longest(kind)) + " characters";
  return std::nullopt;
}

}  // namespace

std::span<const SettableField> settable_fields() { return fields; }

const SettableField* find_settable(domain::EntityType type, std::string_view name) {
  for (const SettableField& field : fields) {
    if (field.entity_type == type && field.name == name) return &field;
  }
  return nullptr;
}

std::variant<json::value, std::string> column_value(const SettableField& field, const json::value& value) {
  const auto* const text = value.if_string();
  if (value.is_null() || (text != nullptr && text->empty() && field.kind != Kind::name)) {
    if (field.kind == Kind::name) return std::string("must not be null");
    return json::value();
  }
  if (field.kind == Kind::money) return money_value(value);
  if (text == nullptr) return std::string("must be a string");
  const std::string stored = field.kind == Kind::tracking_number ? without_blanks(*text) : std::string(*text);
  if (auto problem = text_problem(field.kind, stored)) return std::move(*problem);
  if (field.kind == Kind::timestamp) return json::value(format_timestamp(*parse_timestamp(stored)));
  return json::value(stored);
}

}  // namespace waybill::actions
