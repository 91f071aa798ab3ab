#include "worker/planning/delayed_check.hpp"

#include <algorithm>
#include <chrono>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <utility>

#include "actions/http_response.hpp"
#include "base/observe.hpp"
#include "matching/relatives.hpp"
#include "matching/unreadable.hpp"
#include "worker/planning/condition_shares.hpp"
#include "worker/planning/run_origins.hpp"
#include "worker/planning/run_plan.hpp"

namespace waybill::worker {
namespace {

using std::chrono::steady_clock;

// Limits of one call, which delays all else on its thread.
constexpr std::size_t max_bytes = 4UL * 1024 * 1024;  // of events, and of current records
constexpr auto max_time = std::chrono::milliseconds(20);

/// The events of the wanted runs, up to a number of bytes. An event that is no longer stored has a stub, if
/// all others fit.
std::vector<storage::StoredEvent> events_of(storage::Outbox& outbox,
                                            std::span<const storage::ClaimedRun> runs) {
  std::vector<const storage::RunKey*> keys;
  for (const storage::ClaimedRun& claimed : runs) {
    if (DelayedCheck::is_wanted(claimed)) keys.push_back(&claimed.run.key);
  }
  bool has_all = true;
  std::vector<storage::StoredEvent> events = outbox.fetch(events_to_fetch(keys), max_bytes, has_all);
  if (!has_all) return events;
  for (const storage::ClaimedRun& claimed : runs) {
    if (DelayedCheck::is_wanted(claimed) && find_event(events, claimed.run.key) == events.end())
      events.push_back(event_stub(claimed.run.key));
  }
  return events;
}

/// Names a comparison that does not hold, with the value at this time; empty if that takes much work.
std::string failed_comparison(const domain::Conditions& conditions, const domain::Subject& subject) {
  constexpr std::size_t most_work = domain::max_condition_work / 32;
  constexpr std::size_t longest_value = 200;
  WorkBudget budget(most_work);
  const std::vector<domain::ConditionResult> results = conditions.explain(subject, budget);
  if (results.empty() || budget.is_exceeded()) return {};
  const auto shown = [](const json::value& value) {
    const std::string text = to_json(value);
    return text.size() <= longest_value ? text : actions::limited_text(text, longest_value) + "…";
  };
  // Inside `not`, all may hold.
  const auto found = std::ranges::find(results, false, &domain::ConditionResult::holds);
  const domain::ConditionResult& failed = found == results.end() ? results.front() : *found;
  return failed.path + ' ' + failed.op + ' ' + shown(failed.expected) + "; the value was " +
         shown(failed.actual);
}

/// The records of some events, each once, although several events can be of one record.
struct RecordStubs {
  std::vector<storage::StoredEvent> stubs;  // for Outbox::current
  std::unordered_map<Guid, std::size_t> positions;
};

RecordStubs records_of(std::span<const storage::StoredEvent> events) {
  RecordStubs records;
  for (const storage::StoredEvent& event : events) {
    if (!records.positions.try_emplace(event.entity_id, records.stubs.size()).second) continue;
    records.stubs.push_back({.id = event.id,
                             .business_id = event.business_id,
                             .entity_type = event.entity_type,
                             .entity_id = event.entity_id,
                             .at = event.at,
                             .cause = {},
                             .detail = {},
                             .before = {},
                             .after = {}});
  }
  return records;
}

}  // namespace

/// An event, and its record as it is now.
struct DelayedCheck::Records {
  const storage::StoredEvent* event;
  const storage::StoredEvent* current;
  std::optional<domain::Change> then = std::nullopt, now = std::nullopt;  // once parsed
  std::optional<matching::Unreadable> problem = std::nullopt;
  bool has_relatives = false;
};

/// The state of one call of `check`.
struct DelayedCheck::Turn {
  EarlierVersions versions;
  storage::Outbox& outbox;
  ConditionShares shares = {};
};

bool DelayedCheck::is_wanted(const storage::ClaimedRun& claimed) {
  const storage::RunState& state = claimed.run.state;
  const bool has_waited = claimed.previous_status == storage::RunStatus::waiting || claimed.missed_window;
  return has_waited && !state.progress && state.code != storage::label_code;
}

std::vector<storage::ClaimedRun> DelayedCheck::check(storage::Session& session,
                                                     std::vector<storage::ClaimedRun>& runs) {
  std::vector<storage::ClaimedRun> left, checked;
  if (std::ranges::none_of(runs, is_wanted)) return left;
  const std::vector<bool> is_left = columns_.use(session, [&] { return check_some(session, runs); });
  for (std::size_t i = 0; i < runs.size(); ++i) (is_left[i] ? left : checked).push_back(std::move(runs[i]));
  runs = std::move(checked);
  return left;
}

/// Returns true for each run that was not reached.
std::vector<bool> DelayedCheck::check_some(storage::Session& session,
                                           std::vector<storage::ClaimedRun>& runs) {
  const auto deadline = steady_clock::now() + max_time;
  storage::Outbox outbox(session);
  const auto find = [this](const Guid& workflow) { return catalogue_.find(workflow); };
  Turn turn{.versions = earlier_versions(session, find, runs, is_wanted), .outbox = outbox};
  const std::vector<storage::StoredEvent> events = events_of(outbox, runs);
  const RecordStubs records = records_of(events);
  std::vector<storage::StoredEvent> current = outbox.current(records.stubs, max_bytes);

  std::vector<bool> is_left(runs.size(), false);
  std::unordered_map<storage::EventKey, std::vector<std::size_t>, storage::EventKeyHash> runs_of;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const storage::RunKey& key = runs[i].run.key;
    if (!is_wanted(runs[i]) || catalogue_.find(key.workflow_id) == nullptr) continue;
    is_left[i] = true;
    runs_of[{key.event_id, key.created_at}].push_back(i);
  }
  for (const storage::StoredEvent& event : events) {
    const std::size_t position = records.positions.at(event.entity_id);
    if (position >= current.size()) continue;
    if (&event != &events.front() && (turn.shares.is_over() || steady_clock::now() > deadline)) break;
    current[position].detail = event.detail;
    Records of_event{.event = &event, .current = &current[position]};
    for (const std::size_t i : runs_of[{event.id, event.at}])
      is_left[i] = !check_run(runs[i], of_event, turn);
  }
  return is_left;
}

