#include "worker/matcher.hpp"

#include <iterator>
#include <unordered_set>
#include <utility>

#include "base/observe.hpp"
#include "domain/triggers.hpp"
#include "matching/relatives.hpp"
#include "storage/fields.hpp"
#include "storage/sql.hpp"
#include "worker/outcome.hpp"

namespace waybill::worker {
namespace {

// Of a batch; an event's own runs are never parted.
constexpr std::size_t max_runs = 2000;
constexpr std::size_t max_body_bytes = 32UL * 1024 * 1024;

// Of actions to which it matters.
int depth_for(const actions::Action& action, const storage::StoredEvent& event) {
  return action.changes_records() ? storage::cause_depth(event.cause) : 0;
}

/// The rows of the events, read as far as they are not there. An event whose row is gone is left out.
std::vector<storage::StoredEvent> with_rows(storage::Outbox& outbox,
                                            std::span<const storage::PendingEvent> events,
                                            std::vector<storage::StoredEvent> rows) {
  if (rows.empty()) return outbox.fetch(events);
  std::unordered_set<std::uint64_t> there;
  for (const storage::StoredEvent& row : rows) there.insert(row.id);
  std::vector<storage::PendingEvent> missing(events.begin(), events.end());
  std::erase_if(missing, [&](const storage::PendingEvent& event) { return there.contains(event.id); });
  std::ranges::move(outbox.fetch(missing), std::back_inserter(rows));
  return rows;
}

}  // namespace

/// An event with the workflows that may fire for it.
struct Matcher::Candidate {
  const storage::StoredEvent* event;
  domain::Change change;
  domain::TriggerSet fired;
  std::vector<WorkflowPtr> workflows;
  domain::Subject subject() const { return {change.entity, change.previous, change.created}; }
};

std::vector<MatchedEvent> Matcher::match(storage::Session& session,
                                         std::span<const storage::PendingEvent> events,
                                         std::vector<storage::StoredEvent> rows) {
  if (!columns_) columns_.emplace(session);
  try {
    return match_all(session, events, std::move(rows));
  } catch (const storage::ColumnsChanged&) {
    columns_.reset();
    throw;
  }
}

std::vector<MatchedEvent> Matcher::match_all(storage::Session& session,
                                             std::span<const storage::PendingEvent> events,
                                             std::vector<storage::StoredEvent> rows) {
  storage::Outbox outbox(session);
  const std::vector<storage::StoredEvent> stored = with_rows(outbox, events, std::move(rows));

  json::monotonic_resource arena;
  std::vector<Candidate> candidates;
  storage::RelativesWanted wanted;
  for (const storage::StoredEvent& event : stored) {
    auto found = candidate(event, &arena);
    if (!found) continue;
    matching::want_relatives(event.business_id, event.entity_id, event.entity_type, found->change.entity,
                             wanted);
    candidates.push_back(std::move(*found));
  }
  const std::vector<storage::Relative> relatives = outbox.relatives(wanted);
  const matching::RelativeIndex index(relatives);

  std::unordered_map<std::uint64_t, std::vector<PlannedRun>> runs;
  std::unordered_set<std::uint64_t> left_out;
  std::size_t run_count = 0;
  std::size_t body_bytes = 0;
  for (Candidate& candidate : candidates) {
    const storage::StoredEvent& event = *candidate.event;
    if (run_count >= max_runs || body_bytes >= max_body_bytes) {
      left_out.insert(event.id);
      continue;
    }
    index.fill(event.business_id, event.entity_id, event.entity_type, candidate.change.entity);
    for (const WorkflowPtr& workflow : candidate.workflows) {
      if (workflow->rule.conditions.reads_relatives() &&
          !workflow->rule.conditions.evaluate(candidate.subject()))
        continue;
      const PlannedRun& planned = runs[event.id].emplace_back(plan(candidate, workflow));
      ++run_count;
      body_bytes += planned.run.key.body ? planned.run.key.body->size() : 0;
    }
  }

  std::vector<MatchedEvent> matched;
  matched.reserve(events.size());
  for (const storage::PendingEvent& event : events) {
    if (left_out.contains(event.id)) continue;
    const auto found = runs.find(event.id);
    matched.push_back({event.shard, event.key(),
                       found == runs.end() ? std::vector<PlannedRun>{} : std::move(found->second),
                       event.orphan});
  }
  return matched;
}

std::optional<Matcher::Candidate> Matcher::candidate(const storage::StoredEvent& event,
                                                     const json::storage_ptr& memory) {
  std::vector<WorkflowPtr> workflows = catalogue_.active(event.business_id, event.entity_type);
  std::erase_if(workflows, [&](const WorkflowPtr& workflow) { return workflow->active_since > event.at; });
  if (workflows.empty()) return std::nullopt;
  std::optional<domain::Change> change;
  try {
    change.emplace(columns_->change(event, memory));
  } catch (const std::invalid_argument& error) {
    observe(Observable::event_unreadable,
            {{"event_id", static_cast<std::int64_t>(event.id)}, {"error", std::string_view(error.what())}});
    return std::nullopt;
  }
  Candidate candidate{
      .event = &event, .change = std::move(*change), .fired = {}, .workflows = std::move(workflows)};
  candidate.fired = domain::fired_triggers(candidate.change);
  std::erase_if(candidate.workflows, [&](const WorkflowPtr& workflow) {
    if (!workflow->rule.fires(candidate.fired)) return true;
    return !workflow->rule.conditions.reads_relatives() &&
           !workflow->rule.conditions.evaluate(candidate.subject());
  });
  if (candidate.workflows.empty()) return std::nullopt;
  return candidate;
}

void Matcher::check_again(storage::Session& session, std::vector<storage::ClaimedRun>& runs) {
  std::vector<storage::PendingEvent> keys;
  for (const storage::ClaimedRun& claimed : runs) {
    if (claimed.was != storage::RunStatus::waiting) continue;
    const storage::RunKey& key = claimed.run.key;
    keys.push_back({0, key.event_id, key.business_id, key.created_at});
  }
  if (keys.empty()) return;
  if (!columns_) columns_.emplace(session);
  const std::map<Guid, matching::Rule> rules = earlier_rules(session, runs);
  storage::Outbox outbox(session);
  const std::vector<storage::StoredEvent> events = outbox.fetch(keys);
  const std::vector<storage::StoredEvent> current = outbox.current(events);
  for (storage::ClaimedRun& claimed : runs) {
    const WorkflowPtr workflow = catalogue_.find(claimed.run.key.workflow_id);
    const auto event = std::ranges::find(events, claimed.run.key.event_id, &storage::StoredEvent::id);
    if (claimed.was != storage::RunStatus::waiting || !workflow || event == events.end()) continue;
    const auto& now = current[static_cast<std::size_t>(event - events.begin())];
    claimed.record_gone = event->after && !now.after;
    const auto earlier = rules.find(claimed.run.key.guid);
    const matching::Rule& rule = earlier == rules.end() ? workflow->rule : earlier->second;
    claimed.called_off = !claimed.record_gone && !still_holds(rule.conditions, *event, now, outbox);
  }
}

// By run, of those whose workflow has been changed since: a run is all of the version that it names.
std::map<Guid, matching::Rule> Matcher::earlier_rules(storage::Session& session,
                                                      const std::vector<storage::ClaimedRun>& runs) const {
  std::vector<Guid> businesses, workflows, names;
  std::vector<std::int64_t> versions;
  for (const storage::ClaimedRun& claimed : runs) {
    const storage::RunKey& key = claimed.run.key;
    const WorkflowPtr workflow = catalogue_.find(key.workflow_id);
    if (claimed.was != storage::RunStatus::waiting || !workflow || workflow->version == key.workflow_version)
      continue;
    businesses.push_back(key.business_id);
    workflows.push_back(key.workflow_id);
    versions.push_back(key.workflow_version);
    names.push_back(key.guid);
  }
  std::map<Guid, matching::Rule> rules;
  if (names.empty()) return rules;
  const storage::Rows rows = session.run(
      storage::sql::queue::rules_of_versions, storage::array_literal(businesses),
      storage::array_literal(workflows), storage::array_literal(versions), storage::array_literal(names));
  storage::for_each_row(rows, [&](const storage::RowView& row) {
    try {
      rules.emplace(row.guid(0), matching::make_rule(row.view(1), json::parse(row.view(2))));
    } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch): unreadable, so the present one counts
    }
  });
  return rules;
}

