#include "connectors/store_items.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "base/json.hpp"
#include "base/number.hpp"
#include "base/utf8.hpp"
#include "connectors/store_text.hpp"
#include "domain/values/limits.hpp"

namespace waybill::connectors {
namespace {

constexpr std::string_view before_details = " (";
constexpr std::string_view after_details = ")";

void cut_to(std::string& text, std::size_t characters) { text.resize(cut_text(text, characters).size()); }

/// True if nothing but the guid tells the two apart.
bool is_alike(const StoreParcelItem& ours, const StoreItem& item) {
  if (ours.sku || item.sku) return ours.sku == item.sku;
  return ours.description == description_of(item);
}

/// The places of the tracking's items among the store's; nullopt for one that is not found.
std::vector<std::optional<std::size_t>> places_of(const StoreTracking& tracking,
                                                  const std::vector<StoreItem>& items) {
  const auto guids = item_guids(tracking.order, items);
  std::map<Guid, std::size_t> by_guid;
  for (std::size_t i = 0; i < guids.size(); ++i) {
    if (guids[i] != Guid()) by_guid.emplace(guids[i], i);
  }
  const auto& ours = tracking.items;
  std::vector<std::optional<std::size_t>> places(ours.size());
  std::set<std::size_t> taken;
  std::set<std::size_t> of_order;  // taken by items that the order still has
  for (std::size_t i = 0; i < ours.size(); ++i) {
    const auto found = by_guid.find(ours[i].guid);
    if (found == by_guid.end()) continue;
    places[i] = found->second;
    taken.insert(found->second);
    if (ours[i].quantity > 0) of_order.insert(found->second);
  }
  // An item that was entered again here has another guid. Several of them may be one item of the store.
  const auto place_alike = [&](const StoreParcelItem& item) -> std::optional<std::size_t> {
    std::optional<std::size_t> shared;
    for (std::size_t i = 0; i < items.size(); ++i) {
      if (items[i].quantity < 1 || of_order.contains(i) || !is_alike(item, items[i])) continue;
      if (taken.insert(i).second) return i;
      if (!shared) shared = i;
    }
    return shared;
  };
  for (const bool in_parcel : {true, false}) {
    for (std::size_t i = 0; i < ours.size(); ++i) {
      if (!places[i] && ours[i].quantity > 0 && (ours[i].in_parcel > 0) == in_parcel)
        places[i] = place_alike(ours[i]);
    }
  }
  return places;
}

}  // namespace

void limit_texts(StoreItem& item) {
  if (item.sku) cut_to(*item.sku, domain::longest_string);
  if (item.details) {
    constexpr std::size_t room = domain::longest_text - before_details.size() - after_details.size();
    const auto taken = std::min(count_characters(item.description), room / 2);
    cut_to(*item.details, room - taken);
    cut_to(item.description, room - count_characters(*item.details));
  } else {
    cut_to(item.description, domain::longest_text);
  }
}

double make_one_piece(StoreItem& item, double quantity) {
  constexpr double millionths = 1e6;
  const double shown = std::round(quantity * millionths) / millionths;
  item.quantity = 1;
  item.description += " × " + decimal_text(json::value(shown)).value_or("");
  return shown;
}

std::optional<std::string> free_if_negative(std::optional<std::string> price) {
  if (price && price->starts_with('-')) return "0";
  return price;
}

void set_pieces(StoreItem& item, double quantity, std::optional<std::string> price) {
  item.price = free_if_negative(std::move(price));
  if (quantity == std::floor(quantity)) {
    item.quantity = static_cast<std::int64_t>(quantity);
    return;
  }
  const double shown = make_one_piece(item, quantity);
  const auto each = item.price ? parse_number<double>(*item.price) : std::nullopt;
  if (each) item.price = decimal_text(json::value(*each * shown));
}

std::string description_of(const StoreItem& item) {
  if (!item.details) return item.description;
  return item.description + std::string(before_details) + *item.details + std::string(after_details);
}

std::vector<Guid> item_guids(const Guid& order, const std::vector<StoreItem>& items) {
  std::map<std::string, int> seen;
  std::vector<Guid> guids;
  guids.reserve(items.size());
  for (const auto& item : items) {
    if (item.quantity < 1) {
      guids.emplace_back();
      continue;
    }
    std::string name = description_of(item) + '\n' + item.sku.value_or("");
    const int occurrence = ++seen[name];
    guids.push_back(Guid::from_name(order, name + '\n' + std::to_string(occurrence)));
  }
  return guids;
}

ParcelPieces pieces_in_parcel(const StoreTracking& tracking, std::vector<StoreItem> items) {
  ParcelPieces parcel;
  for (const auto& item : items) parcel.pieces.push_back(item.quantity);
  const auto& ours = tracking.items;
  if (ours.empty()) return parcel;
  for (auto& item : items) limit_texts(item);
  const auto places = places_of(tracking, items);
  bool is_found = false;
  for (std::size_t i = 0; i < ours.size(); ++i) is_found |= places[i] && ours[i].in_parcel > 0;
  if (!is_found && !tracking.is_part) return parcel;

  std::vector<std::int64_t> sent(items.size(), 0);
  std::vector<bool> is_here(items.size(), false);
  bool has_unfound = false;  // an item of the order is not found
  bool stands_in = false;    // and it is in the parcel
  std::ranges::fill(parcel.pieces, 0);
  for (std::size_t i = 0; i < ours.size(); ++i) {
    const auto& item = ours[i];
    if (places[i]) {
      parcel.pieces[*places[i]] += item.in_parcel;
      sent[*places[i]] += item.sent;
      is_here[*places[i]] = true;
    } else if (item.quantity > 0) {
      has_unfound = true;
      stands_in |= item.in_parcel > 0 && !tracking.is_part;
      parcel.is_last &= item.in_parcel + item.sent >= item.quantity;
    }
  }
  for (std::size_t i = 0; i < items.size(); ++i) {
    const auto wanted = std::max<std::int64_t>(items[i].quantity, 0);
    auto& pieces = parcel.pieces[i];
    pieces = !is_here[i] && stands_in ? wanted : std::clamp<std::int64_t>(pieces, 0, wanted);
    if (is_here[i] || !has_unfound) parcel.is_last &= pieces + sent[i] >= wanted;
  }
  return parcel;
}

ParcelLines lines_in_parcel(const StoreTracking& tracking, const std::vector<StoreLine>& lines) {
  std::vector<StoreItem> items;
  items.reserve(lines.size());
  for (const auto& line : lines) items.push_back(line.item);
  const auto found = pieces_in_parcel(tracking, std::move(items));
  ParcelLines parcel{.pieces = {}, .has_all = true, .is_last = found.is_last};
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (found.pieces[i] > 0) parcel.pieces[lines[i].id] = found.pieces[i];
    parcel.has_all &= found.pieces[i] >= lines[i].item.quantity;
  }
  return parcel;
}

}  // namespace waybill::connectors
