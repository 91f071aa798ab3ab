#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>

#include "api/orders/order_body.hpp"
#include "api/records/fields.hpp"
#include "base/blanks.hpp"
#include "base/error.hpp"
#include "base/exact_number.hpp"
#include "base/guid.hpp"
#include "domain/values/limits.hpp"

namespace waybill::api {
namespace {

// Values for customs; an item has only those that it was given.
constexpr auto customs_names = std::to_array<std::string_view>({"hsCode", "originCountry", "customsValue"});
constexpr auto amount_names = std::to_array<std::string_view>({"price", "customsValue"});
constexpr auto dimension_names = std::to_array<std::string_view>({"length", "width", "height", "weight"});

/// The items by their guids. Of two with one guid, the first counts.
std::map<Guid, const json::object*> items_by_guid(const json::array& items) {
  std::map<Guid, const json::object*> by_guid;
  for (const auto& entry : items) {
    const auto* const item = entry.if_object();
    const auto guid = item == nullptr ? std::nullopt : guid_at(*item, "guid");
    if (guid) by_guid.emplace(*guid, item);
  }
  return by_guid;
}

/// True if both are numbers with the same double: the one of a request, which is rounded, does not change the
/// one that SQL wrote.
bool is_same_number(const json::value& a, const json::value& b) {
  const auto number = as_double(a);
  return number && number == as_double(b);
}

/// Returns `name` from the request, else from the stored item, else null.
const json::value& value_of(std::string_view name, const json::object& item, const json::object* stored) {
  static const json::value none;
  const auto* const value = item.if_contains(name);
  const auto* const stored_value = stored == nullptr ? nullptr : stored->if_contains(name);
  if (stored_value == nullptr) return value == nullptr ? none : *value;
  return value == nullptr || is_same_number(*value, *stored_value) ? *stored_value : *value;
}

json::value null_if_blank(const json::value& value) {
  return value.is_string() && is_blank(value.get_string()) ? json::value() : value;
}

bool has_values(const json::object& object) {
  return !std::ranges::all_of(object, [](const auto& member) { return member.value().is_null(); });
}

json::value dimensions_of(const json::object& item, const json::object* stored) {
  const auto* const changed = value_of("dimensions", item, stored).if_object();
  if (changed == nullptr) return {};
  const auto* const before = stored == nullptr ? nullptr : find_value(*stored, "dimensions");
  json::object dimensions;
  for (const auto name : dimension_names) {
    dimensions.emplace(name, value_of(name, *changed, before == nullptr ? nullptr : before->if_object()));
  }
  return has_values(dimensions) ? json::value(std::move(dimensions)) : json::value();
}

json::object item_of(const json::object& item, const json::object* stored, const Guid& guid) {
  const auto product = guid_at(item, "productId");
  json::object made{
      {"guid", guid.to_string()},
      {"description", null_if_blank(value_of("description", item, stored))},
      {"sku", value_of("sku", item, stored)},
      {"productId", product ? json::value(product->to_string()) : value_of("productId", item, stored)},
      {"quantity", value_of("quantity", item, stored)},
      {"price", value_of("price", item, stored)},
      {"dimensions", dimensions_of(item, stored)}};
  for (const auto name : customs_names)
    if (const auto& value = value_of(name, item, stored); !value.is_null()) made.emplace(name, value);
  return made;
}

void set_if_null(json::object& item, std::string_view name, json::value value) {
  if (item.at(name).is_null()) item[name] = std::move(value);
}

double number_of(const json::object& item, std::string_view name) {
  return as_double(item.at(name)).value_or(0);
}

}  // namespace

ItemList::ItemList(const json::array& items, const json::array& stored) {
  const auto check_amounts = [&](const json::object& item, const json::object* stored_item) {
    for (const auto name : amount_names) {
      const auto& amount = value_of(name, item, nullptr);
      const auto decimal = decimal_text(amount);
      const bool is_kept =
          stored_item != nullptr && is_same_number(amount, value_of(name, *stored_item, nullptr));
      if (decimal && decimal_places(*decimal) > 2 && !is_kept)
        bad_amounts_.push_back({"items[" + std::to_string(items_.size()) + "]." + std::string(name),
                                "must have at most two decimals"});
    }
  };
  const auto known = items_by_guid(stored);
  std::set<Guid> used;
  for (const auto& entry : items) {
    const auto& item = entry.get_object();
    const auto guid = guid_at(item, "guid");
    const auto found = guid ? known.find(*guid) : known.end();
    const auto* const stored_item = found == known.end() ? nullptr : found->second;
    if (guid && (stored_item == nullptr || !used.insert(*guid).second)) throw not_found("item");
    check_amounts(item, stored_item);
    const auto product = guid_at(item, "productId");
    if (product && !(stored_item != nullptr && guid_at(*stored_item, "productId") == product)) {
      named_products_.emplace(items_.size(), *product);
    }
    items_.emplace_back(item_of(item, stored_item, guid ? *guid : Guid::random()));
  }
}

void ItemList::complete(const Products& products) {
  for (const auto& [place, guid] : named_products_) {
    const auto product = products.find(guid);
    if (product == products.end()) throw not_found("product");
    auto& item = items_[place].get_object();
    const auto& terms = product->second;
    set_if_null(item, "description", json::value(terms.name));
    set_if_null(item, "sku", terms.sku ? json::value(*terms.sku) : json::value());
    set_if_null(item, "price", terms.price);
    set_if_null(item, "dimensions", terms.dimensions);
  }
}

bool ItemList::are_same_as(const json::array& stored) const {
  return std::ranges::equal(items_, stored, [](const json::value& item, const json::value& known) {
    if (!known.is_object()) return false;
    json::object compared = item.get_object();
    json::object before = known.get_object();
    if (!guid_at(before, "guid")) compared.erase("guid");  // a new one, which the stored one lacks
    const auto* const dimensions = find_value(before, "dimensions");
    if (dimensions != nullptr && dimensions->is_object() && !has_values(dimensions->get_object()))
      before.erase("dimensions");
    return is_same_value(compared, before);
  });
}

void ItemList::check(FieldErrors& errors) const {
  errors.insert(errors.end(), bad_amounts_.begin(), bad_amounts_.end());
  double total = 0;
  for (std::size_t index = 0; index < items_.size(); ++index) {
    const auto& item = items_[index].get_object();
    for (const auto* const name : {"description", "quantity", "price"}) {
      if (!item.at(name).is_null()) continue;
      errors.push_back({"items[" + std::to_string(index) + "]." + name, "is required"});
    }
    total += number_of(item, "quantity") * number_of(item, "price");
  }
  if (total >= domain::items_total_limit)
    errors.push_back({"items", "must have a total below 1000000000000"});
}

}  // namespace waybill::api
