#include "storage/changes/record_change.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>
#include <utility>

#include "base/blanks.hpp"
#include "base/crypto.hpp"
#include "base/exact_number.hpp"
#include "base/json.hpp"
#include "domain/records/packed_items.hpp"
#include "domain/values/tracking_number.hpp"
#include "storage/session/session.hpp"
#include "storage/sql/record_changes.sql.hpp"
#include "storage/sql/shipments.sql.hpp"

namespace waybill::storage {
namespace {

using Kind = ChangeResult::Kind;

ChangeResult not_found(domain::EntityType type) {
  return {.kind = Kind::not_found,
          .error = "the " + std::string(domain::record_type(type).label) + " no longer exists"};
}

ChangeResult locked(domain::EntityType type) {
  return {.kind = Kind::locked,
          .error = "another transaction holds the " + std::string(domain::record_type(type).label)};
}

Kind kind_of(std::string_view text) {
  if (text == "made") return Kind::made;
  if (text == "closed") return Kind::closed;
  return text == "locked" ? Kind::locked : Kind::invalid;
}

template <typename S>
ChangeResult change_fields(Session& session, const Guid& business, const FieldChange& change) {
  const auto rows = session.run(S{.business = business,
                                  .record = change.record,
                                  .changes = change.changes,
                                  .added_tags = change.added_tags,
                                  .removed_tags = change.removed_tags,
                                  .cause = change.cause});
  const auto row = rows.find();
  if (!row) return not_found(change.entity_type);
  const Kind kind = kind_of(row->kind);
  if (kind == Kind::locked) return locked(change.entity_type);
  return {.kind = kind, .error = std::string(row->error.value_or("")), .moved = kind == Kind::made ? 1U : 0U};
}

ChangeResult make(Session& session, const Guid& business, const FieldChange& change) {
  switch (change.entity_type) {
    case domain::EntityType::order:
      return change_fields<sql::record_changes::Orders>(session, business, change);
    case domain::EntityType::shipment:
      return change_fields<sql::record_changes::Shipments>(session, business, change);
    case domain::EntityType::customer:
      return change_fields<sql::record_changes::Customers>(session, business, change);
    case domain::EntityType::product:
      break;
  }
  return change_fields<sql::record_changes::Products>(session, business, change);
}

ChangeResult make(Session& session, const Guid& business, const StatusChange& change) {
  return change_status(session, business, change);
}

std::string random_tracking_number() {
  std::array<std::uint8_t, 8> bytes{};
  fill_random(bytes);
  std::uint64_t number = 0;
  for (const auto byte : bytes) number = number << 8U | byte;
  return domain::tracking_number(static_cast<std::uint32_t>(number % domain::tracking_number_count));
}

bool has_guid(const json::value& item, const Guid& guid) {
  const auto* const object = item.if_object();
  const auto* const own = object == nullptr ? nullptr : object->if_contains("guid");
  return own != nullptr && own->is_string() && Guid::parse(own->get_string()) == guid;
}

/// The items to ship; nullopt if one of the guids names none.
std::optional<json::array> picked_items(const json::array& items, const NewShipment& change) {
  if (!change.items) return items;
  json::array picked;
  for (const Guid& guid : *change.items) {
    const auto* const found =
        std::ranges::find_if(items, [&](const json::value& item) { return has_guid(item, guid); });
    if (found == items.end()) return std::nullopt;
    if (std::ranges::find(picked, *found) == picked.end()) picked.push_back(*found);
  }
  return picked;
}

bool is_blank(const std::optional<std::string_view>& text) { return !text || waybill::is_blank(*text); }

/// The reason that the carrier and service level of a change do not fit; `levels` are those of the carrier.
std::optional<std::string> terms_problem(const NewShipment& change,
                                         const std::optional<std::string_view>& levels) {
  if (change.carrier && !levels) return "carrierId names no carrier";
  if (!change.service_level || !levels) return std::nullopt;
  const json::array known = exact_list(*levels);
  if (std::ranges::find(known, json::value(*change.service_level)) != known.end()) return std::nullopt;
  return "serviceLevel must be one of the carrier's service levels: " + std::string(*levels);
}

json::value or_null(const std::optional<std::string_view>& text) {
  return text ? json::value(*text) : json::value();
}
json::value or_null(const std::optional<Guid>& guid) {
  return guid ? json::value(guid->to_string()) : json::value();
}

/// A shipment with the values of a locked order, as an entry of shipments/create.sql.
json::object entry_of(const NewShipment& change, const TypedRows<sql::shipments::LockOrder>& orders,
                      std::string_view number, const json::array& picked) {
  const auto order = orders.front();
  // A service level belongs to a carrier: another carrier does not take over that of the order.
  const bool has_own_carrier = change.carrier && change.carrier != order.carrier_id;
  json::value level;
  if (change.service_level) {
    level = *change.service_level;
  } else if (!has_own_carrier) {
    level = or_null(order.service_level);
  }
  json::object entry{{"guid", change.shipment.to_string()},
                     {"tracking_number", number},
                     {"order", change.order.to_string()},
                     {"customer", or_null(order.customer_id)},
                     {"carrier", or_null(change.carrier ? change.carrier : order.carrier_id)},
                     {"service_level", std::move(level)},
                     {"packages", domain::packed_items(picked)}};
  if (change.items) {
    json::array& items = (entry["order_items"] = json::array()).get_array();
    for (const Guid& guid : *change.items) items.emplace_back(guid.to_string());
  }
  if (auto pieces = domain::pieces_by_item(picked)) entry["order_pieces"] = *std::move(pieces);
  const auto columns = orders.more();
  for (int place = 0; place < columns.columns(); ++place)
    entry.emplace(columns.name(place), or_null(columns.find(0, place)));
  return entry;
}

/// The text in a column of a locked order, by its name.
std::optional<std::string_view> text_of(const Rows& columns, std::string_view name) {
  for (int place = 0; place < columns.columns(); ++place)
    if (columns.name(place) == name) return columns.find(0, place);
  return std::nullopt;
}

ChangeResult make(Session& session, const Guid& business, const NewShipment& change) {
  constexpr int number_choices = 3;
  std::vector<std::string> numbers(number_choices);
  std::ranges::generate(numbers, random_tracking_number);
  const auto holds = session.run(sql::record_changes::HoldOrder{.business = business,
                                                                .order = change.order,
                                                                .carrier = change.carrier,
                                                                .numbers = numbers,
                                                                .cause = change.cause});
  const auto hold = holds.find();
  if (!hold) return not_found(domain::EntityType::order);
  if (!hold->is_held || !hold->number) return locked(domain::EntityType::order);
  const auto orders = session.run(sql::shipments::LockOrder{.business = business, .order = change.order});
  const auto order = orders.find();
  if (!order) return not_found(domain::EntityType::order);
  if (order->status == "cancelled") return {.kind = Kind::closed, .error = "the order is cancelled"};
  const auto open = session.run(sql::shipments::HasOpenShipment{.business = business, .order = change.order});
  if (open.front().has_open) return {.kind = Kind::exists, .error = "the order has a shipment"};
  if (auto problem = terms_problem(change, hold->levels))
    return {.kind = Kind::invalid, .error = std::move(*problem)};
  for (const std::string name : {"street", "city"}) {
    if (is_blank(text_of(orders.more(), "recipient_" + name)))
      return {.kind = Kind::invalid, .error = "deliveryAddress." + name + " is missing in the order"};
  }
  auto items = picked_items(exact_list(order->items), change);
  if (!items) return {.kind = Kind::invalid, .error = "itemIds names an item that the order does not have"};
  if (items->empty()) items->emplace_back(nullptr);
  const json::array shipments{entry_of(change, orders, *hold->number, *items)};
  session.run(sql::shipments::Create{.business = business, .shipments = to_json(shipments)});
  if (change.generate_label) request_label(session, business, change.shipment, change.cause);
  return {.kind = Kind::made,
          .moved = 1,
          .made = {{"shipmentId", change.shipment.to_string()}, {"trackingNumber", *hold->number}}};
}

template <typename... Cases>
struct Overloaded : Cases... {
  using Cases::operator()...;
};
template <typename... Cases>
Overloaded(Cases...) -> Overloaded<Cases...>;

}  // namespace

const LabelStep* label_step(const RecordChange& change) {
  return std::visit(Overloaded{[](const LabelPurchase& each) { return &each.step; },
                               [](const LabelVoid& each) { return &each.step; },
                               [](const auto&) -> const LabelStep* { return nullptr; }},
                    change.change);
}

ChangeResult make_change(Session& session, const Guid& business, const RecordChange& change) {
  return std::visit(
      Overloaded{
          [&](const LabelPurchase& each) { return buy_label(session, business, each, change.started_at); },
          [&](const LabelVoid& each) { return void_label(session, business, each, change.started_at); },
          [&](const auto& each) { return make(session, business, each); }},
      change.change);
}

}  // namespace waybill::storage
