#include "domain/silence/silence.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <functional>
#include <optional>
#include <ranges>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.hpp"
#include "base/number.hpp"
#include "base/observe.hpp"
#include "domain/records/record_type.hpp"
#include "storage/sql/duties.sql.hpp"
#include "worker/duties/duties.hpp"
#include "worker/duties/plans.hpp"
#include "worker/duties/portions.hpp"

namespace waybill::worker {
namespace {

using namespace std::chrono_literals;

constexpr std::int64_t watches_of_portion = 50;
constexpr Duration least_pause = 10min;  // between two looks
constexpr std::int64_t hours_of_day = 24;

Duration hours(double count) {
  return std::chrono::round<Duration>(std::chrono::duration<double, std::ratio<3600>>(count));
}

/// Adds numbers that follow their hour in a text to lists that end with the present hour. Returns the first
/// hour of the text that the lists have; the present one if there is none.
std::int64_t add_hours(std::string_view text, std::int64_t present,
                       std::span<std::vector<std::int64_t>* const> lists) {
  std::int64_t first = present;
  const auto next = [&] {
    const std::size_t end = std::min(text.find(' '), text.size());
    const auto number = parse_number<std::int64_t>(text.substr(0, end)).value();
    text.remove_prefix(std::min(end + 1, text.size()));
    return number;
  };
  while (!text.empty()) {
    const std::int64_t back = present - next();
    for (std::vector<std::int64_t>* const list : lists) {
      const std::int64_t number = next();
      if (back < 0 || back >= std::ssize(*list)) continue;
      (*list)[list->size() - 1 - static_cast<std::size_t>(back)] += number;
      first = std::min(first, present - back);
    }
  }
  return first;
}

using Hours = std::vector<std::int64_t>;

/// A list for each part of what a business does, and the first hour in which there is any of it.
template <std::size_t parts>
struct BusinessCounts {
  Guid business;
  std::int64_t present = 0;
  std::array<Hours, parts> by_part;
  std::int64_t first_hour = 0;

