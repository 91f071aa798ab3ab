#include "matching/past.hpp"

#include <utility>

#include "matching/relatives.hpp"

namespace waybill::matching {

domain::TriggerSet UnreadableEvent::possible() const {
  return domain::possible_triggers(event->entity_type, event->before.has_value(), event->after.has_value());
}

std::vector<PastChange> PastReader::changes(std::span<const storage::StoredEvent> events,
                                            const json::storage_ptr& memory,
                                            std::vector<UnreadableEvent>* unreadable) {
  std::vector<PastChange> changes;
  changes.reserve(events.size());
  for (const storage::StoredEvent& event : events) {
    auto problem = unless_unreadable([&] {
      domain::Change change = columns_.change(event, memory);
      const domain::TriggerSet fired = domain::fired_triggers(change);
      changes.push_back({&event, std::move(change), fired});
    });
    if (problem && unreadable != nullptr) unreadable->push_back({&event, *std::move(problem)});
  }
  return changes;
}

json::object PastReader::entity_before(const storage::StoredEvent& event) {
  storage::StoredEvent earlier = event;
  earlier.after.reset();
  earlier.detail.reset();
  return std::move(columns_.change(earlier, {}).entity);
}

void PastReader::fill_relatives(std::span<PastChange* const> changes) {
  std::vector<storage::PastRelativeKey> wanted;
  for (std::size_t i = 0; i < changes.size(); ++i) {
    const storage::StoredEvent& event = *changes[i]->event;
    storage::RelativesWanted keys_of_event;
    collect_relatives(event.business_id, event.entity_id, changes[i]->change, keys_of_event);
    const auto add = [&](const std::vector<storage::RelativeKey>& keys, storage::Relative::Kind kind) {
      for (const auto& key : keys) wanted.push_back({i, kind, key.business_id, key.guid, event.at});
    };
    add(keys_of_event.customers, storage::Relative::Kind::customer);
    add(keys_of_event.carriers, storage::Relative::Kind::carrier);
    add(keys_of_event.orders, storage::Relative::Kind::shipment);
    add(keys_of_event.integrations, storage::Relative::Kind::integration);
  }
  const auto relatives = events_.relatives(wanted, changes.size());
  for (std::size_t i = 0; i < changes.size(); ++i) {
    const storage::StoredEvent& event = *changes[i]->event;
    RelativeIndex(relatives[i]).fill(event.business_id, event.entity_id, changes[i]->change);
  }
}

void PastReader::fill_previous(PastChange& change) {
  const storage::StoredEvent& event = *change.event;
  storage::RelativesWanted keys;
  collect_carriers_of_link(event.business_id, change.change, keys);
  if (keys.empty()) return;
  std::vector<storage::PastRelativeKey> wanted;
  for (const auto& key : keys.carriers)
    wanted.push_back({0, storage::Relative::Kind::carrier, key.business_id, key.guid, event.at});
  RelativeIndex(events_.relatives(wanted, 1).front()).fill_previous(event.business_id, change.change);
}

LastChange last_change(storage::Session& session, const Guid& business, const Guid& entity) {
  PastReader reader(session);
  const auto past = reader.events().of_record(business, entity, {.limit = 1});
  std::vector<PastChange> changes = reader.changes(past.events);
  if (changes.empty()) return {};
  const storage::StoredEvent& event = *changes.front().event;
  reader.fill_previous(changes.front());
  return {.event_id = event.id, .at = event.at, .change = std::move(changes.front().change)};
}

}  // namespace waybill::matching
