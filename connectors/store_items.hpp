#pragma once

#include <cstdint>
#include <map>
#include <optional>
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

/// The least quantity of a line that counts. Rounding leaves smaller ones.
inline constexpr double smallest_quantity = 1e-6;

/// Makes the item one piece of a quantity that is not whole, as of goods by length or weight: "Cloth × 0.5".
/// Its price is then that of the line. Returns the quantity as shown, in millionths.
double make_one_piece(StoreItem& item, double quantity);

/// The price; 0 for a negative one: a discount as a line costs nothing, because no price of ours is negative.
std::optional<std::string> free_if_negative(std::optional<std::string> price);

/// Sets the quantity, of `smallest_quantity` to 10^9, and the price, given that of a whole piece.
void set_pieces(StoreItem& item, double quantity, std::optional<std::string> price);

/// The guids of our items, in the order with this guid, by position; nil for an item that was removed from
/// the order. An item keeps its guid while its description and SKU stay the same. The texts are limited.
std::vector<Guid> item_guids(const Guid& order, const std::vector<StoreItem>& items);

/// The part of a store's order that is in a parcel.
struct ParcelPieces {
  std::vector<std::int64_t> pieces;  // of each item of the store
  bool is_last = true;               // nothing that the store wants is left for a later parcel
};

/// Finds the parcel's items among the store's. A parcel has all that the store wants if its items are not
/// known, or if it was made of all items of the order and none of them can be found. An item of such a parcel
/// that cannot be found stands for the items of the store that the order here does not have.
ParcelPieces pieces_in_parcel(const StoreTracking& tracking, std::vector<StoreItem> items);

/// A line of a store's order, and the item that it is here.
struct StoreLine {
  std::string id;  // the store's
  StoreItem item;
};

struct ParcelLines {
  std::map<std::string, std::int64_t> pieces;  // by the lines' ids, without the lines that have none
  bool has_all = true;                         // all pieces of all lines
  bool is_last = true;                         // as in ParcelPieces
};
ParcelLines lines_in_parcel(const StoreTracking& tracking, const std::vector<StoreLine>& lines);

}  // namespace waybill::connectors
