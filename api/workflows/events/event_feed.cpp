// The feed of a business's events.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "api/endpoint/endpoint.hpp"
#include "api/endpoint/paging.hpp"
#include "api/endpoint/services.hpp"
#include "api/records/fields.hpp"
#include "api/records/history.hpp"
#include "api/workflows/definition/workflow_schemas.hpp"
#include "api/workflows/events/event_cursor.hpp"
#include "base/crypto.hpp"
#include "base/number.hpp"
#include "domain/workflows/triggers.hpp"
#include "matching/past.hpp"
#include "storage/settings/sealing_purposes.hpp"
#include "storage/sql/history.sql.hpp"
#include "storage/statement/binary.hpp"

namespace waybill::api {
namespace {

namespace sql = storage::sql::history;

constexpr std::int64_t default_limit = 100;
constexpr std::int64_t max_limit = 500;
constexpr std::size_t filtered_batch = 500;  // events that a filter examines at a time
constexpr int max_batches = 10;
constexpr std::size_t longest_cursor = 16'000;
// A page ends with the event that reaches this size of its JSON; a batch, with this size of its records.
constexpr std::size_t most_bytes = storage::PageLimits().bytes;

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
constexpr Schema event_schema{"FeedEvent", event_properties};
constexpr Property feed_properties[] = {
    {.name = "data", .kind = Kind::array, .nullable = false, .schema = &event_schema},
    {.name = "nextCursor", .kind = Kind::text, .nullable = false},
    {.name = "hasMore", .kind = Kind::boolean, .nullable = false},
    {.name = "success", .kind = Kind::boolean, .nullable = false},
};
constexpr Schema feed_schema{"EventFeed", feed_properties};

const Parameter feed_parameters[] = {
    {.name = "after",
     .kind = Kind::text,
     .max_length = longest_cursor,
     .description = "The nextCursor of the previous page. Default: the oldest event that is kept."},
    {.name = "type",
     .kind = Kind::one_of,
     .values = domain::trigger_codes(),
     .description = "The narrowest trigger of the events."},
    {.name = "entityType", .kind = Kind::string, .description = "Order, Shipment, Customer or Product."},
    {.name = "limit",
     .kind = Kind::integer,
     .minimum = 1,
     .maximum = max_limit,
     .description = "Default: 100."},
    {.name = page_size_parameter.name,
     .kind = Kind::integer,
     .minimum = 1,
     .maximum = max_limit,
     .description = "As limit; only one of them can be given."},
};

/// Seals and opens the cursors of a business. They have a key of their own, which stays when the secret key
/// is replaced. Earlier versions sealed cursors with the secret key; those are still opened.
class CursorSeal {
 public:
  CursorSeal(const SecretBox& secrets, storage::Session& session, const Guid& business)
      : secrets_(secrets), purpose_("event-cursor:" + business.to_string()) {
    const auto rows = session.run(sql::FeedKey{});
    const auto row = rows.find();
    if (!row) return;
    const auto text = opened(secrets_, row->sealed, storage::feed_key_purpose);
    SecretBox::Key key{};
    if (!text || text->size() != key.size()) return;
    std::ranges::copy(*text, key.begin());
    own_.emplace(key);
    is_own_used_ = row->is_used;
  }

  std::string seal(const EventCursor& cursor) const {
    const SecretBox& box = is_own_used_ ? *own_ : secrets_;
    return base64url(box.seal(cursor.text(), purpose_));
  }

  /// Throws VALIDATION_ERROR for a text that `seal` has not made for the business.
  EventCursor open(std::string_view text) const {
    if (const auto bytes = base64url_decode(text)) {
      auto cursor = own_ ? opened(*own_, *bytes, purpose_) : std::nullopt;
      if (!cursor) cursor = opened(secrets_, *bytes, purpose_);
      if (auto parsed = cursor ? EventCursor::parse(*cursor) : std::nullopt) return std::move(*parsed);
    }
    throw invalid("after", "must be the nextCursor of an earlier page of this business");
  }

 private:
  static std::optional<std::string> opened(const SecretBox& box, std::span<const std::uint8_t> sealed,
                                           std::string_view purpose) {
    try {
      return box.open(sealed, purpose);
    } catch (const SecretError&) {
      return std::nullopt;
    }
  }

  const SecretBox& secrets_;
  const std::string purpose_;
  std::optional<SecretBox> own_;
  bool is_own_used_ = false;
};

struct Wanted {
  std::optional<domain::EntityType> entity_type;
  std::optional<std::string> type;
  std::size_t limit;
  bool filters() const { return entity_type || type; }
};

Wanted wanted_of(const Call& call) {
  Wanted wanted{.entity_type = {}, .type = {}, .limit = default_limit};
  if (const auto name = call.parameter("entityType")) {
    wanted.entity_type = domain::parse_entity_type(*name);
    if (!wanted.entity_type) throw invalid("entityType", "must be one of Order, Shipment, Customer, Product");
  }
  if (const auto type = call.parameter("type")) wanted.type = *type;
  const auto limit = call.parameter("limit");
  const auto page_size = call.parameter(page_size_parameter.name);
  if (limit && page_size)
    throw invalid(std::string(page_size_parameter.name), "cannot be given together with limit");
  if (limit || page_size)
    wanted.limit = parse_number<std::size_t>(limit ? *limit : *page_size).value_or(default_limit);
  return wanted;
}

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

/// An event of the feed.
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

/// Reads a page in one snapshot and moves the cursor behind it.
class FeedReader {
 public:
  FeedReader(storage::Session& session, const Guid& business, const Wanted& wanted, EventCursor& cursor)
      : session_(session), business_(business), wanted_(wanted), cursor_(cursor), past_(session) {}

