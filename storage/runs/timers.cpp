#include "storage/runs/timers.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <vector>

#include "domain/time/working_days.hpp"
#include "storage/runs/working_days.hpp"
#include "storage/sql/timers.sql.hpp"
#include "storage/statement/binary.hpp"

namespace waybill::storage {
namespace {

/// The columns that both statements have.
struct Keys {
  std::vector<Guid> businesses, workflows, records;
  std::vector<std::int64_t> plans, events;

  void add(const TimerChange& change) {
    businesses.push_back(change.business_id);
    workflows.push_back(change.workflow_id);
    records.push_back(change.entity_id);
    plans.push_back(change.plan);
    events.push_back(static_cast<std::int64_t>(change.event_id));
  }
};

void drop(Session& session, const Keys& keys) {
  if (keys.records.empty()) return;
  session.run(sql::timers::Drop{.businesses = binary_array(keys.businesses),
                                .workflows = binary_array(keys.workflows),
                                .records = binary_array(keys.records),
                                .plans = keys.plans,
                                .events = binary_array(keys.events)});
}

/// The timers to set.
struct Settings {
  Keys keys;
  std::vector<Time> values, dues;
  std::vector<std::int64_t> depths;

  void add(const TimerChange& change, Time due) {
    keys.add(change);
    values.push_back(change.setting->value);
    dues.push_back(due);
    depths.push_back(change.depth);
  }
};

/// With `only_moves`, a timer that does not wait for its value is left alone.
void set(Session& session, const Settings& settings, bool only_moves) {
  if (settings.dues.empty()) return;
  const Keys& keys = settings.keys;
  session.run(sql::timers::Set{.businesses = binary_array(keys.businesses),
                               .workflows = binary_array(keys.workflows),
                               .records = binary_array(keys.records),
                               .plans = keys.plans,
                               .values = binary_array(settings.values),
                               .dues = binary_array(settings.dues),
                               .events = binary_array(keys.events),
                               .depths = settings.depths,
                               .only_moves = only_moves});
}

using Newest = std::map<std::tuple<Guid, Guid, Guid>, const TimerChange*>;

void lock_timers(Session& session, const Newest& newest) {
  Keys keys;
  for (const auto& [key, change] : newest) keys.add(*change);
  session.run(sql::timers::Lock{.businesses = binary_array(keys.businesses),
                                .workflows = binary_array(keys.workflows),
                                .records = binary_array(keys.records)});
}

/// The times at which the timers come due that count working days.
std::map<const TimerChange*, Time> working_days(Session& session, const Newest& newest) {
  std::vector<const TimerChange*> changes;
  std::vector<WorkingDays> wanted;
  for (const auto& [key, change] : newest) {
    if (!change->setting || change->setting->working_days == 0) continue;
    changes.push_back(change);
    wanted.push_back({change->business_id, change->setting->value, change->setting->working_days});
  }
  const auto moments = working_day_moments(session, wanted);
  std::map<const TimerChange*, Time> dues;
  for (std::size_t i = 0; i < changes.size(); ++i) {
    const Duration search =
        wanted[i].count < 0 ? -domain::farthest_working_day : domain::farthest_working_day;
    dues[changes[i]] = moments[i].value_or(shifted(wanted[i].start, search));
  }
  return dues;
}

}  // namespace

std::optional<Time> change_timers(Session& session, std::span<const TimerChange> changes) {
  if (changes.empty()) return std::nullopt;
  Newest newest;
  for (const TimerChange& change : changes) {
    const TimerChange*& known = newest[{change.business_id, change.workflow_id, change.entity_id}];
    if (known == nullptr || std::tie(known->plan, known->event_id) <= std::tie(change.plan, change.event_id))
      known = &change;
  }
  const auto counted = working_days(session, newest);
  Keys dropped;
  Settings kept, moved;
  std::optional<Time> first;
  for (const auto& [key, change] : newest) {
    if (!change->setting) {
      dropped.add(*change);
      continue;
    }
    const auto found = counted.find(change);
    const Time due = found == counted.end() ? change->setting->due : found->second;
    const bool is_over = found != counted.end() && due <= change->setting->since;
    if (is_over && change->event_id != 0) {
      dropped.add(*change);
      continue;
    }
    (is_over ? moved : kept).add(*change, due);
    first = std::min(first.value_or(due), due);
  }
  // Concurrent transactions lock rows in the same order. One `set` alone keeps it.
  if (newest.size() > 1 && kept.dues.size() < newest.size()) lock_timers(session, newest);
  drop(session, dropped);
  set(session, kept, false);
  set(session, moved, true);
  return first;
}

}  // namespace waybill::storage
