#include "storage/runs/timers.hpp"

#include <map>
#include <tuple>
#include <vector>

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

void set(Session& session, const Keys& keys, const std::vector<Time>& values, const std::vector<Time>& dues,
         const std::vector<std::int64_t>& depths) {
  if (keys.records.empty()) return;
  session.run(sql::timers::Set{.businesses = binary_array(keys.businesses),
                               .workflows = binary_array(keys.workflows),
                               .records = binary_array(keys.records),
                               .plans = keys.plans,
                               .values = binary_array(values),
                               .dues = binary_array(dues),
                               .events = binary_array(keys.events),
                               .depths = depths});
}

}  // namespace

void change_timers(Session& session, std::span<const TimerChange> changes) {
  if (changes.empty()) return;
  // By key, so that concurrent transactions lock the rows in the same order.
  std::map<std::tuple<Guid, Guid, Guid>, const TimerChange*> newest;
  for (const TimerChange& change : changes) {
    const TimerChange*& known = newest[{change.business_id, change.workflow_id, change.entity_id}];
    if (known == nullptr || std::tie(known->plan, known->event_id) <= std::tie(change.plan, change.event_id))
      known = &change;
  }
  Keys dropped, kept;
  std::vector<Time> values, dues;
  std::vector<std::int64_t> depths;
  for (const auto& [key, change] : newest) {
    if (!change->setting) {
      dropped.add(*change);
      continue;
    }
    kept.add(*change);
    values.push_back(change->setting->value);
    dues.push_back(change->setting->due);
    depths.push_back(change->depth);
  }
  drop(session, dropped);
  set(session, kept, values, dues, depths);
}

}  // namespace waybill::storage