  bool has_more() const { return has_more_; }

  /// The events as JSON, separated by commas.
  std::string read() {
    session_.execute("begin isolation level repeatable read");
    const auto rows = session_.run(
        sql::FeedSnapshot{.business = business_, .event = cursor_.position(), .at = cursor_.at()});
    const auto snapshot = FeedSnapshot::parse(rows.front().snapshot, rows.front().drawn);
    if (!rows.front().is_stored) rewind();
    for (int i = 0; i < max_batches && has_more_ && count_ < wanted_.limit && data_.size() < most_bytes; ++i)
      read_batch(snapshot);
    session_.execute("commit");
    return std::move(data_);
  }

 private:
  void rewind() {
    const auto rows = session_.run(
        sql::FeedRewind{.business = business_, .position = cursor_.position(), .at = cursor_.at().value()});
    cursor_.rewind(rows.front().position);
  }

  storage::EventPage fetch(const FeedSnapshot& snapshot, std::size_t limit) {
    std::vector<std::string> writers;
    std::vector<std::int64_t> lows;
    for (const auto& owed : cursor_.due(snapshot)) {
      writers.push_back(std::to_string(owed.xid));
      lows.push_back(owed.low);
    }
    return storage::read_page(session_,
                              sql::Feed{.business = business_,
                                        .position = cursor_.position(),
                                        .writers = writers,
                                        .lows = storage::binary_array(lows),
                                        .limit = static_cast<std::int64_t>(limit)},
                              {.events = limit, .bytes = most_bytes});
  }

  void read_batch(const FeedSnapshot& snapshot) {
    const std::size_t free = wanted_.limit - count_;
    const std::size_t limit = std::max(free + 1, wanted_.filters() ? filtered_batch : 0);
    const auto [stored, is_cut] = fetch(snapshot, limit);
    std::vector<matching::UnreadableEvent> unreadable;
    auto changes = past_.changes(stored, {}, &unreadable);
    std::vector<FeedEvent> chosen;
    std::vector<matching::PastChange*> filled;
    std::size_t used = stored.size();
    for (FeedEvent& event : feed_events(changes, unreadable)) {
      if (event.met.empty() || !is_wanted(*event.stored, *event.met.front())) continue;
      if (chosen.size() == free) {
        used = static_cast<std::size_t>(event.stored - stored.data());
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
    has_more_ = used < stored.size() || is_cut;
    std::vector<EventCursor::Passed> passed;
    passed.reserve(used);
    for (std::size_t i = 0; i < used; ++i)
      passed.push_back({static_cast<std::int64_t>(stored[i].id), stored[i].at});
    cursor_.advance(snapshot, passed, !has_more_);
  }

  /// The events of a batch in their order. The trigger of one that cannot be read is the broadest that it may
  /// have met: created, updated or deleted.
  static std::vector<FeedEvent> feed_events(std::vector<matching::PastChange>& changes,
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

  bool is_wanted(const storage::StoredEvent& event, const domain::Trigger& narrowest) const {
    return (!wanted_.entity_type || event.entity_type == *wanted_.entity_type) &&
           (!wanted_.type || narrowest.code == *wanted_.type);
  }

  storage::Session& session_;
  const Guid business_;
  const Wanted& wanted_;
  EventCursor& cursor_;
  matching::PastReader past_;
  bool has_more_ = true;
  std::size_t count_ = 0;
  std::string data_;
};

asio::awaitable<Answer> list_events(Call& call, Services& services) {
  const Wanted wanted = wanted_of(call);
  const auto after = call.parameter("after");
  std::string next_cursor;
  bool has_more = false;
  // The coroutine waits here, so the references in the work stay valid.
  const std::string events =
      co_await services.analysis.run(call.business(), [&](storage::Session& session) -> std::string {
        const CursorSeal seal(services.secrets, session, call.business());
        EventCursor cursor = after ? seal.open(*after) : EventCursor();
        FeedReader reader(session, call.business(), wanted, cursor);
        auto read = reader.read();
        has_more = reader.has_more();
        next_cursor = seal.seal(cursor);
        return read;
      });
  std::string answer = R"({"data":[)";
  answer.append(events).append(R"(],"nextCursor":")").append(next_cursor);
  answer.append(R"(","hasMore":)").append(has_more ? "true" : "false").append(R"(,"success":true})");
  co_return Answer::of(std::move(answer));
}

const Endpoint endpoints[] = {
    {.method = Method::get,
     .path = "/api/events",
     .permission = Permission::read,
     .handler = list_events,
     .operation_id = "listEvents",
     .summary = "Lists the events of the business from a cursor on",
     .description = "The events of one record are in commit order. The cursor skips no event, even if its "
                    "transaction commits after later events were read. After a fail-over that lost commits, "
                    "events can be repeated. A page of large records ends before its limit.",
     .tag = "Workflows",
     .query = feed_parameters,
     .answer = &feed_schema,
     .bare = true},
};

}  // namespace

std::span<const Endpoint> event_feed_endpoints() { return endpoints; }

}  // namespace waybill::api
