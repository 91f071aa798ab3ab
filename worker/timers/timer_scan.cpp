#include "worker/timers/timer_scan.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

#include "matching/unreadable.hpp"
#include "storage/events/outbox.hpp"
#include "storage/runs/timers.hpp"
#include "storage/sql/timers.sql.hpp"
#include "storage/statement/binary.hpp"
#include "worker/planning/timer_plan.hpp"
#include "worker/timers/pace.hpp"

namespace waybill::worker {
TimerScan::TimerScan(const Catalogue& catalogue, std::size_t most)
    : catalogue_(catalogue), batch_(most, most, {}) {}

bool TimerScan::follow_catalogue() {
  const std::uint64_t epoch = catalogue_.epoch();
  return catalogue_.has_timers() && std::exchange(seen_epoch_, epoch) != epoch;
}

TimerScan::Result TimerScan::go_on(storage::Session& session, const std::vector<std::int16_t>& shards) {
  std::vector<Guid> passed_over;
  storage::Work work(session);
  for (;;) {
    const auto rows = session.run(sql::timers::ClaimScan{.shards = storage::binary_array(shards),
                                                         .passed_over = passed_over,
                                                         .last_business = last_business_});
    const auto found = rows.find();
    if (!found) break;
    const WorkflowPtr workflow = catalogue_.find(found->workflow_id);
    if (workflow && workflow->timer_plan == found->plan) {
      last_business_ = found->business_id;
      const auto due = columns_.use(
          session, [&] { return set_timers(session, *workflow, found->position, found->since); });
      work.commit();
      is_open_ = true;  // until no scan is found
      return {.found = true, .due = due};
    }
    passed_over.push_back(found->workflow_id);  // unreadable, deleted, or newer than the catalogue
  }
  work.commit();
  is_open_ = false;  // until the next look
  return {};
}

/// Returns when the first of the timers is due.
std::optional<Time> TimerScan::set_timers(storage::Session& session, const Workflow& workflow,
                                          const Guid& position, std::optional<Time> since) {
  const std::size_t most = batch_.get();
  const auto rows = session.run_binary(
      sql::timers::Records{.business = workflow.business_id,
                           .entity_type = static_cast<std::int16_t>(workflow.rule.entity_type()),
                           .after = position,
                           .limit = static_cast<std::int64_t>(most),
                           .max_bytes = static_cast<std::int64_t>(most_record_bytes)});
  const storage::Rows values = rows.more();
  std::vector<storage::TimerChange> changes;
  Guid last = position;
  for (int i = 0; i < rows.size(); ++i) {
    last = rows[i].guid;
    storage::StoredEvent record{.id = 0,
                                .business_id = workflow.business_id,
                                .entity_type = workflow.rule.entity_type(),
                                .entity_id = last,
                                .at = workflow.timer_since,
                                .cause = {},
                                .detail = {},
                                .before = {},
                                .after = storage::read_record(values.find(i, 0))};
    matching::unless_unreadable([&] {  // no timer has a value that cannot be read
      const json::object entity = columns_->change(record, {}).entity;
      if (auto change = timer_of_record(last, entity, workflow, since.value_or(workflow.timer_since)))
        changes.push_back(*change);
    });
  }
  const std::optional<Time> first_due = storage::change_timers(session, changes);
  session.run(sql::timers::MoveScan{.business = workflow.business_id,
                                    .workflow = workflow.guid,
                                    .position = last,
                                    .is_over = rows.empty()});
  const auto count = static_cast<std::size_t>(rows.size());
  count < most ? batch_.limited_to(count) : batch_.measured(most, {});
  return first_due;
}

}  // namespace waybill::worker
