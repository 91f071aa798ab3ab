#include "worker/stores/parcel_items.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "base/json.hpp"
#include "connectors/store_text.hpp"

namespace waybill::worker {
namespace {

using connectors::StoreParcelItem;

/// The order's items in a shipment.
struct Content {
  std::optional<std::map<Guid, std::int64_t>> pieces;
  std::optional<std::set<Guid>> items;  // nullopt: all

  std::int64_t pieces_of(const Guid& item, std::int64_t quantity) const {
    if (pieces) {
      const auto found = pieces->find(item);
      return found == pieces->end() ? 0 : found->second;
    }
    return !items || items->contains(item) ? quantity : 0;
  }
};

Guid guid_of(std::string_view text) { return Guid::parse(text).value_or(Guid()); }

std::int64_t count_of(const json::value& value, double otherwise) {
  constexpr double most = 1e9;
  return static_cast<std::int64_t>(std::clamp(connectors::number_of(&value).value_or(otherwise), 0.0, most));
}

Content content_of(const json::value& row) {
  Content content;
  if (const auto* const pieces = row.at("pieces").if_object()) {
    content.pieces.emplace();
    for (const auto& [guid, count] : *pieces) (*content.pieces)[guid_of(guid)] = count_of(count, 0);
  }
  if (const auto* const items = row.at("items").if_array()) {
    content.items.emplace();
    for (const auto& guid : *items) {
      if (guid.is_string()) content.items->insert(guid_of(guid.get_string()));
    }
  }
  return content;
}

StoreParcelItem item_of_order(const json::object& item) {
  const auto text = [&](std::string_view name) {
    const auto* const value = item.at(name).if_string();
    return value == nullptr ? std::nullopt : std::optional<std::string>(*value);
  };
  return {.guid = guid_of(text("guid").value_or("")),
          .description = text("description").value_or(""),
          .sku = text("sku"),
          .quantity = count_of(item.at("quantity"), 1)};
}

}  // namespace

std::vector<StoreParcelItem> parcel_items(std::string_view order, std::string_view parcel,
                                          std::string_view sent) {
  std::vector<StoreParcelItem> items;
  std::set<Guid> known;
  const auto present = json::parse(order);
  for (const auto& entry : present.as_array()) {
    items.push_back(item_of_order(entry.as_object()));
    known.insert(items.back().guid);
  }
  const auto own = content_of(json::parse(parcel));
  std::vector<Content> others;
  const auto rows = json::parse(sent);
  for (const auto& row : rows.as_array()) others.push_back(content_of(row));

  const auto add_left = [&](const Content& content) {
    if (!content.pieces) return;
    for (const auto& [guid, count] : *content.pieces) {
      if (known.insert(guid).second)
        items.push_back({.guid = guid, .description = {}, .sku = {}, .quantity = 0});
    }
  };
  add_left(own);
  std::ranges::for_each(others, add_left);
  for (auto& item : items) {
    item.in_parcel = own.pieces_of(item.guid, item.quantity);
    for (const auto& other : others) item.sent += other.pieces_of(item.guid, item.quantity);
  }
  return items;
}

}  // namespace waybill::worker
