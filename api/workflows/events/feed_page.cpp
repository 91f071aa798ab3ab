#include "api/workflows/events/feed_page.hpp"

#include <algorithm>
#include <vector>

#include "api/records/fields.hpp"
#include "api/records/history.hpp"
#include "api/workflows/definition/workflow_schemas.hpp"
#include "domain/workflows/triggers.hpp"

namespace waybill::api {
namespace {

constexpr Schema entity_object_schema{.name = "EventEntity", .json = R"({"type": "object"})"};
constexpr Property cause_properties[] = {
    {.name = "by", .kind = Kind::object, .nullable = false, .schema = &actor_schema},
    {.name = "depth",
     .kind = Kind::integer,
     .nullable = false,
     .description = "The number of workflows that led to the change."},
    {.name = "note", .kind = Kind::text, .description = "The note of a status change."},
};
constexpr Schema cause_schema{"EventCause", cause_properties};
constexpr Property event_properties[] = {
    {.name = "eventId", .kind = Kind::integer, .nullable = false},
    {.name = "type",
     .kind = Kind::string,
     .nullable = false,
     .schema = &trigger_code_schema,
     .description = "The narrowest trigger that the event meets."},
    {.name = "triggers", .kind = Kind::array, .nullable = false, .schema = &trigger_code_schema},
    {.name = "entityType", .kind = Kind::string, .nullable = false, .schema = &entity_type_schema},
    {.name = "entityId", .kind = Kind::uuid, .nullable = false},
    {.name = "at", .kind = Kind::timestamp, .nullable = false},
    {.name = "entity",
     .kind = Kind::any,
     .nullable = false,
     .schema = &entity_object_schema,
     .description = "The record after the event; for a deleted record, its last state."},
    {.name = "previous",
     .kind = Kind::any,
     .nullable = false,
     .schema = &entity_object_schema,
     .description = "The earlier values of the fields that changed."},
    {.name = "cause", .kind = Kind::object, .schema = &cause_schema},
    {.name = "error",
     .kind = Kind::string,
     .optional = true,
     .description = "Only of an event whose record cannot be read, whose entity has the guid alone: "
                    "PAYLOAD_TOO_LARGE (it has more than 4 MiB) or UNREADABLE."},
};
/// The cause of an event with all its fields, without those that only the audit log shows. Null if SQL wrote
/// something else.
json::value cause_json(const std::optional<std::string>& stored) {
  if (!stored) return nullptr;
  const auto parsed = parse_json(*stored);
  const auto* const value = std::get_if<json::value>(&parsed);
  const json::object* const cause = value == nullptr ? nullptr : value->if_object();
  if (cause == nullptr) return nullptr;
  const auto member = [&](std::string_view path) {
    const json::value* const found = find_value(*cause, path);
    return found == nullptr ? json::value() : *found;
  };
  return json::object{
      {"by", {{"type", member("by.type")}, {"guid", member("by.guid")}, {"name", member("by.name")}}},
      {"depth", storage::cause_depth(stored)},
      {"note", member("note")}};
}

struct FeedEvent {
  const storage::StoredEvent* stored;
  matching::PastChange* change = nullptr;                 // null: the record cannot be read
  const matching::UnreadableEvent* unreadable = nullptr;  // then not null
  std::vector<const domain::Trigger*> met;                // narrowest first
};

/// Takes the record out of the change.
json::object event_json(const FeedEvent& shown) {
  const storage::StoredEvent& event = *shown.stored;
  const auto& met = shown.met;
  json::object entity{{"guid", event.entity_id.to_string()}};
  json::object previous;
  if (shown.change != nullptr) {
    entity = std::move(shown.change->change.entity);
    previous = std::move(shown.change->change.previous);
  }
  json::array triggers;
  for (const domain::Trigger* const trigger : met) triggers.push_back(json::value(trigger->code));
  json::object json{{"eventId", event.id},
                    {"type", met.front()->code},
                    {"triggers", std::move(triggers)},
                    {"entityType", domain::record_type(event.entity_type).name},
                    {"entityId", event.entity_id.to_string()},
                    {"at", format_timestamp(event.at)},
                    {"entity", std::move(entity)},
                    {"previous", std::move(previous)},
                    {"cause", cause_json(event.cause)}};
  if (shown.unreadable != nullptr) json.emplace("error", shown.unreadable->problem.code);
  return json;
}

/// The events of a batch in their order. The trigger of one that cannot be read is the broadest that it may
/// have met: created, updated or deleted.
std::vector<FeedEvent> feed_events(std::vector<matching::PastChange>& changes,
                                   const std::vector<matching::UnreadableEvent>& unreadable) {
  std::vector<FeedEvent> events;
  events.reserve(changes.size() + unreadable.size());
  for (auto& change : changes)
    events.push_back(
        {.stored = change.event, .change = &change, .met = domain::narrowest_first(change.fired)});
  for (const auto& event : unreadable) {
    auto possible = domain::narrowest_first(event.possible());
    if (possible.size() > 1) possible.erase(possible.begin(), possible.end() - 1);
    events.push_back({.stored = event.event, .unreadable = &event, .met = std::move(possible)});
  }
  if (!unreadable.empty()) std::ranges::sort(events, {}, &FeedEvent::stored);
  return events;
}

bool is_wanted(const FeedWanted& wanted, const FeedEvent& event) {
  return !event.met.empty() && (!wanted.entity_type || event.stored->entity_type == *wanted.entity_type) &&
         (!wanted.type || event.met.front()->code == *wanted.type);
}

}  // namespace

constexpr Schema feed_event_schema{"FeedEvent", event_properties};

bool FeedPage::is_full() const {
  return count_ >= wanted_.limit || data_.size() >= storage::PageLimits().bytes;
}

std::size_t FeedPage::count(std::span<const storage::StoredEvent> stored) {
  std::vector<matching::UnreadableEvent> unreadable;
  auto changes = past_.changes(stored, {}, &unreadable);
  return static_cast<std::size_t>(std::ranges::count_if(
      feed_events(changes, unreadable), [&](const FeedEvent& event) { return is_wanted(wanted_, event); }));
}

std::size_t FeedPage::add(std::span<const storage::StoredEvent> stored) {
  std::vector<matching::UnreadableEvent> unreadable;
  auto changes = past_.changes(stored, {}, &unreadable);
  std::vector<FeedEvent> chosen;
  std::vector<matching::PastChange*> filled;
  std::size_t examined = stored.size();
  for (FeedEvent& event : feed_events(changes, unreadable)) {
    if (!is_wanted(wanted_, event)) continue;
    if (chosen.size() == free()) {
      examined = static_cast<std::size_t>(event.stored - stored.data());
      break;
    }
    if (event.change != nullptr) filled.push_back(event.change);
    chosen.push_back(std::move(event));
  }
  if (!filled.empty()) past_.fill_relatives(filled);
  for (const FeedEvent& event : chosen) {
    if (count_++ > 0) data_ += ',';
    data_ += to_json(event_json(event));
  }
  return examined;
}

}  // namespace waybill::api
