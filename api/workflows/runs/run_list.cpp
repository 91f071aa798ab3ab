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

namespace sql = storage::sql::runs;
using Day = std::chrono::sys_days;

constexpr std::size_t open_statuses = 5;

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

struct FinishedOfDay {
  Day day;
  std::int64_t runs;
};

struct Counts {
  std::int64_t total = 0;
  std::vector<FinishedOfDay> days;  // newest first
};

asio::awaitable<Counts> count(const Call& call, Services& services) {
  const RunQuery query(call, sql::Count{.business = call.business()}.params());
  std::string text(sql::Count::statement.text);
  put(text, "/*open*/", query.open_condition());
  put(text, "/*counted*/", query.counted_condition());
  put(text, "/*uncounted*/", query.uncounted_condition());
  const storage::TypedRows<sql::Count> rows(co_await services.db.read_long(
      call.business(), sql::Count::statement.name, std::move(text), query.params()));
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

asio::awaitable<storage::Rows> read_page(const Call& call, Services& services, const Page& page,
                                         const Counts& counts) {
  const RunQuery query(call,
                       sql::List{.business = call.business(), .no_record = storage::no_record}.params());
  std::string text(sql::List::statement.text);
  const auto days = days_of(counts.days, page.offset() + page.limit());
  put(text, "/*finished*/", query.finished_condition());
  put(text, "/*days*/", days);
  put(text, "/*days*/", days);
  put(text, "/*open*/", query.open_condition());
  // Each of the two parts reads its own index in order, no further than the page can need.
  for (int i = 0; i < 2; ++i) put(text, "/*limit*/", "limit " + std::to_string(page.offset() + page.limit()));
  put(text, "/*page*/", "limit " + std::to_string(page.limit()) + " offset " + std::to_string(page.offset()));
  co_return co_await services.db.read_long(call.business(), sql::List::statement.name, std::move(text),
                                           query.params());
}

}  // namespace

asio::awaitable<Answer> list_runs(Call& call, Services& services) {
  constexpr int most_reads = 3;
  const Page page = page_of(call);
  for (int read = 1;; ++read) {
    const Counts counts = co_await count(call, services);
    const storage::Rows rows = co_await read_page(call, services, page, counts);
    // A run that ended after it was counted is not open any more, and perhaps not on a counted day.
    const bool is_whole = rows.size() >= std::min(page.limit(), counts.total - page.offset());
    if (is_whole || read == most_reads) co_return page_answer(json_array(rows), page, counts.total);
  }
}

}  // namespace waybill::api
