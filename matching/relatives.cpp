#include "matching/relatives.hpp"

#include <unordered_map>

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

}  // namespace

void collect_relatives(const Guid& business, const Guid& entity_id, domain::EntityType type,
                       const json::object& entity, storage::RelativesWanted& wanted) {
  const auto add = [&](std::string_view name, std::vector<storage::RelativeKey>& keys) {
    const json::object* object = object_member(entity, name);
    if (object == nullptr) return;
    if (const auto guid = guid_of(*object)) keys.push_back({business, *guid});
  };
  add("customer", wanted.customers);
  add("carrier", wanted.carriers);
  if (type == domain::EntityType::order) wanted.orders.push_back({business, entity_id});
}

std::size_t RelativeIndex::Hash::operator()(const storage::RelativeKey& key) const {
  return std::hash<Guid>{}(key.guid) ^ (std::hash<Guid>{}(key.business_id) << 1U);
}

RelativeIndex::RelativeIndex(const std::vector<Relative>& relatives) {
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
    object["email"] = found && found->extra ? json::value(*found->extra) : json::value(nullptr);
  }
  if (json::value* carrier = entity.if_contains("carrier"); carrier != nullptr && carrier->is_object()) {
    json::object& object = carrier->get_object();
    const Relative* found = find(Relative::Kind::carrier, business, object);
    object["name"] = found ? json::value(found->name) : json::value(nullptr);
  }
  if (type != domain::EntityType::order) return;
  json::array shipments(entity.storage());
  const auto [first, last] =
      by_kind_[static_cast<std::size_t>(Relative::Kind::shipment)].equal_range({business, entity_id});
  // A multimap does not keep the order of equal keys; sorting by address restores the order of the rows.
  std::vector<const Relative*> rows;
  for (auto entry = first; entry != last; ++entry) rows.push_back(entry->second);
  std::ranges::sort(rows);
  for (const Relative* shipment : rows) {
    shipments.push_back({{"guid", shipment->related.to_string()},
                         {"trackingNumber", shipment->name},
                         {"status", shipment->extra.value_or("")}});
  }
  entity["shipments"] = std::move(shipments);
}

void fill_relatives(storage::Outbox& outbox, const Guid& business, const Guid& entity_id,
                    domain::EntityType type, json::object& entity) {
  storage::RelativesWanted wanted;
  collect_relatives(business, entity_id, type, entity, wanted);
  const std::vector<storage::Relative> relatives = outbox.relatives(wanted);
  RelativeIndex(relatives).fill(business, entity_id, type, entity);
}

}  // namespace waybill::matching
