// The feed of a business's events.
#include <algorithm>
#include <chrono>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "api/endpoint/endpoint.hpp"
#include "api/endpoint/list_cursor.hpp"
#include "api/endpoint/paging.hpp"
#include "api/endpoint/selected.hpp"
#include "api/endpoint/services.hpp"
#include "api/records/fields.hpp"
#include "api/workflows/events/event_cursor.hpp"
#include "api/workflows/events/feed_page.hpp"
#include "base/crypto.hpp"
#include "base/number.hpp"
#include "domain/workflows/triggers.hpp"
#include "storage/settings/sealing_purposes.hpp"
#include "storage/sql/history.sql.hpp"
#include "storage/statement/binary.hpp"

namespace waybill::api {
namespace {

constexpr std::int64_t default_limit = 100;
constexpr std::int64_t max_limit = 500;
constexpr std::size_t filtered_batch = 500;  // events that a filter examines at a time
constexpr int max_batches = 10;
constexpr auto count_limit = std::chrono::seconds(8);
constexpr std::size_t longest_cursor = 16'000;
// A page ends with the event that reaches this size of its JSON; a batch, with this size of its records.
constexpr std::size_t most_bytes = storage::PageLimits().bytes;

constexpr Property feed_properties[] = {
    {.name = "data", .kind = Kind::array, .nullable = false, .schema = &feed_event_schema},
    {.name = "nextCursor", .kind = Kind::text, .nullable = false},
    {.name = "hasMore", .kind = Kind::boolean, .nullable = false},
    {.name = "totalCount",
     .kind = Kind::integer,
     .nullable = false,
     .optional = true,
     .description = "With count=true: the events of the whole feed."},
    {.name = "totalPages", .kind = Kind::integer, .nullable = false, .optional = true},
    {.name = "success", .kind = Kind::boolean, .nullable = false},
};
constexpr Schema feed_schema{"EventFeed", feed_properties};

const Parameter feed_parameters[] = {
    select_parameter,
    {.name = "after",
     .kind = Kind::text,
     .max_length = longest_cursor,
     .description = "The nextCursor of the previous page. Default: the oldest event that is kept."},
    {.name = "before",
     .kind = Kind::text,
     .max_length = longest_cursor,
     .description = "Reads backwards, the newest event first. Empty: from the newest event on; otherwise the "
                    "nextCursor of an earlier page. Not together with after.",
     .flag = true},
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
    {.name = page_parameter.name,
     .kind = Kind::integer,
     .minimum = 1,
     .description = "Refused: the feed is read by cursor."},
    {.name = count_parameter.name,
     .kind = Kind::boolean,
     .description =
         "Adds totalCount and totalPages. Each event is read for it: with too many events the answer is 503 "
         "after eight seconds."},
};

std::string filter_text(const FeedWanted& wanted) {
  return '/' + wanted.type.value_or("") + '/' +
         (wanted.entity_type ? std::to_string(static_cast<int>(*wanted.entity_type)) : "");
}

/// Seals and opens the cursors of a business and a filter. One that was made without a filter is a place in
/// the feed for any filter. They have a key of their own, which stays when the secret key is replaced.
/// Earlier versions sealed cursors with the secret key, and without the filter; those are still opened.
class CursorSeal {
 public:
  CursorSeal(const SecretBox& secrets, storage::Session& session, const Guid& business,
             const FeedWanted& wanted)
      : secrets_(secrets),
        purpose_("event-cursor:" + business.to_string()),
        filtered_purpose_(wanted.filters() ? purpose_ + filter_text(wanted) : purpose_) {
    const auto rows = session.run(sql::history::FeedKey{});
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
    return base64url(is_own_used_ ? own_->seal(cursor.text(), filtered_purpose_)
                                  : secrets_.seal(cursor.text(), purpose_));
  }

