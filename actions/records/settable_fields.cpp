#include "actions/records/settable_fields.hpp"

#include <array>
#include <vector>

#include "base/blanks.hpp"
#include "base/clock.hpp"
#include "base/guid.hpp"
#include "base/number.hpp"
#include "base/utf8.hpp"
#include "domain/values/email.hpp"
#include "domain/values/web_address.hpp"

namespace waybill::actions {
namespace {

using domain::Column;
using domain::Field;
using domain::FieldType;
using domain::Form;
using Fields = std::vector<const Field*>;

constexpr std::size_t longest_text = 200;
constexpr std::size_t longest_long_text = 10'000;

std::size_t longest(Form form) {
  if (form == Form::text) return longest_long_text;
  if (form == Form::email) return domain::longest_email;
  return form == Form::web_address ? domain::longest_web_address : longest_text;
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

std::optional<std::string> text_problem(const Field& field, std::string_view text) {
  const Column& column = *field.column();
  if (field.type == FieldType::timestamp && !parse_timestamp(text))
    return "must be a timestamp such as 2026-11-20T05:45:12Z";
  if (field.type == FieldType::uuid && !Guid::parse(text)) return "must be a uuid";
  if ((column.is_required || column.form == Form::tracking_number) && is_blank(text))
    return "must not be blank";
  if (column.form == Form::email) {
    if (const auto problem = domain::email_problem(text)) return std::string(*problem);
  }
  if (column.form == Form::web_address) {
    if (const auto problem = domain::web_address_problem(text)) return std::string(*problem);
  }
  if (text.find('\0') != std::string_view::npos) return "must not contain NUL";
  if (count_characters(text) > longest(column.form))
    return "must have at most " + std::to_string(longest(column.form)) + " characters";
  return std::nullopt;
}

Fields find_fields(const domain::RecordType& type) {
  Fields fields;
  for (const Field& field : type.fields)
    if (field.column() != nullptr && !field.column()->settable_as.empty()) fields.push_back(&field);
  return fields;
}

}  // namespace

std::span<const Field* const> settable_fields(domain::EntityType type) {
  static const auto all = [] {
    std::array<Fields, domain::entity_type_count> lists;
    for (const auto& each : domain::record_types())
      lists.at(static_cast<std::size_t>(each.type)) = find_fields(each);
    return lists;
  }();
  return all.at(static_cast<std::size_t>(type));
}

const Field* find_settable(domain::EntityType type, std::string_view name) {
  for (const Field* const field : settable_fields(type))
    if (field->column()->settable_as == name) return field;
  return nullptr;
}

std::variant<json::value, std::string> column_value(const Field& field, const json::value& value) {
  const Column& column = *field.column();
  const auto* const text = value.if_string();
  if (value.is_null() || (text != nullptr && text->empty() && !column.is_required)) {
    if (column.is_required) return std::string("must not be null");
    return json::value();
  }
  if (column.form == Form::money) return money_value(value);
  if (text == nullptr) return std::string("must be a string");
  const std::string stored = column.form == Form::tracking_number ? without_blanks(*text)
                             : column.form == Form::code          ? single_spaced(*text)
                                                                  : std::string(*text);
  if (auto problem = text_problem(field, stored)) return std::move(*problem);
  if (field.type == FieldType::timestamp) return json::value(format_timestamp(*parse_timestamp(stored)));
  return json::value(stored);
}

}  // namespace waybill::actions
