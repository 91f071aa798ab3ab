#include "connectors/shopify/tracking.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "connectors/shopify/json.hpp"
#include "connectors/shopify/records.hpp"
#include "connectors/shopify/sweep.hpp"
#include "connectors/store_call.hpp"
#include "connectors/store_items.hpp"

namespace waybill::connectors {
namespace {

using shopify::code;
using shopify::list;

constexpr std::size_t page_size = 25;  // fulfillment orders; an order has few

struct Tracked {
  std::string number, url;
};

struct Fulfillment {
  std::string id, company;
  std::vector<Tracked> tracked;

  bool has(const StoreTracking& tracking) const {
    return std::ranges::any_of(tracked,
                               [&](const Tracked& entry) { return tracking.has_number(entry.number); });
  }
  bool is_outdated(const StoreTracking& tracking) const {
    return std::ranges::any_of(
        tracked, [&](const Tracked& entry) { return tracking.replaces(entry.number, entry.url); });
  }
};

// A fulfillment order that is open.
struct OpenOrder {
  std::string id;
  json::array lines;  // for FulfillmentOrderLineItemsInput; empty: all
};

// The deliveries of an order in the store.
struct Deliveries {
  bool cancelled = false;
  std::vector<Fulfillment> made;                         // without cancelled and failed ones
  std::map<std::string, std::vector<OpenOrder>> open;    // fulfillment orders, by location
  std::map<std::string, std::set<std::string>> made_at;  // ids of fulfillments, by location
  std::set<std::string> others;                          // states of fulfillment orders that are not open
};

Fulfillment read_fulfillment(const json::object& node) {
  Fulfillment fulfillment{code(node, "id"), {}, {}};
  for (const auto& entry : list(node, "trackingInfo")) {
    const auto* const info = entry.if_object();
    if (info == nullptr || code(*info, "number").empty()) continue;
    if (fulfillment.company.empty()) fulfillment.company = code(*info, "company");
    fulfillment.tracked.push_back({code(*info, "number"), code(*info, "url")});
  }
  return fulfillment;
}

void read_fulfillments(const json::object& order, Deliveries& deliveries) {
  deliveries.made.clear();
  for (const auto& entry : list(order, "fulfillments")) {
    const auto* const node = entry.if_object();
    if (node == nullptr) continue;
    const std::string status = code(*node, "status");
    if (status == "CANCELLED" || status == "ERROR" || status == "FAILURE") continue;
    deliveries.made.push_back(read_fulfillment(*node));
  }
}

void read_fulfillment_orders(const json::array& nodes, Deliveries& deliveries) {
  for (const auto& entry : nodes) {
    const auto* const node = entry.if_object();
    if (node == nullptr) continue;
    const std::string location = code(*node, "assignedLocation.name");
    for (const auto& made : list(*node, "fulfillments.nodes")) {
      if (made.is_object()) deliveries.made_at[location].insert(code(made.get_object(), "id"));
    }
    const std::string status = code(*node, "status");
    if (status == "OPEN" || status == "IN_PROGRESS") {
      deliveries.open[location].push_back({.id = code(*node, "id"), .lines = {}});
    } else {
      deliveries.others.insert(status);
    }
  }
}

asio::awaitable<Deliveries> read_deliveries(ShopifyApi& api, const json::value& order_id) {
  Deliveries deliveries;
  json::value after(nullptr);
  while (true) {
    const auto data =
        co_await api.call_page(shopify::deliveries, {{"id", order_id}, {"after", after}}, page_size);
    const auto* const found = data.if_contains("order");
    const auto* const order = found != nullptr ? found->if_object() : nullptr;
    if (order == nullptr) throw StoreError(StoreProblem::refused, "The store has no such order.");
    deliveries.cancelled = !code(*order, "cancelledAt").empty();
    read_fulfillments(*order, deliveries);
    const auto* const nodes = find_path(*order, "fulfillmentOrders.nodes");
    if (nodes == nullptr || !nodes->is_array()) {
      throw StoreError(StoreProblem::credentials,
                       "The store does not show the order's fulfillment orders: the app lacks "
                       "read_merchant_managed_fulfillment_orders.");
    }
    read_fulfillment_orders(nodes->get_array(), deliveries);
    const auto* const more = find_path(*order, "fulfillmentOrders.pageInfo.hasNextPage");
    const auto* const cursor = find_path(*order, "fulfillmentOrders.pageInfo.endCursor");
    if (more == nullptr || !more->is_bool() || !more->get_bool() || cursor == nullptr) co_return deliveries;
    after = *cursor;
  }
}

bool has_parcel(const Deliveries& deliveries, const StoreTracking& tracking) {
  return std::ranges::any_of(deliveries.made, [&](const Fulfillment& made) { return made.has(tracking); });
}

bool is_outdated(const Deliveries& deliveries, const StoreTracking& tracking) {
  return std::ranges::any_of(deliveries.made,
                             [&](const Fulfillment& made) { return made.is_outdated(tracking); });
}

// Keeps the locations that an interrupted sending has left without the parcel. Open fulfillment orders at a
// location that has the parcel belong to another one, and so do all of them if the parcel's location is
// unknown.
void keep_unfinished(Deliveries& deliveries, const StoreTracking& tracking) {
  bool placed = false;
  for (const Fulfillment& made : deliveries.made) {
    if (!made.has(tracking)) continue;
    for (const auto& [location, ids] : deliveries.made_at) {
      if (!ids.contains(made.id)) continue;
      placed = true;
      deliveries.open.erase(location);
    }
  }
  if (!placed) deliveries.open.clear();
}

// Moves what the open fulfillment order has of the parcel from `parcel` to its lines.
asio::awaitable<void> pick_lines(ShopifyApi& api, std::map<std::string, std::int64_t>& parcel,
                                 OpenOrder& order) {
  json::value after(nullptr);
  while (true) {
    const auto data = co_await api.call_page(shopify::open_lines, {{"id", order.id}, {"after", after}});
    const auto* const nodes = find_path(data, "fulfillmentOrder.lineItems.nodes");
    if (nodes == nullptr || !nodes->is_array())
      throw StoreError(StoreProblem::busy, "The store's answer lacks its list of lineItems.");
    for (const auto& entry : nodes->get_array()) {
      const auto* const node = entry.if_object();
      if (node == nullptr) continue;
      const auto found = parcel.find(code(*node, "lineItem.id"));
      const auto remaining = number_of(find_path(*node, "remainingQuantity"));
      if (found == parcel.end() || !remaining) continue;
      const auto taken =
          static_cast<std::int64_t>(std::clamp(*remaining, 0.0, static_cast<double>(found->second)));
      if (taken < 1) continue;
      found->second -= taken;
      order.lines.push_back(json::object{{"id", code(*node, "id")}, {"quantity", taken}});
    }
    const auto* const more = find_path(data, "fulfillmentOrder.lineItems.pageInfo.hasNextPage");
    const auto* const cursor = find_path(data, "fulfillmentOrder.lineItems.pageInfo.endCursor");
    if (more == nullptr || !more->is_bool() || !more->get_bool() || cursor == nullptr) co_return;
    after = *cursor;
  }
}

// Keeps the lines of the open fulfillment orders that the parcel has, if it has not all of the order.
asio::awaitable<void> keep_parcel(ShopifyApi& api, const json::value& order_id, const StoreTracking& tracking,
                                  Deliveries& deliveries) {
  if (tracking.items.empty() || deliveries.open.empty()) co_return;
  auto parcel = lines_in_parcel(tracking, co_await shopify_order_lines(api, order_id));
  if (parcel.has_all) co_return;
  for (auto& [location, orders] : deliveries.open) {
    for (auto& order : orders) co_await pick_lines(api, parcel.pieces, order);
    std::erase_if(orders, [](const OpenOrder& order) { return order.lines.empty(); });
  }
  std::erase_if(deliveries.open, [](const auto& entry) { return entry.second.empty(); });
}

// The messages of a mutation's `userErrors`; nullopt if it succeeded.
std::optional<std::string> user_errors(const json::object& data, std::string_view mutation) {
  const auto* const payload = data.if_contains(mutation);
  const auto* const errors =
      payload != nullptr && payload->is_object() ? payload->get_object().if_contains("userErrors") : nullptr;
  if (errors == nullptr || !errors->is_array()) return "it gives no reason";
  std::string messages;
  for (const auto& error : errors->get_array()) {
    if (!error.is_object()) continue;
    if (!messages.empty()) messages += ' ';
    messages += code(error.get_object(), "message");
  }
  if (errors->get_array().empty()) return std::nullopt;
  return clean_text(messages, shopify_message_limit).value_or("it gives no reason");
}

json::object tracking_info(const StoreTracking& tracking) {
  json::object info{{"number", tracking.tracking_number}};
  const std::string company = shopify_tracking_company(tracking.carrier_code, tracking.carrier_name);
  if (!company.empty()) info["company"] = company;
  if (!tracking.tracking_url.empty()) info["url"] = tracking.tracking_url;
  return info;
}

// The fulfillment's numbers of other parcels and this parcel's. URLs match numbers by position, so numbers
// with a URL come first; one company applies to all numbers.
json::object widened_info(const Fulfillment& made, const StoreTracking& tracking) {
  auto all = made.tracked;
  std::erase_if(all, [&](const Tracked& entry) { return tracking.has_number(entry.number); });
  if (all.empty()) return tracking_info(tracking);
  all.push_back({tracking.tracking_number, tracking.tracking_url});
  json::array numbers;
  json::array urls;
  json::array without_url;
  for (const Tracked& entry : all) {
    (entry.url.empty() ? without_url : numbers).emplace_back(entry.number);
    if (!entry.url.empty()) urls.emplace_back(entry.url);
  }
  for (auto& number : without_url) numbers.push_back(std::move(number));
  json::object info{{"numbers", std::move(numbers)}};
  if (!urls.empty()) info["urls"] = std::move(urls);
  const std::string company = made.company.empty()
                                  ? shopify_tracking_company(tracking.carrier_code, tracking.carrier_name)
                                  : made.company;
  if (!company.empty()) info["company"] = company;
  return info;
}

StoreError nothing_to_fulfil(const Deliveries& deliveries, bool has_open) {
  if (has_open)
    return {StoreProblem::refused, "The order has none of the shipment's items to fulfil in the store."};
  std::string states;
  for (const auto& state : deliveries.others) states += (states.empty() ? "" : ", ") + state;
  return {StoreProblem::refused,
          states.empty()
              ? "The store shows no fulfillment order of the order: it has nothing to send, or the "
                "app may not see it."
              : "The order has nothing to fulfil now: its fulfillment orders are " + states + "."};
}

asio::awaitable<std::optional<std::string>> change(ShopifyApi& api, const ShopifyOperation& operation,
                                                   std::string_view mutation, json::object variables) {
  const auto data = co_await api.call(operation, std::move(variables));
  co_return user_errors(data, mutation);
}

asio::awaitable<std::optional<std::string>> fulfil(ShopifyApi& api, const Deliveries& deliveries,
                                                   const StoreTracking& tracking) {
  for (const auto& [location, orders] : deliveries.open) {
    json::array lines;
    for (const auto& order : orders) {
      json::object line{{"fulfillmentOrderId", order.id}};
      if (!order.lines.empty()) line["fulfillmentOrderLineItems"] = order.lines;
      lines.push_back(std::move(line));
    }
    auto refused =
        co_await change(api, shopify::fulfil, "fulfillmentCreate",
                        {{"fulfillment", json::object{{"lineItemsByFulfillmentOrder", std::move(lines)},
                                                      {"trackingInfo", tracking_info(tracking)},
                                                      {"notifyCustomer", true}}}});
    if (refused) co_return refused;
  }
  co_return std::nullopt;
}

asio::awaitable<std::optional<std::string>> set_tracking(ShopifyApi& api, const Fulfillment& made,
                                                         const StoreTracking& tracking) {
  co_return co_await change(api, shopify::update_tracking, "fulfillmentTrackingInfoUpdate",
                            {{"id", made.id}, {"tracking", widened_info(made, tracking)}});
}

asio::awaitable<std::optional<std::string>> replace(ShopifyApi& api, const Deliveries& deliveries,
                                                    const StoreTracking& tracking) {
  for (const Fulfillment& made : deliveries.made) {
    if (!made.is_outdated(tracking)) continue;
    if (auto refused = co_await set_tracking(api, made, tracking)) co_return refused;
  }
  co_return std::nullopt;
}

asio::awaitable<std::optional<std::string>> add_number(ShopifyApi& api, const Deliveries& deliveries,
                                                       const StoreTracking& tracking) {
  auto target =
      std::ranges::find_if(deliveries.made, [](const Fulfillment& made) { return made.tracked.empty(); });
  if (target == deliveries.made.end()) target = std::prev(deliveries.made.end());
  co_return co_await set_tracking(api, *target, tracking);
}

}  // namespace

std::string shopify_tracking_company(std::string_view carrier_code, std::string_view carrier_name) {
  struct Row {
    std::string_view code, company;
  };
  constexpr std::array<Row, 26> rows = {{
      {"an_post", "An Post"},
      {"australia_post", "Australia Post"},
      {"bpost", "BPost"},
      {"canada_post", "Canada Post"},
      {"chronopost", "Chronopost"},
      {"colissimo", "Colissimo"},
      {"correos", "Correos"},
      {"deutsche_post", "Deutsche Post"},
      {"dhl", "DHL"},
      {"dhl_ecommerce", "DHL eCommerce"},
      {"dhl_express", "DHL Express"},
      {"dhl_parcel", "DHL"},
      {"dpd", "DPD"},
      {"evri", "Evri"},
      {"fedex", "FedEx"},
      {"gls", "GLS"},
      {"hermes", "Hermes"},
      {"la_poste", "La Poste"},
      {"mondial_relay", "Mondial Relay"},
      {"postnl", "PostNL"},
      {"royal_mail", "Royal Mail"},
      {"swiss_post", "Swiss Post"},
      {"tnt", "TNT"},
      {"ups", "UPS"},
      {"usps", "USPS"},
      {"xpo", "XPO Logistics"},
  }};
  const auto* const row = std::ranges::find(rows, carrier_code, &Row::code);
  return std::string(row == rows.end() ? carrier_name : row->company);
}

asio::awaitable<bool> shopify_send_tracking(std::shared_ptr<ShopifyApi> api, StoreTracking tracking) {
  const json::value id(shopify_gid("Order", tracking.order_id));
  if (!shopify_id(&id)) throw StoreError(StoreProblem::refused, "The store has no such order.");
  auto deliveries = co_await read_deliveries(*api, id);
  const bool known = has_parcel(deliveries, tracking);
  const bool outdated = is_outdated(deliveries, tracking);
  if (known) keep_unfinished(deliveries, tracking);
  const bool has_open = !deliveries.open.empty();
  if (!deliveries.cancelled) co_await keep_parcel(*api, id, tracking, deliveries);
  if (known && deliveries.open.empty() && !outdated) co_return false;
  if (deliveries.cancelled) throw StoreError(StoreProblem::refused, "The order is cancelled in the store.");
  if (deliveries.open.empty() && deliveries.made.empty()) throw nothing_to_fulfil(deliveries, has_open);

  auto refused = co_await replace(*api, deliveries, tracking);
  if (!refused && !deliveries.open.empty()) {
    refused = co_await fulfil(*api, deliveries, tracking);
  } else if (!refused && !known) {
    refused = co_await add_number(*api, deliveries, tracking);
  }
  if (!refused) co_return true;
  // An earlier sending whose answer was lost may have succeeded in the meantime.
  auto now = co_await read_deliveries(*api, id);
  co_await keep_parcel(*api, id, tracking, now);
  if (now.open.empty() && has_parcel(now, tracking) && !is_outdated(now, tracking)) co_return false;
  throw StoreError(StoreProblem::refused, "The store refuses the tracking number: " + *refused);
}

}  // namespace waybill::connectors
