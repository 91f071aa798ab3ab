#include "domain/workflows/silence.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.hpp"
#include "base/number.hpp"
#include "domain/records/record_type.hpp"
#include "storage/sql/duties.sql.hpp"
#include "worker/duties/duties.hpp"
#include "worker/duties/plans.hpp"
#include "worker/duties/portions.hpp"

namespace waybill::worker {
namespace {

namespace sql = storage::sql::duties;
using namespace std::chrono_literals;

constexpr std::int64_t workflows_of_portion = 50;
constexpr Duration least_pause = 10min;  // between two looks at a workflow

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

/// The events of one business, by entity type.
struct BusinessEvents {
  Guid business;
  std::int64_t present = 0;
  std::array<std::vector<std::int64_t>, domain::entity_type_count> by_type;
  std::int64_t first_hour = 0;
};

BusinessEvents read_events(storage::blocking::Connection& session, const Guid& business,
                           std::int64_t present) {
  BusinessEvents events{.business = business, .present = present, .by_type = {}, .first_hour = present};
  std::array<std::vector<std::int64_t>*, domain::entity_type_count> lists{};
  for (std::size_t type = 0; type < lists.size(); ++type) {
    events.by_type.at(type).resize(domain::hours_of_history);
    lists.at(type) = &events.by_type.at(type);
  }
  const auto rows = session.run(sql::EventsOfBusiness{.business = business});
  if (!rows.empty()) events.first_hour = add_hours(rows.front().events, present, lists);
  return events;
}

domain::FiringHistory history_of(const sql::DueWatches::Row& row, const BusinessEvents& events) {
  domain::FiringHistory history;
  history.firings.resize(domain::hours_of_history);
  std::vector<std::int64_t>* const firings[] = {&history.firings};
  add_hours(row.firings, row.present_hour, firings);
  history.other_events.resize(domain::hours_of_history);
  for (std::size_t type = 0; type < events.by_type.size(); ++type) {
    if (static_cast<std::int16_t>(type) == row.entity_type) {
      history.events = events.by_type.at(type);
    } else {
      std::ranges::transform(history.other_events, events.by_type.at(type), history.other_events.begin(),
                             std::plus());
    }
  }
  history.present = row.present_part;
  history.since_last = row.last_hours;
  history.active = row.active_hours;
  const std::int64_t first = std::max(row.learned_hour, events.first_hour);
  history.learned = static_cast<std::size_t>(std::max<std::int64_t>(0, row.present_hour + 1 - first));
  history.is_scheduled = row.is_scheduled;
  return history;
}

json::object shown(const domain::Silence& silence) {
  return {{"count", silence.count},
          {"expected", {{"from", silence.expected.from}, {"to", silence.expected.to}}}};
}

void look(storage::blocking::Connection& session, const sql::DueWatches::Row& row,
          const BusinessEvents& events) {
  const domain::FiringJudgement judgement = domain::judge_firings(history_of(row, events));
  const auto& silence = judgement.silence;
  const std::string next_look = format_duration(std::max(least_pause, hours(judgement.next_look)));
  const std::string silent_for = silence ? format_duration(hours(silence->hours)) : "";
  const std::string text = silence ? to_json(shown(*silence)) : "";
  sql::NoteWatch note{.business = row.business_id,
                      .workflow = row.workflow_id,
                      .next_look = next_look,
                      // Without firings for most of the 8 weeks, none are usual any more.
                      .is_usual = judgement.is_usual || !judgement.last_day};
  if (judgement.last_day) {
    note.expected_from = judgement.last_day->from;
    note.expected_to = judgement.last_day->to;
  }
  if (silence) {
    note.silent_for = silent_for;
    note.silence = text;
  }
  session.run(note);
}

}  // namespace

bool watch_firings(storage::blocking::Connection& session, const DutyOptions& options) {
  return walk_indexes(session, [&] {
    session.run(sql::BeginWatches{});
    return repeat_for(options.turn, [&] {
      const auto rows = session.run(sql::DueWatches{.limit = workflows_of_portion});
      BusinessEvents events;
      for (const auto& row : rows) {
        if (row.business_id != events.business || row.present_hour != events.present)
          events = read_events(session, row.business_id, row.present_hour);
        look(session, row, events);
      }
      return std::ssize(rows) == workflows_of_portion;
    });
  });
}

}  // namespace waybill::worker
