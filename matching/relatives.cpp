#include "matching/relatives.hpp"

#include <unordered_map>

#include "matching/tracking_links.hpp"

namespace waybill::matching {
namespace {

using storage::Relative;

const json::object* object_member(const json::object& entity, std::string_view name) {
  const json::value* value = entity.if_contains(name);
  return value == nullptr ? nullptr : value->if_object();
}

std::optional<Guid> guid_of(const json::object& object) {
  const json::value* value = object.if_contains("guid");
  if (value == nullptr || !value->is_string()) return std::nullopt;
  return Guid::parse(value->get_string());
}

constexpr std::string_view link_name = "carrierTrackingUrl";
constexpr std::string_view number_name = "carrierTrackingNumber";
constexpr std::string_view carrier_name = "carrier";

/// The value of a member; null if there is none.
const json::value& member(const json::object& object, std::string_view name) {
  static const json::value none;
  const json::value* value = object.if_contains(name);
  return value == nullptr ? none : *value;
}

/// The value of a member before a change.
const json::value& member_before(const domain::Change& change, std::string_view name) {
  const json::value* value = change.previous.if_contains(name);
  return value == nullptr ? member(change.entity, name) : *value;
}

/// True if a change may have changed a shipment's link to its carrier's page.
bool may_change_link(const domain::Change& change) {
  return change.type == domain::EntityType::shipment && !change.previous.empty() &&
         (change.previous.contains(link_name) || change.previous.contains(number_name) ||
          change.previous.contains(carrier_name));
}

json::value text_or_null(const std::optional<std::string>& text) {
  return text ? json::value(*text) : json::value(nullptr);
}

/// The integration of an order's source; null if there is none.
const json::object* integration_of(const json::object& entity) {
  const json::object* source = object_member(entity, "source");
  return source == nullptr ? nullptr : object_member(*source, "integration");
}

/// Makes the link to the carrier's page of a shipment that has a carrier's number and no link.
void add_carrier_link(json::object& entity, std::string_view pattern) {
  json::value* link = entity.if_contains(link_name);
  const json::value* number = entity.if_contains(number_name);
  if (link == nullptr || !link->is_null() || number == nullptr || !number->is_string()) return;
  *link = carrier_tracking_url(pattern, number->get_string());
}

}  // namespace

void collect_relatives(const Guid& business, const Guid& entity_id, domain::EntityType type,
                       const json::object& entity, storage::RelativesWanted& wanted, bool with_pages) {
  const auto add = [&](std::string_view name, std::vector<storage::RelativeKey>& keys) {
    const json::object* object = object_member(entity, name);
    if (object == nullptr) return;
    if (const auto guid = guid_of(*object)) keys.push_back({business, *guid});
  };
  add("customer", wanted.customers);
  add("carrier", wanted.carriers);
  if (type == domain::EntityType::order) {
    wanted.orders.push_back({business, entity_id});
    if (const json::object* integration = integration_of(entity)) {
      if (const auto guid = guid_of(*integration)) wanted.integrations.push_back({business, *guid});
    }
    wanted.pages_of_orders = wanted.pages_of_orders || with_pages;
  }
  if (type == domain::EntityType::shipment && with_pages) wanted.pages.push_back({business, entity_id});
}

void collect_relatives(const Guid& business, const Guid& entity_id, const domain::Change& change,
                       storage::RelativesWanted& wanted, bool with_pages) {
  collect_relatives(business, entity_id, change.type, change.entity, wanted, with_pages);
  // The carrier after the change is that of the entity.
  const json::object* before = object_member(change.previous, carrier_name);
  if (before == nullptr || !may_change_link(change)) return;
  if (const auto guid = guid_of(*before)) wanted.carriers.push_back({business, *guid});
}

void collect_carriers_of_link(const Guid& business, const domain::Change& change,
                              storage::RelativesWanted& wanted) {
  if (!may_change_link(change)) return;
  for (const json::object* const record : {&change.entity, &change.previous}) {
    const json::object* carrier = object_member(*record, carrier_name);
    const auto guid = carrier == nullptr ? std::nullopt : guid_of(*carrier);
    if (guid) wanted.carriers.push_back({business, *guid});
  }
}

std::size_t RelativeIndex::Hash::operator()(const storage::RelativeKey& key) const {
  return std::hash<Guid>{}(key.guid) ^ (std::hash<Guid>{}(key.business_id) << 1U);
}

RelativeIndex::RelativeIndex(const std::vector<Relative>& relatives, std::string_view public_url)
    : public_url_(public_url) {
  for (const Relative& relative : relatives) {
    by_kind_[static_cast<std::size_t>(relative.kind)].emplace(relative.key, &relative);
  }
}

const Relative* RelativeIndex::find(Relative::Kind kind, const Guid& business,
                                    const json::object& object) const {
  const auto guid = guid_of(object);
  if (!guid) return nullptr;
  const ByKey& index = by_kind_[static_cast<std::size_t>(kind)];
  const auto found = index.find({business, *guid});
  return found == index.end() ? nullptr : found->second;
}

void RelativeIndex::fill(const Guid& business, const Guid& entity_id, domain::EntityType type,
                         json::object& entity) const {
  if (json::value* customer = entity.if_contains("customer"); customer != nullptr && customer->is_object()) {
    json::object& object = customer->get_object();
    const Relative* found = find(Relative::Kind::customer, business, object);
    object["name"] = found ? json::value(found->name) : json::value(nullptr);
    object["email"] = found ? text_or_null(found->extra) : json::value(nullptr);
    object["phone"] = found ? text_or_null(found->more) : json::value(nullptr);
  }
  if (json::value* carrier = entity.if_contains("carrier"); carrier != nullptr && carrier->is_object()) {
    json::object& object = carrier->get_object();
    const Relative* found = find(Relative::Kind::carrier, business, object);
    object["name"] = found ? json::value(found->name) : json::value(nullptr);
    if (found != nullptr && found->extra) add_carrier_link(entity, *found->extra);
  }
  if (type == domain::EntityType::shipment) {
    const ByKey& pages = by_kind_[static_cast<std::size_t>(Relative::Kind::page)];
    const auto page = pages.find({business, entity_id});
    if (page != pages.end() && !public_url_.empty()) entity["trackingUrl"] = tracking_url(page->second->name);
  }
  if (type != domain::EntityType::order) return;
  if (const json::object* integration = integration_of(entity)) {
    const Relative* found = find(Relative::Kind::integration, business, *integration);
    json::object& object = entity["source"].as_object()["integration"].as_object();
    object["name"] = found ? json::value(found->name) : json::value(nullptr);
    object["provider"] = found ? text_or_null(found->extra) : json::value(nullptr);
  }
  json::array shipments(entity.storage());
  const auto [first, last] =
      by_kind_[static_cast<std::size_t>(Relative::Kind::shipment)].equal_range({business, entity_id});
  // A multimap does not keep the order of equal keys; sorting by address restores the order of the rows.
  std::vector<const Relative*> rows;
  for (auto entry = first; entry != last; ++entry) rows.push_back(entry->second);
  std::ranges::sort(rows);
  for (const Relative* shipment : rows) {
    json::object& shown =
        shipments
            .emplace_back(json::object({{"guid", shipment->related.to_string()},
                                        {"trackingNumber", shipment->name},
                                        {"status", shipment->extra.value_or("")},
                                        {"labelStatus", text_or_null(shipment->label_status)}},
                                       entity.storage()))
            .as_object();
    if (shipment->more && !public_url_.empty()) shown["trackingUrl"] = tracking_url(*shipment->more);
  }
  entity["shipments"] = std::move(shipments);
}

void RelativeIndex::fill(const Guid& business, const Guid& entity_id, domain::Change& change) const {
  fill_previous(business, change);
  fill(business, entity_id, change.type, change.entity);
}

void RelativeIndex::fill_previous(const Guid& business, domain::Change& change) const {
  if (!may_change_link(change)) return;
  json::value before = shown_link(business, member_before(change, link_name),
                                  member_before(change, number_name), member_before(change, carrier_name));
  const json::value after =
      shown_link(business, member(change.entity, link_name), member(change.entity, number_name),
                 member(change.entity, carrier_name));
  if (before == after) {
    change.previous.erase(link_name);
  } else {
    change.previous[link_name] = std::move(before);
  }
}

/// The link that a shipment with these values shows, as `fill` makes it.
json::value RelativeIndex::shown_link(const Guid& business, const json::value& link,
                                      const json::value& number, const json::value& carrier) const {
  if (!link.is_null() || !number.is_string() || !carrier.is_object()) return link;
  const Relative* found = find(Relative::Kind::carrier, business, carrier.get_object());
  if (found == nullptr || !found->extra) return {};
  return json::value(carrier_tracking_url(*found->extra, number.get_string()));
}

std::string RelativeIndex::tracking_url(std::string_view token) const {
  return tracking_page_url(public_url_, token);
}

void fill_relatives(storage::Outbox& outbox, const Guid& business, const Guid& entity_id,
                    domain::EntityType type, json::object& entity, const TrackingPages& pages) {
  storage::RelativesWanted wanted;
  collect_relatives(business, entity_id, type, entity, wanted, pages.wanted);
  const std::vector<storage::Relative> relatives = outbox.relatives(wanted);
  RelativeIndex(relatives, pages.public_url).fill(business, entity_id, type, entity);
}

void fill_relatives(storage::Outbox& outbox, const Guid& business, const Guid& entity_id,
                    domain::Change& change, const TrackingPages& pages) {
  storage::RelativesWanted wanted;
  collect_relatives(business, entity_id, change, wanted, pages.wanted);
  const std::vector<storage::Relative> relatives = outbox.relatives(wanted);
  RelativeIndex(relatives, pages.public_url).fill(business, entity_id, change);
}

void fill_previous(storage::Outbox& outbox, const Guid& business, domain::Change& change) {
  storage::RelativesWanted wanted;
  collect_carriers_of_link(business, change, wanted);
  if (wanted.empty()) return;
  const std::vector<storage::Relative> relatives = outbox.relatives(wanted);
  RelativeIndex(relatives).fill_previous(business, change);
}

}  // namespace waybill::matching
