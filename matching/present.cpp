#include "matching/present.hpp"

#include "matching/past.hpp"
#include "matching/relatives.hpp"

namespace waybill::matching {

std::optional<domain::Change> present(storage::Session& session, const Guid& business,
                                      domain::EntityType type, const Guid& entity) {
  storage::Outbox outbox(session);
  storage::RecordColumns columns(session);
  const storage::StoredEvent key{.id = 0,
                                 .business_id = business,
                                 .entity_type = type,
                                 .entity_id = entity,
                                 .at = {},
                                 .cause = {},
                                 .before = {},
                                 .after = {}};
  const auto now = outbox.current({&key, 1});
  if (!now.front().after) return std::nullopt;
  domain::Change change = columns.change(now.front(), {});
  storage::RelativesWanted wanted;
  want_relatives(business, entity, type, change.entity, wanted);
  const auto relatives = outbox.relatives(wanted);
  RelativeIndex(relatives).fill(business, entity, type, change.entity);

  const auto last = storage::PastEvents(session).of_record(business, entity, 1);
  if (!last.empty() && last.front().event.entity_type == type) {
    domain::Change then = columns.change(last.front().event, {});
    change.created = then.created;
    change.previous = std::move(then.previous);
  }
  return change;
}

}  // namespace waybill::matching
