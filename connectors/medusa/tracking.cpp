#include "connectors/medusa/tracking.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "base/percent_encoding.hpp"
#include "connectors/medusa/records.hpp"
#include "connectors/store_items.hpp"

namespace waybill::connectors {
namespace {

constexpr std::string_view note_prefix = "waybill_tracking_";

const json::array& elements(const json::value& record, std::string_view name) {
  static const json::array none;
  const auto* const object = record.if_object();
  const auto* const list = object == nullptr ? nullptr : object->if_contains(name);
  return list != nullptr && list->is_array() ? list->get_array() : none;
}

double quantity(const json::value& record, std::string_view path) {
  const auto* const object = record.if_object();
  const auto* const number = object == nullptr ? nullptr : find_path(*object, path);
  return number != nullptr && number->is_number() ? number->to_number<double>() : 0;
}

json::value number(double quantity) {
  const auto whole = std::llround(quantity);
  return static_cast<double>(whole) == quantity ? json::value(whole) : json::value(quantity);
}

bool is_true(const json::value& record, std::string_view name) {
  const auto* const flag = record.get_object().if_contains(name);
  return flag != nullptr && flag->is_bool() && flag->get_bool();
}

bool has_label(const json::value& fulfillment, const StoreTracking& tracking) {
  return std::ranges::any_of(elements(fulfillment, "labels"), [&](const json::value& label) {
    return tracking.has_number(medusa_text(label, "tracking_number"));
  });
}

bool is_canceled(const json::value& record) { return !medusa_text(record, "canceled_at").empty(); }

/// True for a fulfilment that has no shipment and can get one.
bool is_open(const json::value& fulfillment) {
  return !is_canceled(fulfillment) && medusa_text(fulfillment, "shipped_at").empty() &&
         medusa_text(fulfillment, "delivered_at").empty() && elements(fulfillment, "labels").empty();
}

std::vector<const json::value*> open_fulfillments(const json::value& order) {
  std::vector<const json::value*> open;
  for (const auto& fulfillment : elements(order, "fulfillments")) {
    if (is_open(fulfillment)) open.push_back(&fulfillment);
  }
  std::ranges::sort(open, {}, [](const auto* fulfillment) { return medusa_text(*fulfillment, "id"); });
  return open;
}

const json::value* labelled(const json::value& order, const StoreTracking& tracking) {
  for (const auto& fulfillment : elements(order, "fulfillments")) {
    if (!is_canceled(fulfillment) && has_label(fulfillment, tracking)) return &fulfillment;
  }
  return nullptr;
}

/// True if a label shows an outdated number or link of the parcel.
bool is_outdated(const json::value& order, const StoreTracking& tracking) {
  return std::ranges::any_of(elements(order, "fulfillments"), [&](const json::value& fulfillment) {
    return !is_canceled(fulfillment) &&
           std::ranges::any_of(elements(fulfillment, "labels"), [&](const json::value& label) {
             return tracking.replaces(medusa_text(label, "tracking_number"),
                                      medusa_text(label, "tracking_url"));
           });
  });
}

/// The URL if it is a web address, the only kind that the server accepts; otherwise empty.
std::string web_address(const std::string& url) {
  return url.starts_with("https://") || url.starts_with("http://") ? url : std::string();
}

std::string note_key(const std::string& number) { return std::string(note_prefix) + number; }

/// The parcel's note in the order's metadata under a number; null if there is none.
const json::value* noted(const json::value& order, const std::string& number) {
  const auto* const metadata = order.get_object().if_contains("metadata");
  const auto* const notes = metadata == nullptr ? nullptr : metadata->if_object();
  const auto* const note = notes == nullptr ? nullptr : notes->if_contains(note_key(number));
  return note != nullptr && note->is_object() ? note : nullptr;
}

bool is_noted(const json::value& order, const StoreTracking& tracking) {
  return noted(order, tracking.tracking_number) != nullptr ||
         std::ranges::any_of(tracking.earlier_numbers,
                             [&](const std::string& number) { return noted(order, number) != nullptr; });
}

/// True if the parcel's note under its present number shows another link.
bool has_old_link(const json::value& note, const StoreTracking& tracking) {
  return tracking.has_new_url && medusa_text(note, "tracking_url") != web_address(tracking.tracking_url);
}

std::string path_of(const StoreTracking& tracking, const std::string& rest) {
  return "/admin/orders/" + percent_encode(tracking.order_id) + rest;
}

/// Ships all items of the fulfilment. A kit lists each of its parts, so the quantity of a line is limited to
/// the fulfilled quantity.
MedusaStep ship(const json::value& order, const json::value& fulfillment, const StoreTracking& tracking) {
  std::map<std::string, double> fulfilled;
  for (const auto& item : elements(order, "items")) {
    fulfilled[medusa_text(item, "id")] =
        quantity(item, "detail.fulfilled_quantity") - quantity(item, "detail.shipped_quantity");
  }
  std::map<std::string, double> lines;
  for (const auto& item : elements(fulfillment, "items")) {
    lines[medusa_text(item, "line_item_id")] += quantity(item, "quantity");
  }
  json::array items;
  for (const auto& [line, count] : lines) {
    const auto found = fulfilled.find(line);
    if (found == fulfilled.end()) continue;
    items.push_back({{"id", line}, {"quantity", number(std::min(count, found->second))}});
  }
  const json::array labels{json::object{{"tracking_number", tracking.tracking_number},
                                        {"tracking_url", web_address(tracking.tracking_url)},
                                        {"label_url", ""}}};
  return {MedusaStep::Kind::ship,
          path_of(tracking, "/fulfillments/" + medusa_text(fulfillment, "id") + "/shipments"),
          {{"items", items}, {"labels", labels}}};
}

/// The quantities of the order's items in a parcel with some of them, by the items' ids.
using Parcel = std::map<std::string, std::int64_t>;

/// The parcel's part of the order, which has all of it if its items are not known.
ParcelLines part_of(const json::value& order, const StoreTracking& tracking) {
  if (tracking.items.empty()) return {};
  return lines_in_parcel(tracking, medusa_lines(order));
}

/// True if the parcel has all that the fulfilment has.
bool is_within(const json::value& fulfillment, const Parcel& parcel) {
  const auto& items = elements(fulfillment, "items");
  return !items.empty() && std::ranges::all_of(items, [&](const json::value& item) {
    return parcel.contains(medusa_text(item, "line_item_id"));
  });
}

/// The items of the parcel without a fulfilment; all such items if the parcel has all. The server requires
/// separate fulfilments for items that need shipping and for others. The others are returned only if the
/// parcel has no items to ship, and names them or is the order's first.
json::array unfulfilled_items(const json::value& order, const std::optional<Parcel>& parcel) {
  json::array shipped;
  json::array others;
  for (const auto& item : elements(order, "items")) {
    const double ordered = quantity(item, "quantity");
    double left = ordered - quantity(item, "detail.fulfilled_quantity");
    if (parcel) {
      const auto found = parcel->find(medusa_text(item, "id"));
      const auto pieces = found == parcel->end() ? 0 : found->second;
      // A quantity that is not whole is one piece, which a parcel has or has not.
      const bool is_whole_line = pieces > 0 && ordered != std::floor(ordered);
      if (!is_whole_line) left = std::min(left, static_cast<double>(pieces));
    }
    if (left < smallest_quantity || !item.is_object()) continue;
    auto& items = is_true(item, "requires_shipping") ? shipped : others;
    items.push_back({{"id", medusa_text(item, "id")}, {"quantity", number(left)}});
  }
  if (!shipped.empty()) return shipped;
  if (parcel) return others;
  // Items without shipping that remain after earlier parcels do not belong to this one.
  return elements(order, "fulfillments").empty() ? others : json::array();
}

/// Removes the notes of earlier numbers. The present number has a note unless the labels show it.
MedusaStep note(const json::value& order, const StoreTracking& tracking, bool is_on_labels = false) {
  json::object notes;
  const auto* const present = noted(order, tracking.tracking_number);
  const bool is_old = present != nullptr && has_old_link(*present, tracking);
  const auto remove = [&](const std::string& number) { notes[note_key(number)] = ""; };
  if (is_on_labels) {
    if (is_old) remove(tracking.tracking_number);
  } else if (present == nullptr || is_old) {
    notes[note_key(tracking.tracking_number)] = {{"tracking_number", tracking.tracking_number},
                                                 {"tracking_url", web_address(tracking.tracking_url)},
                                                 {"carrier", tracking.carrier_name},
                                                 {"shipped_at", format_timestamp(tracking.shipped_at)}};
  }
  for (const auto& number : tracking.earlier_numbers) {
    if (noted(order, number) != nullptr) remove(number);
  }
  if (notes.empty()) return {};
  return {MedusaStep::Kind::note, path_of(tracking, ""), {{"metadata", std::move(notes)}}};
}

}  // namespace

MedusaStep next_medusa_step(const json::value& order, const StoreTracking& tracking) {
  const auto status = medusa_text(order, "status");
  if (status == "canceled" || is_canceled(order)) {
    throw StoreError(StoreProblem::refused, "The order is canceled in the store.");
  }
  if (status == "draft") throw StoreError(StoreProblem::refused, "The order is a draft in the store.");
  const auto open = open_fulfillments(order);
  const auto part = part_of(order, tracking);
  const auto parcel = part.has_all ? std::nullopt : std::optional<Parcel>(part.pieces);
  auto own = open;  // the fulfilments that this parcel may ship
  if (parcel) std::erase_if(own, [&](const auto* fulfillment) { return !is_within(*fulfillment, *parcel); });
  if (const auto* const shown = labelled(order, tracking); shown != nullptr) {
    // One sending ships all fulfilments that are open when it begins: one older than its first shipment was
    // left by an interruption, a younger one belongs to another parcel.
    const auto shipped_at = parse_timestamp(medusa_text(*shown, "shipped_at"));
    const auto left = std::ranges::find_if(own, [&](const auto* fulfillment) {
      const auto made = parse_timestamp(medusa_text(*fulfillment, "created_at"));
      return shipped_at && made && *made < *shipped_at;
    });
    if (left != own.end()) return ship(order, **left, tracking);
    return note(order, tracking, !is_outdated(order, tracking));
  }
  if (is_noted(order, tracking)) return note(order, tracking);
  if (!own.empty()) return ship(order, *own.front(), tracking);
  if (auto items = unfulfilled_items(order, parcel); !items.empty()) {
    return {MedusaStep::Kind::fulfill, path_of(tracking, "/fulfillments"), {{"items", std::move(items)}}};
  }
  // The merchant's fulfilment has items of several parcels: the last one ships it.
  if (part.is_last && !open.empty()) return ship(order, *open.front(), tracking);
  return note(order, tracking);
}

}  // namespace waybill::connectors
