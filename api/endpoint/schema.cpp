#include "api/endpoint/schema.hpp"

#include <algorithm>
#include <cmath>
#include <string>

#include "base/blanks.hpp"
#include "base/clock.hpp"
#include "base/guid.hpp"
#include "base/joined_texts.hpp"
#include "base/number.hpp"
#include "base/utf8.hpp"
#include "domain/places/countries.hpp"
#include "domain/values/email.hpp"
#include "domain/values/hs_code.hpp"

namespace waybill::api {
namespace {

constexpr double largest_integer = 9007199254740991;  // 2^53 - 1 (RFC 8259 section 6)
constexpr double money_limit = 1e12;

bool is_number_text(std::string_view text) {
  const auto value = parse_number<double>(text);
  return value && std::isfinite(*value);
}

bool is_integer_text(std::string_view text) {
  const auto value = parse_number<std::int64_t>(text);
  return value && std::abs(static_cast<double>(*value)) <= largest_integer;
}

std::string number_text(double value) { return decimal_text(json::value(value)).value_or("?"); }

bool is_textual(Kind kind) {
  switch (kind) {
    case Kind::string:
    case Kind::code:
    case Kind::tracking_number:
    case Kind::text:
    case Kind::email:
    case Kind::hs_code:
    case Kind::country:
    case Kind::uuid:
    case Kind::timestamp:
    case Kind::date:
    case Kind::date_or_timestamp:
    case Kind::time_of_day:
    case Kind::duration:
    case Kind::one_of:
      return true;
    default:
      return false;
  }
}

/// True for kinds of which stored_text may differ from the text.
bool is_rewritten(Kind kind) {
  return kind == Kind::code || kind == Kind::tracking_number || kind == Kind::hs_code ||
         kind == Kind::country;
}

class Validator {
 public:
  Validator(FieldErrors& errors, std::size_t most_errors) : errors_(errors), most_errors_(most_errors) {}

  void check_object(const Schema& schema, json::object& object, const std::string& prefix) {
    for (const auto& entry : object) {
      if (is_full()) return;
      if (!schema.find(entry.key())) fail(prefix + std::string(entry.key()), std::string(unknown_field));
    }
    for (const auto& property : schema.properties) {
      auto* const value = object.if_contains(property.name);
      if (property.read_only) {
        if (value) object.erase(property.name);
        continue;
      }
      const auto path = prefix + std::string(property.name);
      if (!value || value->is_null()) {
        if (property.required) {
          fail(path, "is required");
        } else if (value && !property.nullable) {
          fail(path, "must not be null");
        }
        continue;
      }
      check_value(property, *value, path);
    }
  }

 private:
  /// True if no further error counts.
  bool is_full() const { return errors_.size() >= most_errors_; }

  void fail(std::string field, std::string message) {
    if (!is_full()) errors_.push_back({std::move(field), std::move(message)});
  }

  void check_value(const Property& property, json::value& value, const std::string& path) {
    if (is_textual(property.kind)) return check_text(property, value, path);
    switch (property.kind) {
      case Kind::integer:
      case Kind::number:
      case Kind::money:
        return check_number(property, value, path);
      case Kind::boolean:
        if (!value.is_bool()) fail(path, "must be true or false");
        return;
      case Kind::object:
        if (!value.is_object()) {
          fail(path, "must be an object");
        } else if (property.schema) {
          check_object(*property.schema, value.get_object(), path + ".");
        }
        return;
      case Kind::array:
        return check_array(property, value, path);
      default:
        return;
    }
  }

  void check_text(const Property& property, json::value& value, const std::string& path) {
    if (!value.is_string()) return fail(path, "must be a string");
    if (is_rewritten(property.kind)) value = stored_text(property.kind, value.get_string());
    const std::string_view text = value.get_string();
    if (property.required && is_blank(text)) return fail(path, "must not be blank");
    if (const auto problem = text_problem(property.kind, text)) return fail(path, std::string(*problem));
    const auto length = count_characters(text);
    const auto limit = length_limit(property.kind, property.max_length);
    if (length > limit) {
      return fail(path, "must have at most " + std::to_string(limit) + " characters");
    }
    if (length < property.min_length) {
      return fail(path, "must have at least " + std::to_string(property.min_length) + " characters");
    }
    if (!property.values.empty() && std::ranges::find(property.values, text) == property.values.end()) {
      fail(path, "must be one of " + joined_texts(property.values));
    }
  }