  /// Throws VALIDATION_ERROR, which names the parameter, for a text that `seal` has not made for the
  /// business, or has made for another filter.
  EventCursor open(std::string_view parameter, std::string_view text) const {
    if (const auto bytes = base64url_decode(text)) {
      auto cursor = own_ ? opened(*own_, *bytes, filtered_purpose_) : std::nullopt;
      if (!cursor && own_) cursor = opened(*own_, *bytes, purpose_);
      if (!cursor) cursor = opened(secrets_, *bytes, purpose_);
      if (auto parsed = cursor ? EventCursor::parse(*cursor) : std::nullopt) return std::move(*parsed);
    }
    throw invalid(
        std::string(parameter),
        "must be the nextCursor of an earlier page of this business with the same type and entityType");
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
  const std::string purpose_, filtered_purpose_;
  std::optional<SecretBox> own_;
  bool is_own_used_ = false;
};

FeedWanted wanted_of(const Call& call) {
  FeedWanted wanted{.entity_type = {}, .type = {}, .limit = default_limit};
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

/// The number of events that a reader asks for at a time: those that the page has a place for and one more,
/// or those that a filter examines.
std::size_t batch_size(const FeedPage& page, const FeedWanted& wanted) {
  return std::max(page.free() + 1, wanted.filters() ? filtered_batch : 0);
}

/// Reads a page in one snapshot and moves the cursor behind it.
class FeedReader {
 public:
  FeedReader(storage::Session& session, const Guid& business, const FeedWanted& wanted, EventCursor& cursor)
      : session_(session), business_(business), wanted_(wanted), cursor_(cursor), page_(session, wanted) {}

  bool has_more() const { return has_more_; }

  /// The events as JSON, separated by commas.
  std::string read() {
    session_.execute("begin isolation level repeatable read");
    const auto rows = session_.run(
        sql::history::FeedSnapshot{.business = business_, .event = cursor_.position(), .at = cursor_.at()});
    const auto snapshot = FeedSnapshot::parse(rows.front().snapshot, rows.front().drawn);
    if (!rows.front().is_stored) rewind();
    for (int i = 0; i < max_batches && has_more_ && !page_.is_full(); ++i) read_batch(snapshot);
    session_.execute("commit");
    return page_.take();
  }

 private:
  void rewind() {
    const auto rows = session_.run(sql::history::FeedRewind{
        .business = business_, .position = cursor_.position(), .at = cursor_.at().value()});
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
                              sql::history::Feed{.business = business_,
                                                 .position = cursor_.position(),
                                                 .writers = writers,
                                                 .lows = storage::binary_array(lows),
                                                 .limit = static_cast<std::int64_t>(limit)},
                              {.events = limit, .bytes = most_bytes});
  }

  void read_batch(const FeedSnapshot& snapshot) {
    const auto [stored, is_cut] = fetch(snapshot, batch_size(page_, wanted_));
    const std::size_t used = page_.add(stored);
    has_more_ = used < stored.size() || is_cut;
    std::vector<EventCursor::Passed> passed;
    passed.reserve(used);
    for (std::size_t i = 0; i < used; ++i)
      passed.push_back({static_cast<std::int64_t>(stored[i].id), stored[i].at});
    cursor_.advance(snapshot, passed, !has_more_);
  }

  storage::Session& session_;
  const Guid business_;
  const FeedWanted& wanted_;
  EventCursor& cursor_;
  FeedPage page_;
  bool has_more_ = true;
};

/// Reads a page backwards in one snapshot.
class EarlierReader {
 public:
  /// `position`: the id of the event before which the page begins; nullopt for the end of the feed.
  EarlierReader(storage::Session& session, const Guid& business, const FeedWanted& wanted,
                std::optional<std::int64_t> position)
      : session_(session),
        business_(business),
        wanted_(wanted),
        position_(position),
        page_(session, wanted) {}

  bool has_more() const { return has_more_; }

  /// The cursor before the page: `before` continues backwards from it, and `after` reads the page again and
  /// what follows it. The beginning of the feed if there is no event.
  EventCursor cursor() const {
    EventCursor cursor;
    cursor.rewind(position_.value_or(1) - 1);
    return cursor;
  }

  /// The events as JSON, separated by commas.
  std::string read() {
    session_.execute("begin isolation level repeatable read, read only");
    for (int i = 0; i < max_batches && has_more_ && !page_.is_full(); ++i) read_batch();
    session_.execute("commit");
    return page_.take();
  }

 private:
  void read_batch() {
    const std::size_t limit = batch_size(page_, wanted_);
    const auto [stored, is_cut] = storage::read_page(
        session_,
        sql::history::FeedBefore{.business = business_,
                                 .position = position_.value_or(std::numeric_limits<std::int64_t>::max()),
                                 .limit = static_cast<std::int64_t>(limit)},
        {.events = limit, .bytes = most_bytes});
    const std::size_t used = page_.add(stored);
    has_more_ = used < stored.size() || is_cut;
    if (used > 0) position_ = static_cast<std::int64_t>(stored[used - 1].id);
  }

