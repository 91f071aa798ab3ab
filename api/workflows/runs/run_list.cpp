#include "api/workflows/runs/run_list.hpp"

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>
#include <vector>

#include "api/records/row_json.hpp"
#include "api/records/time_range.hpp"
#include "base/clock.hpp"
#include "storage/runs/run.hpp"
#include "storage/sql/runs.sql.hpp"

namespace waybill::api {
namespace {

using Day = std::chrono::sys_days;

/// A half-open span of time; without a bound it is unlimited on that side.
struct Span {
  std::optional<Time> from, to;
};

std::string quoted(Time time) { return "'" + format_sql_timestamp(time) + "'"; }

std::string within(const Span& span, const std::string& column = "created_at") {
  std::string text;
  if (span.from) text += " and " + column + " >= " + quoted(*span.from);
  if (span.to) text += " and " + column + " < " + quoted(*span.to);
  return text;
}

/// A span, split into whole days, whole hours and the rest, without overlap.
struct Cover {
  std::vector<Span> days, hours, rest;
};

/// Adds the whole units of a span to `whole`, and the parts before and after them to `rest`.
template <typename Unit>
void split_by(const Span& span, std::vector<Span>& whole, std::vector<Span>& rest) {
  const auto add = [](std::vector<Span>& spans, const Span& part) {
    if (!part.from || !part.to || *part.from < *part.to) spans.push_back(part);
  };
  const auto first = span.from ? std::optional<Time>(std::chrono::ceil<Unit>(*span.from)) : std::nullopt;
  const auto last = span.to ? std::optional<Time>(std::chrono::floor<Unit>(*span.to)) : std::nullopt;
  if (first && last && *first > *last) return add(rest, span);
  add(whole, {first, last});
  if (first) add(rest, {span.from, first});
  if (last) add(rest, {last, span.to});
}

Cover cover_of(const Span& span) {
  Cover cover;
  std::vector<Span> edges;
  split_by<std::chrono::days>(span, cover.days, edges);
  for (const Span& edge : edges) split_by<std::chrono::hours>(edge, cover.hours, cover.rest);
  return cover;
}

/// The query parameters of a call as SQL conditions after a `where`. `params` are those of the statement.
class RunQuery {
 public:
  RunQuery(const Call& call, storage::Params params)
      : status_(call.parameter("status")), params_(std::move(params)) {
    narrow("workflow_id", "::uuid", call.parameter("workflowId"));
    narrow("status", "", status_);
    span_ = {parse_bound(call.parameter("from"), false), parse_bound(call.parameter("to"), true)};
    counted_ = narrowing_;
    narrow("entity_id", "::uuid", call.parameter("entityId"));
    by_entity_ = narrowing_ != counted_;
  }

  const storage::Params& params() const { return params_; }

  // Uses every parameter even if the condition is false, because PostgreSQL must know their types. The runs
  // of an entity are in two partial indexes, whose predicates the condition on status repeats.
  std::string open_condition() const {
    return narrowing_ + (by_entity_ ? " and (status <> 'waiting' or status = 'waiting')" : "") +
           (includes_open() ? within(span_) : " and false");
  }
  std::string finished_condition() const { return narrowing_ + within(span_); }

  /// Selects the days and hours of `run_counts` within the span; none if the call names an entity.
  std::string counted_condition() const {
    std::string parts;
    if (!by_entity_ && includes_final()) {
      const Cover cover = cover_of(span_);
      for (const Span& days : cover.days) parts += or_after(parts) + "unit = 'day'" + within(days, "start");
      for (const Span& hours : cover.hours)
        parts += or_after(parts) + "unit = 'hour'" + within(hours, "start");
    }
    return parts.empty() ? " and false" : counted_ + " and (" + parts + ")";
  }

  /// Selects the finished runs that `run_counts` does not cover.
  std::string uncounted_condition() const {
    if (!includes_final()) return " and false";
    if (by_entity_) return finished_condition();
    std::string parts;
    for (const Span& rest : cover_of(span_).rest) parts += or_after(parts) + "true" + within(rest);
    return parts.empty() ? " and false" : narrowing_ + " and (" + parts + ")";
  }

 private:
  void narrow(std::string_view column, std::string_view type, std::optional<std::string_view> value) {
    if (!value) return;
    params_.add(*value);
    narrowing_ += " and " + std::string(column) + " = $" + std::to_string(params_.size()) + std::string(type);
  }

