#include "storage/runs/failure_counts.hpp"

#include <algorithm>
#include <string>

#include "storage/runs/queued_keys.hpp"
#include "storage/sql/alerts.sql.hpp"
#include "storage/statement/binary.hpp"

namespace waybill::storage {
namespace {

/// Calls `count` with each cause of alerts that applies to the outcome of an attempt.
template <typename Count>
void for_each_cause(const RunState& state, const Count& count) {
  if (state.status == RunStatus::dead) count("run_dead");
  if (state.destination_down) count("destination_down");
}

}  // namespace

void FailureCounts::add(const RunKey& key, const RunState& state) {
  for_each_cause(state, [&](std::string_view cause) {
    Group& group = groups_[{key.business_id, cause, key.workflow_id}];
    const bool is_first = group.count == 0;
    group.run = key.guid;
    group.oldest = is_first ? key.created_at : std::min(group.oldest, key.created_at);
    group.newest = is_first ? key.created_at : std::max(group.newest, key.created_at);
    ++group.count;
  });
}

void FailureCounts::add_queued(const QueuedKey& key, const RunState& state) {
  for_each_cause(state, [&](std::string_view cause) { queued_.push_back({key, cause}); });
}

void FailureCounts::write(Session& session, const Guid& worker) const {
  if (groups_.empty() && queued_.empty()) return;
  std::vector<Guid> businesses, workflows, runs;
  QueuedKeys queued;
  std::vector<std::string> causes, queued_causes;
  std::vector<Time> oldest, newest;
  std::vector<std::int64_t> counts;
  for (const auto& [kind, group] : groups_) {
    const auto& [business, cause, workflow] = kind;
    businesses.push_back(business);
    causes.emplace_back(cause);
    workflows.push_back(workflow);
    runs.push_back(group.run);
    oldest.push_back(group.oldest);
    newest.push_back(group.newest);
    counts.push_back(group.count);
  }
  for (const Queued& each : queued_) {
    queued.add(each.key);
    queued_causes.emplace_back(each.cause);
  }
  session.run_with_fresh_plan(sql::alerts::CountFailures{.worker = worker,
                                                         .businesses = binary_array(businesses),
                                                         .causes = causes,
                                                         .workflows = binary_array(workflows),
                                                         .runs = binary_array(runs),
                                                         .oldest = binary_array(oldest),
                                                         .newest = binary_array(newest),
                                                         .counts = binary_array(counts),
                                                         .queued_businesses = binary_array(queued.businesses),
                                                         .queued_workflows = binary_array(queued.workflows),
                                                         .queued_runs = binary_array(queued.runs),
                                                         .queued_causes = queued_causes,
                                                         .queued_claims = queued.claims});
}

}  // namespace waybill::storage