  storage::Session& session_;
  const Guid business_;
  const FeedWanted& wanted_;
  std::optional<std::int64_t> position_;
  FeedPage page_;
  bool has_more_ = true;
};

/// The number of wanted events of the whole feed. Throws Failure if it takes too long.
std::size_t count_events(storage::Session& session, const Guid& business, const FeedWanted& wanted) {
  const auto deadline = std::chrono::steady_clock::now() + count_limit;
  std::size_t count = 0;
  std::int64_t position = std::numeric_limits<std::int64_t>::max();
  FeedPage page(session, wanted);
  bool has_more = true;
  session.execute("begin isolation level repeatable read, read only");
  while (has_more && std::chrono::steady_clock::now() < deadline) {
    const auto [stored, is_cut] = storage::read_page(
        session,
        sql::history::FeedBefore{.business = business, .position = position, .limit = filtered_batch},
        {.events = filtered_batch, .bytes = most_bytes});
    count += page.count(stored);
    has_more = stored.size() == filtered_batch || is_cut;
    if (!stored.empty()) position = static_cast<std::int64_t>(stored.back().id);
  }
  session.execute("commit");
  if (has_more) throw Failure(ErrorCode::unavailable, "The feed has too many events to count.");
  return count;
}

/// A page, with the cursor behind it in the direction of its reader.
struct ReadPage {
  std::string events;
  std::string next_cursor;
  bool has_more = false;
  std::optional<std::size_t> total = {};
};

ReadPage read_after(storage::Session& session, const Guid& business, const FeedWanted& wanted,
                    const CursorSeal& seal, std::optional<std::string_view> after) {
  EventCursor cursor = after ? seal.open("after", *after) : EventCursor();
  FeedReader reader(session, business, wanted, cursor);
  std::string events = reader.read();
  return {std::move(events), seal.seal(cursor), reader.has_more()};
}

ReadPage read_before(storage::Session& session, const Guid& business, const FeedWanted& wanted,
                     const CursorSeal& seal, std::string_view before) {
  std::optional<std::int64_t> position;
  if (!before.empty()) position = seal.open("before", before).position() + 1;
  EarlierReader reader(session, business, wanted, position);
  std::string events = reader.read();
  return {std::move(events), seal.seal(reader.cursor()), reader.has_more()};
}

asio::awaitable<Answer> list_events(Call& call, Services& services) {
  const FeedWanted wanted = wanted_of(call);
  const auto after = call.parameter("after");
  const auto before = call.parameter("before");
  if (after && before) throw invalid("before", "cannot be given together with after");
  if (call.parameter(page_parameter.name))
    throw invalid(std::string(page_parameter.name), "cannot be given: the feed is read by cursor");
  const bool counts = wants_count(call);
  Selected selected;
  if (const auto fields = call.parameter(select_parameter.name)) {
    FieldErrors errors;
    selected = parse_select(*fields, feed_event_schema, errors);
    if (!errors.empty()) throw invalid(std::move(errors));
  }
  // The coroutine waits here, so the references in the work stay valid.
  const ReadPage page =
      co_await services.analysis.run(call.business(), [&](storage::Session& session) -> ReadPage {
        const CursorSeal seal(services.secrets, session, call.business(), wanted);
        ReadPage read = before ? read_before(session, call.business(), wanted, seal, *before)
                               : read_after(session, call.business(), wanted, seal, after);
        if (counts) read.total = count_events(session, call.business(), wanted);
        return read;
      });
  std::string events = '[' + page.events + ']';
  if (!selected.members.empty()) events = reduced(events, selected);
  std::string answer = R"({"data":)";
  answer.append(events).append(R"(,"nextCursor":")").append(page.next_cursor);
  answer.append(R"(","hasMore":)").append(page.has_more ? "true" : "false");
  if (page.total) {
    answer.append(R"(,"totalCount":)").append(std::to_string(*page.total));
    answer.append(R"(,"totalPages":)")
        .append(std::to_string((*page.total + wanted.limit - 1) / wanted.limit));
  }
  answer.append(R"(,"success":true})");
  co_return Answer::of(std::move(answer));
}

const Endpoint event_feed_endpoint_table[] = {
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

std::span<const Endpoint> event_feed_endpoints() { return event_feed_endpoint_table; }

}  // namespace waybill::api
