#include "connectors/store_items.hpp"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

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

std::vector<std::int64_t> pieces_in_parcel(const StoreTracking& tracking, std::vector<StoreItem> items) {
  std::vector<std::int64_t> pieces(items.size(), 0);
  if (!tracking.is_part()) {
    std::ranges::transform(items, pieces.begin(), &StoreItem::quantity);
    return pieces;
  }
  for (auto& item : items) limit_texts(item);
  const auto guids = item_guids(tracking.order, items);
  std::map<Guid, std::size_t> by_guid;
  for (std::size_t i = 0; i < guids.size(); ++i) by_guid.emplace(guids[i], i);
  std::set<std::size_t> taken;
  for (const auto& ours : tracking.items) {
    if (const auto found = by_guid.find(ours.guid); found != by_guid.end()) taken.insert(found->second);
  }
  const auto place_of = [&](const StoreParcelItem& ours) -> std::optional<std::size_t> {
    if (const auto found = by_guid.find(ours.guid); found != by_guid.end()) return found->second;
    // An item that was entered again here has another guid.
    for (std::size_t i = 0; i < items.size(); ++i) {
      if (items[i].quantity > 0 && !taken.contains(i) && is_alike(ours, items[i])) return i;
    }
    return std::nullopt;
  };
  for (const auto& ours : tracking.items) {
    if (!ours.is_in_parcel) continue;
    const auto place = place_of(ours);
    if (!place) continue;
    taken.insert(*place);
    pieces[*place] = std::clamp<std::int64_t>(ours.quantity, 0, items[*place].quantity);
  }
  return pieces;
}

std::map<std::string, std::int64_t> pieces_by_line(const StoreTracking& tracking,
                                                   const std::vector<StoreLine>& lines) {
  std::vector<StoreItem> items;
  items.reserve(lines.size());
  for (const auto& line : lines) items.push_back(line.item);
  const auto pieces = pieces_in_parcel(tracking, std::move(items));
  std::map<std::string, std::int64_t> by_line;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (pieces[i] > 0) by_line[lines[i].id] = pieces[i];
  }
  return by_line;
}

}  // namespace waybill::connectors