  bool is_of(const Guid& other, std::int64_t hour) const { return business == other && present == hour; }
};

using EventsOfTypes = BusinessCounts<domain::entity_type_count>;
using CountsOfSources = BusinessCounts<2>;  // orders and scans
constexpr std::size_t orders_of_sources = 0, scans_of_sources = 1;

template <std::size_t parts>
BusinessCounts<parts> read_counts(const Guid& business, std::int64_t present, std::string_view text) {
  BusinessCounts<parts> counts{
      .business = business, .present = present, .by_part = {}, .first_hour = present};
  std::array<Hours*, parts> lists{};
  for (std::size_t part = 0; part < parts; ++part) {
    counts.by_part.at(part).resize(domain::hours_of_history);
    lists.at(part) = &counts.by_part.at(part);
  }
  counts.first_hour = add_hours(text, present, lists);
  return counts;
}

EventsOfTypes read_events(storage::blocking::Connection& session, const Guid& business,
                          std::int64_t present) {
  const auto rows = session.run(sql::duties::EventsOfBusiness{.business = business});
  return read_counts<domain::entity_type_count>(business, present,
                                                rows.empty() ? std::string_view() : rows.front().events);
}

/// Marks the hours of a text in a list that ends with the present one; empty if there is none.
std::vector<bool> closed_hours(std::string_view text, std::int64_t present) {
  if (text.empty()) return {};
  std::vector<bool> closed(domain::hours_of_history);
  for (const auto word : std::views::split(text, ' ')) {
    const std::int64_t back =
        present - parse_number<std::int64_t>(std::string_view(word.begin(), word.end())).value();
    if (back >= 0 && back < std::ssize(closed))
      closed[closed.size() - 1 - static_cast<std::size_t>(back)] = true;
  }
  return closed;
}

/// The history of a row of a statement that returns due watches.
template <typename Row>
domain::CountHistory history_of(const Row& row, std::string_view counts, std::int64_t first_hour) {
  domain::CountHistory history;
  history.counts.resize(domain::hours_of_history);
  Hours* const list[] = {&history.counts};
  add_hours(counts, row.present_hour, list);
  history.closed = closed_hours(row.closed, row.present_hour);
  history.hour_of_day = static_cast<std::size_t>(row.present_hour % hours_of_day);
  history.present = row.present_part;
  history.since_last = row.last_hours;
  history.active = row.active_hours;
  const std::int64_t first = std::max(row.learned_hour, first_hour);
  history.learned = static_cast<std::size_t>(std::max<std::int64_t>(0, row.present_hour + 1 - first));
  return history;
}

/// The demand on a workflow is told by the events of its entity type, then by the others.
domain::CountHistory history_of(const sql::duties::DueWatches::Row& row, const EventsOfTypes& events) {
  domain::CountHistory history = history_of(row, row.firings, events.first_hour);
  history.is_scheduled = row.is_scheduled;
  history.other_events.resize(domain::hours_of_history);
  for (std::size_t type = 0; type < events.by_part.size(); ++type) {
    if (static_cast<std::int16_t>(type) == row.entity_type) {
      history.events = events.by_part.at(type);
    } else {
      std::ranges::transform(history.other_events, events.by_part.at(type), history.other_events.begin(),
                             std::plus());
    }
  }
  return history;
}

/// The demand on a source is told by the other sources of its kind; that on scans also by the events that
/// scans do not cause. Orders that stores bring cause most other events, so these tell nothing about stores.
domain::CountHistory history_of(const sql::duties::DueSourceWatches::Row& row, const EventsOfTypes& events,
                                const CountsOfSources& sources) {
  const bool is_import = row.kind == "import";
  domain::CountHistory history = history_of(row, row.counts, row.learned_hour);
  Hours others(domain::hours_of_history), rest(domain::hours_of_history);
  const Hours& all = sources.by_part.at(is_import ? orders_of_sources : scans_of_sources);
  std::ranges::transform(all, history.counts, others.begin(), std::minus());
  if (!is_import) {
    for (std::size_t type = 0; type < events.by_part.size(); ++type) {
      if (static_cast<domain::EntityType>(type) == domain::EntityType::shipment) continue;
      std::ranges::transform(rest, events.by_part.at(type), rest.begin(), std::plus());
    }
  }
  const bool tells = domain::tells_demand(others) || domain::tells_demand(rest);
  if (!tells) return history;
  history.events = std::move(others);
  history.other_events = std::move(rest);
  return history;
}

json::object range_of(const domain::ExpectedCount& expected) {
  return {{"from", expected.from}, {"to", expected.to}};
}

json::object shown(const domain::Silence& silence) {
  return {{"count", silence.count}, {"expected", range_of(silence.expected)}};
}

/// As above, with the events of an entity type.
json::object shown(const domain::Silence& silence, domain::EntityType type) {
  json::object text = shown(silence);
  text["events"] = {{"entityType", domain::record_type(type).name},
                    {"count", silence.events},
                    {"expected", range_of(silence.expected_events)}};
  return text;
}

/// The result of a look, as it is stored.
struct Outcome {
  std::string next_look;
  std::optional<std::int64_t> expected_from, expected_to;
  std::optional<std::string> silent_for, silence;
  bool is_usual = false;
};

Outcome outcome_of(const domain::SilenceJudgement& judgement, const json::object& text) {
  // With nothing for most of the 8 weeks, nothing is usual any more.
  Outcome outcome{.next_look = format_duration(std::max(least_pause, hours(judgement.next_look))),
                  .is_usual = judgement.is_usual || !judgement.last_day};
  if (judgement.last_day) {
    outcome.expected_from = judgement.last_day->from;
    outcome.expected_to = judgement.last_day->to;
  }
  if (judgement.silence) {
    outcome.silent_for = format_duration(hours(judgement.silence->hours));
    outcome.silence = to_json(text);
  }
  return outcome;
}

/// Logs and counts a silence that a look has begun or ended.
template <typename Rows>
void report(const Rows& rows, Observable begun, std::string_view kind, const Guid& business,
            const Guid& subject, const Outcome& outcome) {
  for (const auto& row : rows) {
    if (!row.has_begun && !row.is_over) continue;
    observe(row.has_begun ? begun : Observable::silence_over,
            {{"business", business.to_string()},
             {kind, subject.to_string()},
             {"silence", std::string_view(outcome.silence ? *outcome.silence : "null")}});
  }
}

void look(storage::blocking::Connection& session, const sql::duties::DueWatches::Row& row,
          const EventsOfTypes& events) {
  const domain::SilenceJudgement judgement = domain::judge_silence(history_of(row, events));
  const auto type = static_cast<domain::EntityType>(row.entity_type);
  const Outcome outcome =
      outcome_of(judgement, judgement.silence ? shown(*judgement.silence, type) : json::object());
  const auto rows = session.run(sql::duties::NoteWatch{.business = row.business_id,
                                                       .workflow = row.workflow_id,
                                                       .next_look = outcome.next_look,
                                                       .expected_from = outcome.expected_from,
                                                       .expected_to = outcome.expected_to,
                                                       .silent_for = outcome.silent_for,
                                                       .silence = outcome.silence,
                                                       .is_usual = outcome.is_usual});
  report(rows, Observable::workflow_silent, "workflow", row.business_id, row.workflow_id, outcome);
}

void look(storage::blocking::Connection& session, const sql::duties::DueSourceWatches::Row& row,
          const EventsOfTypes& events, const CountsOfSources& sources) {
  const domain::SilenceJudgement judgement = domain::judge_silence(history_of(row, events, sources));
  const Outcome outcome =
      outcome_of(judgement, judgement.silence ? shown(*judgement.silence) : json::object());
  const auto rows = session.run(sql::duties::NoteSourceWatch{.business = row.business_id,
                                                             .kind = row.kind,
                                                             .source = row.source_id,
                                                             .next_look = outcome.next_look,
                                                             .expected_from = outcome.expected_from,
                                                             .expected_to = outcome.expected_to,
                                                             .silent_for = outcome.silent_for,
                                                             .silence = outcome.silence,
                                                             .is_usual = outcome.is_usual});
  const bool is_import = row.kind == "import";
  report(rows, is_import ? Observable::import_silent : Observable::scans_silent,
         is_import ? "integration" : "carrier", row.business_id, row.source_id, outcome);
}

/// Looks at some workflows; false if no further one is due.
bool look_at_workflows(storage::blocking::Connection& session) {
  const auto rows = session.run(sql::duties::DueWatches{.limit = watches_of_portion});
  EventsOfTypes events;
  for (const auto& row : rows) {
    if (!events.is_of(row.business_id, row.present_hour))
      events = read_events(session, row.business_id, row.present_hour);
    look(session, row, events);
  }
  return std::ssize(rows) == watches_of_portion;
}

/// Looks at some sources; false if no further one is due.
bool look_at_sources(storage::blocking::Connection& session) {
  const auto rows = session.run(sql::duties::DueSourceWatches{.limit = watches_of_portion});
  EventsOfTypes events;
  CountsOfSources sources;
  for (const auto& row : rows) {
    if (!events.is_of(row.business_id, row.present_hour)) {
      events = read_events(session, row.business_id, row.present_hour);
      const auto counts = session.run(sql::duties::CountsOfSources{.business = row.business_id});
      sources = read_counts<2>(row.business_id, row.present_hour,
                               counts.empty() ? std::string_view() : counts.front().counts);
    }
    look(session, row, events, sources);
  }
  return std::ssize(rows) == watches_of_portion;
}

}  // namespace

bool watch_firings(storage::blocking::Connection& session, const DutyOptions& options) {
  return walk_indexes(session, [&] {
    session.run(sql::duties::BeginWatches{});
    return repeat_for(options.turn, [&] { return look_at_workflows(session); });
  });
}

bool watch_sources(storage::blocking::Connection& session, const DutyOptions& options) {
  return walk_indexes(session, [&] {
    session.run(sql::duties::BeginSourceWatches{});
    return repeat_for(options.turn, [&] { return look_at_sources(session); });
  });
}

}  // namespace waybill::worker
