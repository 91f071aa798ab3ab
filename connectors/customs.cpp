#include "connectors/customs.hpp"

#include <cmath>
#include <string>
#include <utility>
#include <variant>

#include "base/blanks.hpp"
#include "base/exact_number.hpp"
#include "base/json.hpp"
#include "domain/places/countries.hpp"
#include "domain/values/hs_code.hpp"
#include "domain/values/metric.hpp"

namespace waybill::connectors {
namespace {

constexpr double most_pieces = 1e9;
constexpr double value_limit = 1e12;  // as in the API

json::value json_of(std::string_view text) {
  if (text.empty()) return {};
  constexpr std::size_t deepest = 128;
  auto parsed = parse_exact_json(text, deepest);
  auto* const value = std::get_if<json::value>(&parsed);
  return value == nullptr ? json::value() : std::move(*value);
}

/// The member at one or two names; null if it is missing or JSON null.
const json::value* at(const json::value& value, std::string_view name, std::string_view within = {}) {
  const json::value* const found = value.is_object() ? find_member(value, name) : nullptr;
  if (found == nullptr || found->is_null()) return nullptr;
  return within.empty() ? found : at(*found, within);
}

std::string text_at(const json::value& value, std::string_view name) {
  const json::value* const found = at(value, name);
  const auto* const text = found == nullptr ? nullptr : found->if_string();
  return text == nullptr ? std::string() : std::string(without_outer_blanks(*text));
}

const json::array& list_in(const json::value* value) {
  static const json::array none;
  return value != nullptr && value->is_array() ? value->get_array() : none;
}

/// An item of an order in the shape of one of the shipment's `customs`.
json::value declared(const json::value& good, const CustomsSource& source) {
  static const json::value none;
  const json::value* const found_item = at(good, "item");
  const json::value* const found_product = at(good, "product");
  const json::value& item = found_item == nullptr ? none : *found_item;
  const json::value& product = found_product == nullptr ? none : *found_product;
  const auto first = [](std::initializer_list<const json::value*> values) {
    for (const json::value* const value : values)
      if (value != nullptr) return *value;
    return json::value();
  };
  const bool is_home = source.order_currency == source.home_currency;
  return {{"description", first({at(item, "description")})},
          {"quantity", first({at(item, "quantity")})},
          {"value", first({at(item, "customsValue"), is_home ? at(product, "customsValue") : nullptr,
                           at(item, "price")})},
          {"weight", first({at(item, "dimensions", "weight"), at(product, "weight")})},
          {"hsCode", first({at(item, "hsCode"), at(product, "hsCode")})},
          {"originCountry", first({at(item, "originCountry"), at(product, "originCountry")})}};
}

/// Reads one item and adds the errors of its parts.
class ItemReader {
 public:
  ItemReader(const CustomsSource& source, std::string_view contents, FieldErrors& errors)
      : source_(source),
        is_commercial_(contents == "merchandise" || contents == "return_merchandise"),
        errors_(errors) {}

  CustomsItem read(const json::value& item, std::size_t index) {
    prefix_ = "customs.items[" + std::to_string(index) + "].";
    CustomsItem read;
    read.description = text_at(item, "description");
    if (read.description.empty()) fail("description", "is required by customs");
    read.quantity = quantity(item);
    read.value = value(item);
    read.currency = text_at(item, "currency");
    if (read.currency.empty())
      read.currency = source_.order_currency.empty() ? source_.home_currency : source_.order_currency;
    read.weight = weight(item);
    read.hs_code = hs_code(item);
    read.origin_country = origin_country(item);
    return read;
  }

 private:
  void fail(std::string_view part, std::string message) {
    errors_.push_back({prefix_ + std::string(part), std::move(message)});
  }

  static std::optional<double> number_at(const json::value& item, std::string_view name) {
    const json::value* const found = at(item, name);
    return found == nullptr ? std::nullopt : as_double(*found);
  }

  std::int64_t quantity(const json::value& item) {
    const auto number = number_at(item, "quantity");
    if (number && *number >= 1 && *number <= most_pieces && std::floor(*number) == *number)
      return static_cast<std::int64_t>(*number);
    fail("quantity", "must be a number of pieces");
    return 1;
  }

  std::string value(const json::value& item) {
    const auto number = number_at(item, "value");
    if (!number) {
      fail("value", "is required by customs");
    } else if (*number <= 0) {
      fail("value", "must be above 0: customs need the value of goods that cost nothing, too");
    } else if (*number >= value_limit) {
      fail("value", "must be below 1000000000000");
    } else {
      return decimal_text(json::value(*number)).value_or("");
    }
    return {};
  }

  std::string weight(const json::value& item) {
    constexpr int decimals = 6;  // a light piece must not weigh nothing
    const auto number = number_at(item, "weight");
    const auto weight = number ? domain::metric(*number, source_.weight_unit, decimals) : std::nullopt;
    if (!weight) fail("weight", "is required by customs and must be above 0");
    return weight.value_or("");
  }

  std::string hs_code(const json::value& item) {
    const std::string text = text_at(item, "hsCode");
    const auto code = domain::hs_code(text);
    if (!code && !text.empty()) fail("hsCode", "must have 6 to 10 digits");
    if (text.empty() && is_commercial_) fail("hsCode", "is required by customs");
    return code.value_or("");
  }

  std::string origin_country(const json::value& item) {
    const std::string text = text_at(item, "originCountry");
    const auto* const country = text.empty() ? nullptr : domain::country_of(text);
    if (country == nullptr && !text.empty()) fail("originCountry", "is not a known country");
    if (text.empty() && is_commercial_) fail("originCountry", "is required by customs");
    return country == nullptr ? std::string() : std::string(country->code);
  }

  const CustomsSource& source_;
  const bool is_commercial_;
  FieldErrors& errors_;
  std::string prefix_;
};

}  // namespace

bool has_customs_items(const CustomsSource& source) {
  const json::value given = json_of(source.given);
  return !list_in(at(given, "items")).empty();
}

std::optional<CustomsData> customs_of(const CustomsSource& source, FieldErrors& errors) {
  const json::value given = json_of(source.given);
  CustomsData customs{
      .contents = text_at(given, "contents"), .incoterm = text_at(given, "incoterm"), .items = {}};
  if (customs.contents.empty()) customs.contents = source.is_return ? "return_merchandise" : "merchandise";
  ItemReader reader(source, customs.contents, errors);
  const auto add = [&](const json::value& item) {
    if (errors.size() < most_field_errors) customs.items.push_back(reader.read(item, customs.items.size()));
  };
  const json::array& items = list_in(at(given, "items"));
  for (const json::value& item : items) add(item);
  if (items.empty()) {
    const json::value goods = json_of(source.goods);
    for (const json::value& good : list_in(&goods)) add(declared(good, source));
  }
  if (!customs.items.empty()) return customs;
  errors.push_back({"customs", "needs items: the shipment goes to another customs territory"});
  return std::nullopt;
}

}  // namespace waybill::connectors
