#include "api/shipments/shipment_customs.hpp"

#include <span>

#include "api/records/fields.hpp"
#include "domain/values/currency.hpp"
#include "domain/values/customs_terms.hpp"

namespace waybill::api {
namespace {

constexpr Property customs_item_properties[] = {
    {.name = "description", .kind = Kind::text},
    {.name = "quantity", .kind = Kind::integer, .minimum = 1, .maximum = 1e9},
    {.name = "value", .kind = Kind::money, .description = "The value of one."},
    {.name = "currency",
     .kind = Kind::string,
     .description = "An ISO 4217 code. Default: the currency of the order, or of the business."},
    {.name = "weight",
     .kind = Kind::number,
     .minimum = 0,
     .maximum = 1e9,
     .description = "The weight of one, in the weight unit of the products."},
    {.name = "hsCode",
     .kind = Kind::hs_code,
     .description = "The number in the customs tariff. Dots and blanks are removed."},
    {.name = "originCountry",
     .kind = Kind::country,
     .description = "The country of origin, as ISO 3166-1 alpha-2."},
};
constexpr Schema customs_item_schema{"CustomsItem", customs_item_properties};
constexpr Property customs_properties[] = {
    {.name = "contents",
     .kind = Kind::one_of,
     .values = domain::customs_contents,
     .description = "Null: merchandise, or return_merchandise for a return."},
    {.name = "incoterm",
     .kind = Kind::one_of,
     .values = domain::incoterms,
     .description = "A rule of Incoterms 2020. With DDP the sender pays the duties."},
    {.name = "items",
     .kind = Kind::array,
     .schema = &customs_item_schema,
     .description = "Empty: the items of the order."},
};
constexpr Schema customs_schema{"ShipmentCustoms", customs_properties};

/// The members that `properties` name, null where `given` has none.
json::object members_of(const json::object& given, std::span<const Property> properties) {
  json::object members;
  for (const Property& property : properties) {
    const auto* const value = given.if_contains(property.name);
    members.emplace(property.name, value == nullptr ? json::value() : *value);
  }
  return members;
}

}  // namespace

constinit const Property customs_property{
    .name = "customs",
    .kind = Kind::object,
    .schema = &customs_schema,
    .description =
        "The data for customs. A request replaces them as a whole. Items that are not given are "
        "those of the order when rates are asked for or a label is bought."};

void check_customs(const json::object& body, FieldErrors& errors) {
  const auto* const items = find_value(body, "customs.items");
  if (items == nullptr || !items->is_array()) return;
  const json::array& entries = items->get_array();
  for (std::size_t index = 0; index < entries.size(); ++index) {
    const auto* const item = entries[index].if_object();
    const auto currency = item == nullptr ? std::nullopt : text_at(*item, "currency");
    if (currency && !domain::is_currency(*currency))
      errors.push_back({"customs.items[" + std::to_string(index) + "].currency",
                        "must be a code of ISO 4217 such as EUR"});
  }
}

std::optional<std::string> customs_text(const json::object& customs) {
  json::object stored = members_of(customs, customs_properties);
  json::array items;
  if (const auto* const given = stored.at("items").if_array()) {
    for (const json::value& item : *given)
      items.emplace_back(members_of(item.get_object(), customs_item_properties));
  }
  const bool is_empty = items.empty() && stored.at("contents").is_null() && stored.at("incoterm").is_null();
  if (is_empty) return std::nullopt;
  stored["items"] = std::move(items);
  return to_json(stored);
}

}  // namespace waybill::api