/// Returns false if the business of the run has used up its share of the turn.
bool DelayedCheck::check_run(storage::ClaimedRun& claimed, Records& records, Turn& turn) {
  const storage::RunKey& key = claimed.run.key;
  const storage::StoredEvent& event = *records.event;
  const WorkflowPtr workflow = catalogue_.find(key.workflow_id);
  if (!workflow || is_for_erasure(key) || is_of_list(key)) return true;
  const auto earlier = turn.versions.find(key.guid);
  claimed.version_unreadable = earlier != turn.versions.end() && !earlier->second;
  if (claimed.version_unreadable) return true;
  const matching::Rule& rule = earlier == turn.versions.end() ? workflow->rule : earlier->second->rule;
  const bool is_deletion = event.after == std::nullopt && (event.before || is_for_deletion(key));
  if (is_deletion && !event.before) return true;  // nothing is left to compare
  claimed.record_gone = !is_deletion && !records.current->after;
  // A run that waits only for the window of its workflow is not checked again.
  const bool is_delayed =
      !claimed.missed_window && (claimed.run.state.code != storage::window_code || workflow->has_delay());
  if (!is_delayed || claimed.record_gone) return true;
  if (turn.shares.is_exceeded(key.business_id)) return false;
  const domain::Verdict verdict = judge(rule.conditions, records, turn);
  if (verdict == domain::Verdict::fail && !records.problem) {
    claimed.failed_condition = failed_comparison(
        rule.conditions, {records.now->entity, records.then->previous, records.then->created});
  }
  if (records.problem)
    claimed.run.state = unreadable_state(std::move(claimed.run.state), *records.problem, clock_.now());
  claimed.conditions_failed = verdict != domain::Verdict::hold;
  claimed.is_unjudged = verdict == domain::Verdict::too_much_work;
  return true;
}

domain::Verdict DelayedCheck::judge(const domain::Conditions& conditions, Records& records, Turn& turn) {
  const storage::StoredEvent& event = *records.event;
  if (!records.now && !records.problem) {
    const bool deletion = !event.after;
    records.problem = matching::unless_unreadable([&] {
      // Previous values come from the event, if it is still stored; all others from the current record.
      const bool is_kept = event.before || event.after;
      records.then = is_kept ? columns_->change(event, {}) : domain::Change();
      records.now = columns_->change(deletion && is_kept ? event : *records.current, {});
    });
    if (records.problem) {
      observe(Observable::event_unreadable, {{"event_id", static_cast<std::int64_t>(event.id)},
                                             {"error", std::string_view(records.problem->error)}});
    }
  }
  if (records.problem) return domain::Verdict::fail;
  if (conditions.reads_relatives() && !std::exchange(records.has_relatives, true)) {
    matching::fill_relatives(turn.outbox, event.business_id, event.entity_id, event.entity_type,
                             records.now->entity);
    matching::fill_previous(turn.outbox, event.business_id, *records.then);
  }
  return turn.shares.judge(event.business_id, conditions,
                           {records.now->entity, records.then->previous, records.then->created});
}

}  // namespace waybill::worker
