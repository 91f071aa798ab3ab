#include "domain/records/packed_items.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>

#include "base/exact_number.hpp"
#include "base/guid.hpp"

namespace waybill::domain {
namespace {

constexpr double largest_measure = 1e9;  // of a package in the API
constexpr double most_pieces = 1e9;      // of an item

std::optional<double> number_at(const json::object* object, std::string_view name) {
  const json::value* const value = object == nullptr ? nullptr : object->if_contains(name);
  return value == nullptr ? std::nullopt : as_double(*value);
}

double pieces_of(const json::object* item) {
  const double quantity = number_at(item, "quantity").value_or(1);
  return quantity > 0 ? quantity : 1;
}

/// A whole number stays one, and a product of decimals has the digits of its factors.
json::value measure(std::optional<double> value) {
  constexpr double millionths = 1e6;
  if (!value || !(std::abs(*value) <= largest_measure)) return nullptr;
  const double rounded = std::round(*value * millionths) / millionths;
  if (rounded == std::floor(rounded)) return static_cast<std::int64_t>(rounded);
  return rounded;
}

}  // namespace

json::array packed_items(const json::array& items) {
  json::array packages;
  for (const json::value& item : items) {
    const json::object* const members = item.if_object();
    const json::value* const stored = members == nullptr ? nullptr : members->if_contains("dimensions");
    const json::object* const dimensions = stored == nullptr ? nullptr : stored->if_object();
    const auto weight = number_at(dimensions, "weight");
    packages.push_back({{"length", measure(number_at(dimensions, "length"))},
                        {"width", measure(number_at(dimensions, "width"))},
                        {"height", measure(number_at(dimensions, "height"))},
                        {"weight", measure(weight ? std::optional(*weight * pieces_of(members)) : weight)}});
  }
  if (packages.empty())
    packages.push_back({{"length", nullptr}, {"width", nullptr}, {"height", nullptr}, {"weight", nullptr}});
  return packages;
}

std::optional<json::object> pieces_by_item(const json::array& items) {
  std::map<Guid, std::int64_t> pieces;
  for (const json::value& item : items) {
    const json::object* const members = item.if_object();
    const json::value* const text = members == nullptr ? nullptr : members->if_contains("guid");
    const auto guid = text != nullptr && text->is_string() ? Guid::parse(text->get_string()) : std::nullopt;
    if (!guid) return std::nullopt;
    pieces[*guid] += static_cast<std::int64_t>(std::clamp(pieces_of(members), 1.0, most_pieces));
  }
  if (pieces.empty()) return std::nullopt;
  json::object by_item;
  for (const auto& [guid, count] : pieces) by_item[guid.to_string()] = count;
  return by_item;
}

}  // namespace waybill::domain
