#include "worker/stores/import_variants.hpp"

#include <algorithm>
#include <utility>

#include "base/guid.hpp"
#include "base/number.hpp"
#include "worker/stores/import_rules.hpp"

namespace waybill::worker {
namespace {

using connectors::StoreProduct;
using connectors::StoreVariant;
using Text = std::optional<std::string>;

constexpr std::size_t max_variants = 1000;  // as in the API

/// The exact hundredths of an amount, rounded half up.
std::int64_t cents(std::string_view amount) {
  constexpr std::size_t places = 3;
  const auto point = std::min(amount.find('.'), amount.size());
  std::string digits(amount.substr(0, point));
  auto fraction = std::string(amount.substr(std::min(point + 1, amount.size())));
  fraction.resize(places, '0');
  digits += fraction;
  return (parse_number<std::int64_t>(digits).value_or(0) + 5) / 10;
}

/// A text of a variant here; nullopt if it is absent or another value.
Text text_of(const json::value& variant, std::string_view key) {
  const auto* const object = variant.if_object();
  const auto* const value = object == nullptr ? nullptr : object->if_contains(key);
  return value != nullptr && value->is_string() ? Text(value->get_string()) : std::nullopt;
}

/// The store's variants of the variants here, by their places; null for one that is not in the store.
std::vector<const StoreVariant*> matches_of(const OwnProduct& own, const StoreProduct& product) {
  std::vector<const StoreVariant*> matches(own.variants.size());
  std::set<const StoreVariant*> matched;
  const auto match_by = [&](std::string_view key, const auto& key_of, const auto& may_match) {
    std::multimap<std::string, std::size_t> places;
    for (std::size_t i = 0; i < matches.size(); ++i) {
      const auto text = matches[i] == nullptr ? text_of(own.variants[i], key) : std::nullopt;
      if (text) places.emplace(*text, i);
    }
    for (const auto& wanted : product.variants) {
      const Text text = matched.contains(&wanted) ? std::nullopt : key_of(wanted);
      if (!text) continue;
      const auto [first, last] = places.equal_range(*text);
      const auto found = std::find_if(
          first, last, [&](const auto& place) { return may_match(own.variants[place.second], wanted); });
      if (found == last) continue;
      matches[found->second] = &wanted;
      matched.insert(&wanted);
      places.erase(found);
    }
  };
  const auto always = [](const json::value&, const StoreVariant&) { return true; };
  const auto guid_of = [&](const StoreVariant& wanted) {
    const auto found = wanted.external_id.empty() ? own.ids.end() : own.ids.find(wanted.external_id);
    return found == own.ids.end() ? std::nullopt : Text(found->second);
  };
  match_by("guid", guid_of, always);
  match_by("sku", [](const StoreVariant& wanted) { return wanted.sku; }, always);
  match_by(
      "name", [](const StoreVariant& wanted) { return Text(wanted.name); },
      [&](const json::value& variant, const StoreVariant& wanted) {
        return !own.has_ids || !wanted.sku || !text_of(variant, "sku");
      });
  return matches;
}

/// Removes the SKUs of the store that what stays here has.
std::vector<std::string> drop_used_skus(const OwnProduct& own,
                                        const std::vector<const StoreVariant*>& matches,
                                        StoreProduct& product) {
  std::map<std::string, std::string> used;  // the owners of SKUs that stay
  const auto keep = [&](const Text& sku, const std::string& owner) {
    if (sku) used.emplace(*sku, owner);
  };
  if (!product.sku) keep(own.sku, "the product");
  std::map<const StoreVariant*, const json::value*> own_variants;
  for (std::size_t i = 0; i < matches.size(); ++i) {
    const auto& variant = own.variants[i];
    if (matches[i] != nullptr) own_variants.emplace(matches[i], &variant);
    if (matches[i] == nullptr || !matches[i]->sku)
      keep(text_of(variant, "sku"), "its variant " + text_of(variant, "name").value_or(""));
  }
  std::vector<std::string> remarks;
  // One that does not get the store's SKU keeps its own, which another one may get.
  bool has_dropped = true;
  const auto drop = [&](Text& sku, const std::string& what, const Text& own_sku) {
    const auto user = sku && sku != own_sku ? used.find(*sku) : used.end();
    if (user == used.end()) return;
    remarks.push_back("the SKU " + *sku + " of " + what + " is that of " + user->second +
                      ". It is left out, because SKUs are unique here.");
    sku.reset();
    keep(own_sku, what);
    has_dropped = true;
  };
  while (std::exchange(has_dropped, false)) {
    drop(product.sku, "the product", own.sku);
    for (auto& wanted : product.variants) {
      const auto found = own_variants.find(&wanted);
      const Text own_sku = found == own_variants.end() ? std::nullopt : text_of(*found->second, "sku");
      drop(wanted.sku, "its variant " + wanted.name, own_sku);
    }
  }
  return remarks;
}

json::object new_variant(const StoreVariant& wanted) {
  return {{"guid", Guid::random().to_string()}, {"name", wanted.name}, {"sku", nullptr},
          {"priceDifference", nullptr},         {"weight", nullptr},   {"dimensions", nullptr}};
}

void set_dimensions(json::object& variant, const StoreVariant& wanted) {
  json::object dimensions{{"length", nullptr}, {"width", nullptr}, {"height", nullptr}};
  const auto* const before = variant.if_contains("dimensions");
  if (before != nullptr && before->is_object()) dimensions = before->get_object();
  bool has_any = false;
  const auto set = [&](const char* name, const Text& measure) {
    if (!measure || !is_measure(*measure)) return;
    dimensions[name] = number_of(*measure);
    has_any = true;
  };
  set("length", wanted.length);
  set("width", wanted.width);
  set("height", wanted.height);
  if (has_any) variant["dimensions"] = std::move(dimensions);
}

void update_variant(json::object& variant, const StoreVariant& wanted, const Text& price) {
  variant["name"] = wanted.name;
  if (wanted.sku) variant["sku"] = *wanted.sku;
  if (wanted.weight && is_measure(*wanted.weight)) variant["weight"] = number_of(*wanted.weight);
  set_dimensions(variant, wanted);
  if (wanted.price && price && is_amount(*wanted.price) && is_amount(*price))
    variant["priceDifference"] = static_cast<double>(cents(*wanted.price) - cents(*price)) / 100;
}

}  // namespace

VariantIds variant_ids(std::string_view column) {
  VariantIds ids;
  boost::system::error_code malformed;
  const auto parsed = json::parse(column, malformed);
  if (malformed || !parsed.is_object()) return ids;
  for (const auto& entry : parsed.get_object()) {
    if (entry.value().is_string()) ids.emplace(entry.key(), entry.value().get_string());
  }
  return ids;
}

std::string variant_ids_json(const VariantIds& ids) {
  json::object object;
  for (const auto& [id, guid] : ids) object.emplace(id, guid);
  return to_json(object);
}

double number_of(std::string_view amount) { return parse_number<double>(amount).value_or(0); }

std::vector<std::string> gone_variants(const OwnProduct& own, const StoreProduct& product) {
  std::vector<std::string> gone;
  if (!product.has_all_variants || own.ids.empty()) return gone;
  std::set<std::string> from_store;
  for (const auto& [id, guid] : own.ids) from_store.insert(guid);
  const auto matches = matches_of(own, product);
  for (std::size_t i = 0; i < matches.size(); ++i) {
    const auto guid = matches[i] == nullptr ? text_of(own.variants[i], "guid") : std::nullopt;
    if (guid && from_store.contains(*guid)) gone.push_back(*guid);
  }
  return gone;
}

MergedVariants merge_variants(OwnProduct own, StoreProduct& product, const std::set<std::string>& gone) {
  json::array staying;
  for (auto& variant : own.variants) {
    if (!gone.contains(text_of(variant, "guid").value_or(""))) staying.push_back(std::move(variant));
  }
  own.variants = std::move(staying);
  const auto matches = matches_of(own, product);
  MergedVariants merged{.ids = product.has_all_variants ? VariantIds() : own.ids,
                        .remarks = drop_used_skus(own, matches, product)};
  merged.variants = std::move(own.variants);
  const auto keep_id = [&](const StoreVariant& wanted, const json::value& variant) {
    const auto guid = text_of(variant, "guid");
    if (guid && !wanted.external_id.empty()) merged.ids.insert_or_assign(wanted.external_id, *guid);
  };
  std::set<const StoreVariant*> found;
  for (std::size_t i = 0; i < matches.size(); ++i) {
    if (matches[i] == nullptr) continue;
    found.insert(matches[i]);
    update_variant(merged.variants[i].get_object(), *matches[i], product.price);
    keep_id(*matches[i], merged.variants[i]);
  }
  std::size_t left_out = 0;
  for (const auto& wanted : product.variants) {
    if (found.contains(&wanted)) continue;
    if (merged.variants.size() >= max_variants) {
      ++left_out;
      continue;
    }
    auto variant = new_variant(wanted);
    update_variant(variant, wanted, product.price);
    keep_id(wanted, merged.variants.emplace_back(std::move(variant)));
  }
  if (left_out > 0)
    merged.remarks.push_back(std::to_string(left_out) + " of its " + std::to_string(product.variants.size()) +
                             " variants are left out, because a product has at most " +
                             std::to_string(max_variants) + ".");
  return merged;
}

}  // namespace waybill::worker
