#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/guid.hpp"
#include "connectors/connector.hpp"

// The items of a store's order as the items of ours.
namespace waybill::connectors {

/// Cuts the texts of the item to those that an item of ours can have. If description and details are too long
/// together, each gets at least half of the room.
void limit_texts(StoreItem& item);

/// The description of our item: the store's, and the details in parentheses.
std::string description_of(const StoreItem& item);

/// The guids of our items, in the order with this guid, by position; nil for an item that was removed from
/// the order. An item keeps its guid while its description and SKU stay the same. The texts are limited.
std::vector<Guid> item_guids(const Guid& order, const std::vector<StoreItem>& items);

/// The pieces of each item of the store that are in the parcel: all of them if the parcel has all items of
/// the order, none if the items cannot be found in it.
std::vector<std::int64_t> pieces_in_parcel(const StoreTracking& tracking, std::vector<StoreItem> items);

/// A line of a store's order, and the item that it is here.
struct StoreLine {
  std::string id;  // the store's
  StoreItem item;
};

/// The pieces of the lines in the parcel, by their ids, without the lines that have none in it.
std::map<std::string, std::int64_t> pieces_by_line(const StoreTracking& tracking,
                                                   const std::vector<StoreLine>& lines);

}  // namespace waybill::connectors