bool Matcher::still_holds(const domain::Conditions& conditions, const storage::StoredEvent& event,
                          const storage::StoredEvent& current, storage::Outbox& outbox) {
  const bool deletion = !event.after;
  try {
    // What changed is the event's; what is compared with it is the record as it is now.
    const domain::Change then = columns_->change(event, {});
    domain::Change now = columns_->change(deletion ? event : current, {});
    storage::RelativesWanted wanted;
    matching::want_relatives(event.business_id, event.entity_id, event.entity_type, now.entity, wanted);
    const std::vector<storage::Relative> relatives = outbox.relatives(wanted);
    matching::RelativeIndex(relatives).fill(event.business_id, event.entity_id, event.entity_type,
                                            now.entity);
    return conditions.evaluate({now.entity, then.previous, then.created});
  } catch (const std::invalid_argument&) {
    return false;
  }
}

PlannedRun Matcher::plan(const Candidate& candidate, const WorkflowPtr& workflow) const {
  const storage::StoredEvent& event = *candidate.event;
  const Guid guid = Guid::timed_hash(to_unix_ms(event.at), workflow->guid, event.id);
  PlannedRun planned{.run = {.key = {.business_id = event.business_id,
                                     .guid = guid,
                                     .workflow_id = workflow->guid,
                                     .workflow_version = workflow->version,
                                     .event_id = event.id,
                                     .entity_type = event.entity_type,
                                     .entity_id = event.entity_id,
                                     .trigger_code = std::string(workflow->rule.trigger->code),
                                     .action = std::string(workflow->action->type()),
                                     .created_at = event.at,
                                     .origin = guid,
                                     .replay_of = {},
                                     .destination = {},
                                     .ordered = workflow->ordered,
                                     .request = {},
                                     .body = {},
                                     .depth = depth_for(*workflow->action, event),
                                     .workflow_made = workflow->created_at},
                             .state = {.status = storage::RunStatus::queued,
                                       .code = {},
                                       .error = {},
                                       .attempts = 0,
                                       .tries = "[]",
                                       .at = clock_.now()}},
                     .request = {}};
  storage::RunState& state = planned.run.state;
  try {
    actions::Plan plan = workflow->action->plan({.guid = workflow->guid,
                                                 .name = workflow->name,
                                                 .business_id = workflow->business_id,
                                                 .business_name = workflow->business_name,
                                                 .action = workflow->definition},
                                                {.entity = candidate.change.entity,
                                                 .previous = candidate.change.previous,
                                                 .entity_type = event.entity_type,
                                                 .entity_id = event.entity_id,
                                                 .event_id = event.id,
                                                 .at = event.at,
                                                 .trigger = workflow->rule.trigger->code});
    planned.request = std::move(plan.request);
    planned.run.key.body = std::move(plan.body);
    planned.run.key.destination = workflow->action->destination(planned.request, event.business_id);
  } catch (const std::length_error& error) {
    state.status = storage::RunStatus::dead;
    state.code = "PAYLOAD_TOO_LARGE";
    state.error = error.what();
  } catch (const std::bad_alloc&) {
    throw;
  } catch (const std::exception& error) {  // SQL has written a definition that `check` would have refused
    state.status = storage::RunStatus::dead;
    state.code = "CONFIGURATION_ERROR";
    state.error = error.what();
  }
  planned.run.key.request = to_json(planned.request);
  if (state.status == storage::RunStatus::dead) return planned;
  if (is_loop(*workflow->action, planned.run.key.depth)) {
    state = loop_state(std::move(state), clock_.now());
    return planned;
  }
  planned.is_paused = workflow->paused;
  if (workflow->delay > Duration::zero()) {
    state.status = storage::RunStatus::waiting;
    state.at += workflow->delay;
  } else if (workflow->paused) {
    state.status = storage::RunStatus::held;
  }
  return planned;
}

}  // namespace waybill::worker