  void check_number(const Property& property, const json::value& value, const std::string& path) {
    const auto decimal = decimal_text(value);
    if (!decimal)
      return fail(path, property.kind == Kind::integer ? "must be an integer" : "must be a number");
    const double number = value.to_number<double>();
    if (property.kind == Kind::integer &&
        (decimal_places(*decimal) != 0 || std::abs(number) > largest_integer)) {
      return fail(path, "must be an integer");
    }
    auto minimum = property.minimum;
    if (property.kind == Kind::money) {
      if (decimal_places(*decimal) > 2) return fail(path, "must have at most two decimals");
      if (std::abs(number) >= money_limit) return fail(path, "must be below 1000000000000");
      minimum = minimum.value_or(0);
    }
    if (minimum && number < *minimum) {
      fail(path, "must be at least " + number_text(*minimum));
    } else if (property.maximum && number > *property.maximum) {
      fail(path, "must be at most " + number_text(*property.maximum));
    }
  }

  void check_array(const Property& property, json::value& value, const std::string& path) {
    if (!value.is_array()) return fail(path, "must be an array");
    auto& entries = value.get_array();
    const auto limit = length_limit(Kind::array, property.max_length);
    if (entries.size() > limit) {
      entries.resize(limit);  // so that further checks of this refused body end soon
      return fail(path, "must have at most " + std::to_string(limit) + " entries");
    }
    const auto least = std::max<std::size_t>(property.min_length, property.required ? 1 : 0);
    if (entries.size() < least) {
      return fail(path, "must have at least " + std::to_string(least) + (least == 1 ? " entry" : " entries"));
    }
    const Property element{.name = property.name,
                           .kind = property.schema ? Kind::object : property.items,
                           .max_length = property.max_entry,
                           .minimum = property.minimum,
                           .maximum = property.maximum,
                           .schema = property.schema,
                           .values = property.values};
    for (std::size_t index = 0; index < entries.size() && !is_full(); ++index) {
      const auto entry_path = path + "[" + std::to_string(index) + "]";
      if (entries[index].is_null() && element.kind != Kind::any) {
        fail(entry_path, "must not be null");
      } else {
        check_value(element, entries[index], entry_path);
      }
    }
  }

  FieldErrors& errors_;
  const std::size_t most_errors_;
};

}  // namespace

std::size_t length_limit(Kind kind, std::size_t max_length) {
  if (max_length != 0) return max_length;
  if (kind == Kind::text) return default_text_length;
  return kind == Kind::array ? default_array_length : default_string_length;
}

std::string stored_text(Kind kind, std::string_view text) {
  if (is_blank(text)) return std::string(text);
  if (kind == Kind::code) return single_spaced(text);
  if (kind == Kind::tracking_number) return without_blanks(text);
  if (kind == Kind::hs_code) return domain::hs_code(text).value_or(std::string(text));
  const auto* const country = kind == Kind::country ? domain::country_of(text) : nullptr;
  return std::string(country == nullptr ? text : country->code);
}

std::optional<std::string_view> text_problem(Kind kind, std::string_view text) {
  const auto unless = [](bool is_valid, std::string_view problem) -> std::optional<std::string_view> {
    return is_valid ? std::nullopt : std::optional(problem);
  };
  switch (kind) {
    case Kind::email:
      return domain::email_problem(text);
    case Kind::hs_code:
      return unless(domain::hs_code(text).has_value(), "must have 6 to 10 digits, such as 9405.21");
    case Kind::country:
      return unless(domain::country_of(text) != nullptr, "must be a country such as PT");
    case Kind::uuid:
      return unless(Guid::parse(text).has_value(), "must be a uuid");
    case Kind::integer:
      return unless(is_integer_text(text), "must be an integer");
    case Kind::number:
    case Kind::money:
      return unless(is_number_text(text), "must be a number");
    case Kind::boolean:
      return unless(text == "true" || text == "false", "must be true or false");
    case Kind::timestamp:
      return unless(parse_timestamp(text).has_value(), "must be a timestamp such as 2026-11-20T05:45:12Z");
    case Kind::date:
      return unless(parse_date(text).has_value(), "must be a date such as 2026-11-20");
    case Kind::date_or_timestamp:
      return unless(parse_date(text).has_value() || parse_timestamp(text).has_value(),
                    "must be a date or a timestamp such as 2026-11-20 or 2026-11-20T05:45:12Z");
    case Kind::time_of_day:
      return unless(is_time_of_day(text), "must be a time of day such as 08:30");
    case Kind::duration: {
      static const std::string problem =
          "must be an ISO 8601 duration of weeks, days, hours, minutes and seconds, such as PT2H, of at "
          "most " +
          std::string(longest_duration_text);
      return unless(parse_duration(text).has_value(), problem);
    }
    default:
      return std::nullopt;
  }
}

const Property* Schema::find(std::string_view property) const {
  const auto found = std::ranges::find(properties, property, &Property::name);
  return found == properties.end() ? nullptr : &*found;
}

void validate(const Schema& schema, json::object& body, FieldErrors& errors, std::string_view prefix,
              std::size_t most_errors) {
  Validator(errors, most_errors).check_object(schema, body, std::string(prefix));
}

}  // namespace waybill::api
