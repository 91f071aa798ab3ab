#include "worker/planning/delayed_check.hpp"

#include <algorithm>
#include <stdexcept>
#include <unordered_map>

#include "matching/relatives.hpp"
#include "worker/planning/run_origins.hpp"

namespace waybill::worker {
namespace {

/// True for a run whose delay is over, not for one at the end of a step that waits.
bool was_waiting(const storage::ClaimedRun& claimed) {
  return claimed.previous_status == storage::RunStatus::waiting && !claimed.run.state.progress;
}

}  // namespace

void DelayedCheck::check(storage::Session& session, std::vector<storage::ClaimedRun>& runs) {
  if (std::ranges::none_of(runs, was_waiting)) return;
  columns_.use(session, [&] { check_all(session, runs); });
}

void DelayedCheck::check_all(storage::Session& session, std::vector<storage::ClaimedRun>& runs) {
  std::vector<storage::PendingEvent> keys;
  for (const storage::ClaimedRun& claimed : runs) {
    const storage::RunKey& key = claimed.run.key;
    if (was_waiting(claimed))
      keys.push_back({.shard = 0, .id = key.event_id, .business_id = key.business_id, .at = key.created_at});
  }
  const EarlierVersions versions = earlier_versions(session, catalogue_, runs, was_waiting);
  storage::Outbox outbox(session);
  std::vector<storage::StoredEvent> events = outbox.fetch(keys);
  for (const storage::ClaimedRun& claimed : runs) {
    if (was_waiting(claimed) && find_event(events, claimed.run.key) == events.end())
      events.push_back(event_stub(claimed.run.key));
  }
  const std::vector<storage::StoredEvent> current = outbox.current(events);
  std::unordered_map<Guid, WorkBudget> shares;  // by business
  for (storage::ClaimedRun& claimed : runs) {
    const WorkflowPtr workflow = catalogue_.find(claimed.run.key.workflow_id);
    if (!was_waiting(claimed) || !workflow) continue;
    const auto event = find_event(events, claimed.run.key);
    const auto& now = current[static_cast<std::size_t>(event - events.begin())];
    const auto earlier = versions.find(claimed.run.key.guid);
    claimed.version_unreadable = earlier != versions.end() && !earlier->second;
    if (claimed.version_unreadable) continue;
    const matching::Rule& rule = earlier == versions.end() ? workflow->rule : earlier->second->rule;
    if (is_for_erasure(claimed.run.key)) continue;
    const bool is_deletion =
        event->after == std::nullopt && (event->before || is_for_deletion(claimed.run.key));
    if (is_deletion && !event->before) continue;  // nothing is left to compare
    claimed.record_gone = !is_deletion && !now.after;
    // A run that waits only for the window of its workflow is not checked again.
    const bool is_delayed =
        claimed.run.state.code != storage::window_code || workflow->delay > Duration::zero();
    if (!is_delayed || claimed.record_gone) continue;
    WorkBudget& share =
        shares.try_emplace(claimed.run.key.business_id, domain::max_condition_work).first->second;
    claimed.waits_for_turn = share.is_exceeded();
    if (claimed.waits_for_turn) continue;
    const domain::Verdict verdict = judge(rule.conditions, *event, now, outbox, share);
    claimed.conditions_failed = verdict != domain::Verdict::hold;
    claimed.is_unjudged = verdict == domain::Verdict::too_much_work;
  }
}

domain::Verdict DelayedCheck::judge(const domain::Conditions& conditions, const storage::StoredEvent& event,
                                    const storage::StoredEvent& current, storage::Outbox& outbox,
                                    WorkBudget& share) {
  const bool deletion = !event.after;
  try {
    // Previous values come from the event, if it is still stored; all others from the current record.
    const bool is_kept = event.before || event.after;
    const domain::Change then = is_kept ? columns_->change(event, {}) : domain::Change();
    domain::Change now = columns_->change(deletion && is_kept ? event : current, {});
    matching::fill_relatives(outbox, event.business_id, event.entity_id, event.entity_type, now.entity);
    return domain::judge(conditions, {now.entity, then.previous, then.created}, share);
  } catch (const std::invalid_argument&) {
    return domain::Verdict::fail;
  }
}

}  // namespace waybill::worker
