#include "connectors/medusa/tracking.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "connectors/medusa/records.hpp"
#include "net/percent_encoding.hpp"

namespace waybill::connectors {
namespace {

constexpr std::string_view note_prefix = "waybill_tracking_";

const json::array& elements(const json::value& record, std::string_view name) {
  static const json::array none;
  const auto* const object = record.if_object();
  const auto* const list = object == nullptr ? nullptr : object->if_contains(name);
  return list != nullptr && list->is_array() ? list->get_array() : none;
}

std::int64_t quantity(const json::value& record, std::string_view path) {
  const auto* const object = record.if_object();
  const auto* const number = object == nullptr ? nullptr : find_path(*object, path);
  return number != nullptr && number->is_number() ? std::llround(number->to_number<double>()) : 0;
}

bool is_true(const json::value& record, std::string_view name) {
  const auto* const flag = record.get_object().if_contains(name);
  return flag != nullptr && flag->is_bool() && flag->get_bool();
}

bool has_label(const json::value& fulfillment, const std::string& number) {
  return std::ranges::any_of(elements(fulfillment, "labels"), [&](const json::value& label) {
    return medusa_text(label, "tracking_number") == number;
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

const json::value* labelled(const json::value& order, const std::string& number) {
  for (const auto& fulfillment : elements(order, "fulfillments")) {
    if (!is_canceled(fulfillment) && has_label(fulfillment, number)) return &fulfillment;
  }
  return nullptr;
}

std::string path_of(const StoreTracking& tracking, const std::string& rest) {
  return "/admin/orders/" + net::percent_encode(tracking.order_id) + rest;
}

/// The URL if it is a web address, the only kind that the server accepts; otherwise empty.
std::string web_address(const std::string& url) {
  return url.starts_with("https://") || url.starts_with("http://") ? url : std::string();
}

/// Ships all items of the fulfilment. A kit lists each of its parts, so the quantity of a line is limited to
/// the fulfilled quantity.
MedusaStep ship(const json::value& order, const json::value& fulfillment, const StoreTracking& tracking) {
  std::map<std::string, std::int64_t> fulfilled;
  for (const auto& item : elements(order, "items")) {
    fulfilled[medusa_text(item, "id")] =
        quantity(item, "detail.fulfilled_quantity") - quantity(item, "detail.shipped_quantity");
  }
  std::map<std::string, std::int64_t> lines;
  for (const auto& item : elements(fulfillment, "items")) {
    lines[medusa_text(item, "line_item_id")] += quantity(item, "quantity");
  }
  json::array items;
  for (const auto& [line, count] : lines) {
    const auto found = fulfilled.find(line);
    if (found == fulfilled.end()) continue;
    items.push_back({{"id", line}, {"quantity", std::min(count, found->second)}});
  }
  const json::array labels{json::object{{"tracking_number", tracking.tracking_number},
                                        {"tracking_url", web_address(tracking.tracking_url)},
                                        {"label_url", ""}}};
  return {MedusaStep::Kind::ship,
          path_of(tracking, "/fulfillments/" + medusa_text(fulfillment, "id") + "/shipments"),
          {{"items", items}, {"labels", labels}}};
}

/// The items without a fulfilment. The server wants items that need shipping apart from others; the others
/// are returned only if the order has nothing else.
json::array unfulfilled_items(const json::value& order) {
  json::array shipped;
  json::array others;
  for (const auto& item : elements(order, "items")) {
    const auto left = quantity(item, "quantity") - quantity(item, "detail.fulfilled_quantity");
    if (left <= 0 || !item.is_object()) continue;
    auto& items = is_true(item, "requires_shipping") ? shipped : others;
    items.push_back({{"id", medusa_text(item, "id")}, {"quantity", left}});
  }
  if (!shipped.empty()) return shipped;
  // Items without shipping that remain beside earlier parcels do not belong to this one.
  return elements(order, "fulfillments").empty() ? others : json::array();
}

MedusaStep note(const json::value& order, const StoreTracking& tracking) {
  const std::string key = std::string(note_prefix) + tracking.tracking_number;
  const auto* const metadata = order.get_object().if_contains("metadata");
  if (metadata != nullptr && metadata->is_object() && metadata->get_object().contains(key)) return {};
  const json::object parcel = {{"tracking_number", tracking.tracking_number},
                               {"tracking_url", web_address(tracking.tracking_url)},
                               {"carrier", tracking.carrier_name},
                               {"shipped_at", format_timestamp(tracking.shipped_at)}};
  return {MedusaStep::Kind::note, path_of(tracking, ""), {{"metadata", {{key, parcel}}}}};
}

}  // namespace

MedusaStep next_medusa_step(const json::value& order, const StoreTracking& tracking) {
  const auto status = medusa_text(order, "status");
  if (status == "canceled" || is_canceled(order)) {
    throw StoreError(StoreProblem::refused, "The order is canceled in the store.");
  }
  if (status == "draft") throw StoreError(StoreProblem::refused, "The order is a draft in the store.");
  const auto open = open_fulfillments(order);
  if (const auto* const shown = labelled(order, tracking.tracking_number); shown != nullptr) {
    // One push ships all fulfilments that are open when it begins: one older than its first shipment was left
    // by an interruption, a younger one belongs to another parcel.
    const auto shipped_at = parse_timestamp(medusa_text(*shown, "shipped_at"));
    const auto left = std::ranges::find_if(open, [&](const auto* fulfillment) {
      const auto made = parse_timestamp(medusa_text(*fulfillment, "created_at"));
      return shipped_at && made && *made < *shipped_at;
    });
    return left == open.end() ? MedusaStep() : ship(order, **left, tracking);
  }
  if (!open.empty()) return ship(order, *open.front(), tracking);
  if (auto items = unfulfilled_items(order); !items.empty()) {
    return {MedusaStep::Kind::fulfill, path_of(tracking, "/fulfillments"), {{"items", std::move(items)}}};
  }
  return note(order, tracking);
}

}  // namespace waybill::connectors