  bool includes_open() const { return !status_ || !is_final(*status_); }
  bool includes_final() const { return !status_ || is_final(*status_); }
  static bool is_final(std::string_view status) {
    return std::ranges::find(run_statuses, status) - std::begin(run_statuses) >=
           static_cast<std::ptrdiff_t>(open_statuses);
  }
  static std::string or_after(const std::string& before) { return before.empty() ? "" : " or "; }

  std::optional<std::string_view> status_;
  Span span_;
  storage::Params params_;
  std::string narrowing_;  // conditions other than the span
  std::string counted_;    // narrowing_ without the entity
  bool by_entity_ = false;
};

void put(std::string& text, std::string_view placeholder, std::string_view replacement) {
  text.replace(text.find(placeholder), placeholder.size(), replacement);
}

Guid guid_of(const storage::Rows& rows, int row) { return Guid::parse(rows.get(row, 0)).value(); }

struct FinishedOfDay {
  Day day;
  std::int64_t runs;
};

struct Counts {
  std::int64_t total = 0;
  std::vector<FinishedOfDay> days;  // newest first
};

asio::awaitable<Counts> count(const Call& call, Services& services) {
  const RunQuery query(call, sql::runs::Count{.business = call.business()}.params());
  std::string text(sql::runs::Count::statement.text);
  put(text, "/*open*/", query.open_condition());
  put(text, "/*counted*/", query.counted_condition());
  put(text, "/*uncounted*/", query.uncounted_condition());
  const storage::TypedRows<sql::runs::Count> rows(co_await services.db.read_long(
      call.business(), sql::runs::Count::statement.name, std::move(text), query.params()));
  Counts counts;
  for (const auto& row : rows) {
    counts.total += row.runs;
    if (!row.day || row.runs == 0) continue;
    const auto day = parse_date(*row.day);
    counts.days.push_back({std::chrono::floor<std::chrono::days>(day.value()), row.runs});
  }
  std::ranges::sort(counts.days, std::greater(), &FinishedOfDay::day);
  co_return counts;
}

/// Returns a condition for the days of the newest `wanted` finished runs.
std::string days_of(const std::vector<FinishedOfDay>& days, std::int64_t wanted) {
  std::vector<Span> spans;
  for (const auto& [day, runs] : days) {
    if (wanted <= 0) break;
    wanted -= runs;
    const auto next = day + std::chrono::days(1);
    if (spans.empty() || spans.back().from != Time(next)) spans.push_back({day, next});
    spans.back().from = day;
  }
  std::string text;
  for (const auto& span : spans) text += (text.empty() ? " and (true" : " or true") + within(span);
  return text.empty() ? " and false" : text + ")";
}

/// The runs of a page: those on the days that `days` selects, of a cursor's page those behind `after`.
struct RunPage {
  std::int64_t offset = 0, limit = 0;
  std::string days;
  std::optional<Guid> after = {};
};

asio::awaitable<storage::Rows> read_page(const Call& call, Services& services, const RunPage& page) {
  const RunQuery query(
      call, sql::runs::List{.business = call.business(), .no_record = storage::no_record}.params());
  auto params = query.params();
  std::string behind;
  if (page.after) {
    params.add(*page.after);
    behind = " and guid < $" + std::to_string(params.size()) + "::uuid";
  }
  std::string text(sql::runs::List::statement.text);
  put(text, "/*finished*/", query.finished_condition() + behind);
  put(text, "/*days*/", page.days);
  put(text, "/*days*/", page.days);
  put(text, "/*open*/", query.open_condition() + behind);
  // Each of the two parts reads its own index in order, no further than the page can need.
  for (int i = 0; i < 2; ++i) put(text, "/*limit*/", "limit " + std::to_string(page.offset + page.limit));
  put(text, "/*page*/", "limit " + std::to_string(page.limit) + " offset " + std::to_string(page.offset));
  co_return co_await services.db.read_long(call.business(), sql::runs::List::statement.name, std::move(text),
                                           std::move(params));
}

// A run's guid begins with its time of creation, but for a replay with that of another clock. So much later
// or earlier its day can be.
constexpr auto guid_tolerance = std::chrono::days(1);

Time time_of(const Guid& run, Time now) {
  return std::min(Time(std::chrono::milliseconds(run.unix_ms())), now);
}

/// Returns a condition for the days of the next `wanted` finished runs from about `newest` on, and of the day
/// before them.
std::string days_behind(const std::vector<FinishedOfDay>& days, Time newest, std::int64_t wanted) {
  std::vector<FinishedOfDay> behind;
  std::int64_t runs_after = 0;  // those of the day after, if all of them are behind the cursor
  for (const auto& [day, runs] : days) {
    if (Time(day) > newest + guid_tolerance) continue;
    behind.push_back({day, runs_after});
    runs_after = Time(day) + std::chrono::days(1) < newest - guid_tolerance ? runs : 0;
  }
  return days_of(behind, wanted);
}

/// Reads the runs behind a cursor, or the newest. Two days are enough for a business with many runs.
/// Otherwise the counts tell on which of the older days there are runs; if a run ends in between, they are
/// asked again.
asio::awaitable<storage::Rows> read_behind(const Call& call, Services& services, std::optional<Guid> after,
                                           std::int64_t limit) {
  constexpr int most_reads = 3;
  const Time now = services.clock.now();
  const Time newest = after ? time_of(*after, now) : now;
  const Time lower = newest - 2 * guid_tolerance;
  RunPage page{.limit = limit, .days = within({lower, newest + guid_tolerance}), .after = after};
  auto rows = co_await read_page(call, services, page);
  if (rows.size() == limit && time_of(guid_of(rows, rows.size() - 1), now) >= lower + guid_tolerance)
    co_return rows;
  page.days = days_behind((co_await count(call, services)).days, newest, limit);
  for (int read = 1; read <= most_reads; ++read) {
    rows = co_await read_page(call, services, page);
    auto days = days_behind((co_await count(call, services)).days, newest, limit);
    if (days == page.days) co_return rows;
    page.days = std::move(days);
  }
  page.days = within({std::nullopt, newest + guid_tolerance});
  co_return co_await read_page(call, services, page);
}

asio::awaitable<Answer> list_by_cursor(const Call& call, Services& services, const ListCursor& cursor) {
  const Page page = page_of(call);
  std::optional<Guid> after;
  if (const auto& position = cursor.position()) after = Guid::parse(position->at(0).value_or(""));
  const auto rows = co_await read_behind(call, services, after, page.size + 1);
  const int shown = std::min(rows.size(), static_cast<int>(page.size));
  std::optional<std::string> next;
  if (shown < rows.size()) next = cursor.seal("[\"" + guid_of(rows, shown - 1).to_string() + "\"]");
  std::optional<std::int64_t> total;
  if (wants_count(call)) total = (co_await count(call, services)).total;
  co_return cursor_answer(json_array(rows.slice(0, shown, 0)), page, next, total);
}

/// The number of runs that are newer than `since`, at most 100.
asio::awaitable<std::int64_t> count_newer(const Call& call, Services& services, const Guid& since) {
  const RunQuery query(call, sql::runs::CountNewer{.business = call.business(), .since = since}.params());
  std::string text(sql::runs::CountNewer::statement.text);
  put(text, "/*finished*/", query.finished_condition());
  put(text, "/*days*/", within({time_of(since, services.clock.now()) - guid_tolerance, std::nullopt}));
  put(text, "/*open*/", query.open_condition());
  const storage::TypedRows<sql::runs::CountNewer> rows(co_await services.db.read_long(
      call.business(), sql::runs::CountNewer::statement.name, std::move(text), query.params()));
  co_return rows.front().runs;
}

asio::awaitable<Answer> list_by_number(const Call& call, Services& services) {
  constexpr int most_reads = 3;
  const Page page = page_of(call);
  for (int read = 1;; ++read) {
    const Counts counts = co_await count(call, services);
    const storage::Rows rows =
        co_await read_page(call, services,
                           {.offset = page.offset(),
                            .limit = page.limit(),
                            .days = days_of(counts.days, page.offset() + page.limit())});
    // A run that ended after it was counted is not open any more, and perhaps not on a counted day.
    const bool is_whole = rows.size() >= std::min(page.limit(), counts.total - page.offset());
    if (is_whole || read == most_reads) co_return page_answer(json_array(rows), page, counts.total);
  }
}

}  // namespace

asio::awaitable<Answer> list_runs(Call& call, Services& services) {
  const auto cursor = ListCursor::find(call, services.secrets, "runs", 1);
  auto answer =
      cursor ? co_await list_by_cursor(call, services, *cursor) : co_await list_by_number(call, services);
  if (const auto since = call.parameter("since")) {
    const auto newer = co_await count_newer(call, services, Guid::parse(*since).value());
    answer.members += ",\"newer\":" + std::to_string(newer);
  }
  co_return answer;
}

}  // namespace waybill::api
