#include "worker/planning/run_preparer.hpp"

#include <algorithm>
#include <stdexcept>
#include <unordered_set>
#include <utility>

#include "actions/stored_templates.hpp"
#include "matching/relatives.hpp"
#include "storage/run_store.hpp"
#include "storage/sql/queue.sql.hpp"
#include "storage/sql/templates.sql.hpp"
#include "worker/planning/run_plan.hpp"
#include "worker/planning/run_steps.hpp"

namespace waybill::worker {
namespace {

/// True for a run whose delay is over, not for one at the end of a step that waits.
bool was_waiting(const storage::ClaimedRun& claimed) {
  return claimed.previous_status == storage::RunStatus::waiting && !claimed.run.state.progress;
}

bool needs_texts(const storage::ClaimedRun& claimed) { return storage::is_deferred(claimed.run.key); }

/// An event that is no longer stored, with the facts that its run holds.
storage::StoredEvent event_stub(const storage::RunKey& run) {
  return {.id = run.event_id,
          .business_id = run.business_id,
          .entity_type = run.entity_type,
          .entity_id = run.entity_id,
          .at = run.created_at,
          .cause = {},
          .detail = {},
          .before = {},
          .after = {}};
}

/// The record of a run without an event, as an event that changes nothing; nullopt if it is deleted.
std::optional<storage::StoredEvent> current_record(storage::Outbox& outbox, const storage::RunKey& run) {
  const storage::StoredEvent stub = event_stub(run);
  storage::StoredEvent record = std::move(outbox.current({&stub, 1}).front());
  if (!record.after) return std::nullopt;
  record.before = record.after;
  return record;
}

std::vector<storage::StoredEvent>::const_iterator find_event(const std::vector<storage::StoredEvent>& events,
                                                             const storage::RunKey& run) {
  return std::ranges::find_if(events, [&](const storage::StoredEvent& event) {
    return event.id == run.event_id && event.at == run.created_at;
  });
}

bool is_for_deletion(const storage::RunKey& run) { return run.trigger_code.ends_with("_deleted"); }

/// True for events that hold no record, so that a later state has nothing to compare.
bool is_for_erasure(const storage::RunKey& run) { return run.trigger_code.ends_with("_erased"); }

void mark_dead(storage::ClaimedRun& claimed, const char* code, std::string error, Time now) {
  storage::RunState& state = claimed.run.state;
  state.status = storage::RunStatus::dead;
  state.code = code;
  state.error = std::move(error);
  state.at = now;
}

/// Calls `work`. The run is dead if the work cannot read what is stored.
template <typename Work>
void unless_unreadable(storage::ClaimedRun& claimed, Time now, Work work) {
  try {
    work();
  } catch (const std::invalid_argument& error) {
    mark_dead(claimed, "UNREADABLE", error.what(), now);
  } catch (const boost::system::system_error& error) {  // of a stored text
    mark_dead(claimed, "UNREADABLE", error.what(), now);
  }
}

}  // namespace

void RunPreparer::recheck_delayed(storage::Session& session, std::vector<storage::ClaimedRun>& runs) {
  if (std::ranges::none_of(runs, was_waiting)) return;
  columns_.use(session, [&] { check_all(session, runs); });
}

void RunPreparer::render(storage::Session& session, std::vector<storage::ClaimedRun>& runs) {
  if (std::ranges::none_of(runs, needs_texts)) return;
  columns_.use(session, [&] { render_all(session, runs); });
}

void RunPreparer::check_all(storage::Session& session, std::vector<storage::ClaimedRun>& runs) {
  std::vector<storage::PendingEvent> keys;
  for (const storage::ClaimedRun& claimed : runs) {
    const storage::RunKey& key = claimed.run.key;
    if (was_waiting(claimed))
      keys.push_back({.shard = 0, .id = key.event_id, .business_id = key.business_id, .at = key.created_at});
  }
  const Versions versions = earlier_versions(session, runs, was_waiting);
  storage::Outbox outbox(session);
  std::vector<storage::StoredEvent> events = outbox.fetch(keys);
  for (const storage::ClaimedRun& claimed : runs) {
    if (was_waiting(claimed) && find_event(events, claimed.run.key) == events.end())
      events.push_back(event_stub(claimed.run.key));
  }
  const std::vector<storage::StoredEvent> current = outbox.current(events);
  for (storage::ClaimedRun& claimed : runs) {
    const WorkflowPtr workflow = catalogue_.find(claimed.run.key.workflow_id);
    if (!was_waiting(claimed) || !workflow) continue;
    const auto event = find_event(events, claimed.run.key);
    const auto& now = current[static_cast<std::size_t>(event - events.begin())];
    const auto earlier = versions.find(claimed.run.key.guid);
    const matching::Rule& rule = earlier == versions.end() ? workflow->rule : earlier->second.rule;
    if (is_for_erasure(claimed.run.key)) continue;
    const bool is_deletion =
        event->after == std::nullopt && (event->before || is_for_deletion(claimed.run.key));
    if (is_deletion && !event->before) continue;  // nothing is left to compare
    claimed.record_gone = !is_deletion && !now.after;
    // A run that waits only for the window of its workflow is not checked again.
    const bool is_delayed =
        claimed.run.state.code != storage::window_code || workflow->delay > Duration::zero();
    claimed.conditions_failed =
        is_delayed && !claimed.record_gone && !still_holds(rule.conditions, *event, now, outbox);
  }
}

/// The versions, by run, of the wanted runs whose workflow was changed since.
template <typename Wanted>
RunPreparer::Versions RunPreparer::earlier_versions(storage::Session& session,
                                                    const std::vector<storage::ClaimedRun>& runs,
                                                    Wanted wanted) const {
  std::vector<Guid> businesses, workflows, names;
  std::vector<std::int64_t> numbers;
  for (const storage::ClaimedRun& claimed : runs) {
    const storage::RunKey& key = claimed.run.key;
    const WorkflowPtr workflow = catalogue_.find(key.workflow_id);
    if (!wanted(claimed) || !workflow || workflow->version == key.workflow_version) continue;
    businesses.push_back(key.business_id);
    workflows.push_back(key.workflow_id);
    numbers.push_back(key.workflow_version);
    names.push_back(key.guid);
  }
  Versions versions;
  if (names.empty()) return versions;
  const auto definitions = session.run(storage::sql::queue::DefinitionsOfVersions{
      .businesses = businesses, .workflows = workflows, .versions = numbers, .names = names});
  for (const auto& row : definitions) {
    try {
      versions.emplace(row.name,
                       Version{matching::make_rule(row.trigger.value(), json::parse(row.conditions.value())),
                               json::parse(row.action.value()).as_object()});
    } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch): the current version is used instead
    }
  }
  return versions;
}

bool RunPreparer::still_holds(const domain::Conditions& conditions, const storage::StoredEvent& event,
                              const storage::StoredEvent& current, storage::Outbox& outbox) {
  const bool deletion = !event.after;
  try {
    // Previous values come from the event, if it is still stored; all others from the current record.
    const bool is_kept = event.before || event.after;
    const domain::Change then = is_kept ? columns_->change(event, {}) : domain::Change();
    domain::Change now = columns_->change(deletion && is_kept ? event : current, {});
    matching::fill_relatives(outbox, event.business_id, event.entity_id, event.entity_type, now.entity);
    return conditions.evaluate({now.entity, then.previous, then.created});
  } catch (const std::invalid_argument&) {
    return false;
  }
}

void RunPreparer::render_all(storage::Session& session, std::vector<storage::ClaimedRun>& runs) {
  last_.reset();  // the event may have been erased since the last batch
  const Versions versions = earlier_versions(session, runs, needs_texts);
  std::vector<Stepping> stepping;
  for (storage::ClaimedRun& claimed : runs) {
    const WorkflowPtr workflow = catalogue_.find(claimed.run.key.workflow_id);
    if (!needs_texts(claimed) || !workflow) continue;
    try {
      const auto earlier = versions.find(claimed.run.key.guid);
      const WorkflowPtr its =
          earlier == versions.end() ? workflow : with_version(session, workflow, earlier->second);
      if (!its->steps.empty() || claimed.run.state.progress) {
        stepping.push_back({&claimed, its});
        continue;
      }
      const Source* const source = source_of(session, claimed.run.key);
      if (source == nullptr && storage::is_eventless(claimed.run.key.event_id)) {
        claimed.record_gone = true;
        continue;
      }
      if (source == nullptr) {
        mark_dead(claimed, "EVENT_GONE", "The event is no longer stored, so the run cannot be rendered.",
                  clock_.now());
        continue;
      }
      json::object request;
      render_run(source->event, source->change, *its, claimed.run, request);
      claimed.run.state.at = clock_.now();
      claimed.rendered = true;
    } catch (const std::invalid_argument& error) {
      mark_dead(claimed, "UNREADABLE", error.what(), clock_.now());
    }
  }
  if (!stepping.empty()) begin_all(session, stepping);
}

/// Begins the next step of runs.
void RunPreparer::begin_all(storage::Session& session, const std::vector<Stepping>& stepping) {
  std::vector<const Stepping*> later;
  for (const Stepping& run : stepping) {
    if (step_to_begin(run.claimed->run.state) > 1) {
      later.push_back(&run);
    } else {
      begin_first(session, run);
    }
  }
  if (!later.empty()) begin_later(session, later);
}

void RunPreparer::store_steps(storage::Session& session, std::vector<storage::ClaimedRun>& runs,
                              Duration lease) const {
  std::vector<const storage::Run*> begun;
  for (const storage::ClaimedRun& claimed : runs) {
    if (performs_step(claimed.run)) begun.push_back(&claimed.run);
  }
  if (begun.empty()) return;
  const std::vector<Guid> held = storage::RunStore(session, worker_).begin_steps(begun, lease);
  if (held.size() == begun.size()) return;
  std::unordered_set<Guid> lost;
  for (const storage::Run* const run : begun) lost.insert(run->key.guid);
  for (const Guid& run : held) lost.erase(run);
  std::erase_if(runs, [&](const storage::ClaimedRun& run) { return lost.contains(run.run.key.guid); });
}

/// The first step sees the record as of the event.
void RunPreparer::begin_first(storage::Session& session, const Stepping& run) {
  unless_unreadable(*run.claimed, clock_.now(), [&] {
    const Source* const source = source_of(session, run.claimed->run.key);
    if (source == nullptr && storage::is_eventless(run.claimed->run.key.event_id)) {
      run.claimed->record_gone = true;
      return;
    }
    if (source == nullptr) {
      mark_dead(*run.claimed, "EVENT_GONE", "The event is no longer stored, so the run cannot be rendered.",
                clock_.now());
      return;
    }
    begin(session, run, source->event, source->change.entity, source->change);
  });
}

/// A later step sees the record as it is now; the last state of a record that the event deleted.
void RunPreparer::begin_later(storage::Session& session, std::span<const Stepping* const> runs) {
  storage::Outbox outbox(session);
  std::vector<storage::PendingEvent> keys;
  for (const Stepping* const run : runs) {
    const storage::RunKey& key = run->claimed->run.key;
    if (!key.replay_of)
      keys.push_back({.shard = 0, .id = key.event_id, .business_id = key.business_id, .at = key.created_at});
  }
  const std::vector<storage::StoredEvent> stored = outbox.fetch(keys);
  std::vector<storage::StoredEvent> events;
  for (const Stepping* const run : runs) {
    const storage::RunKey& key = run->claimed->run.key;
    auto event = key.replay_of ? outbox.origin(key.event_id, key.origin) : std::nullopt;
    if (const auto found = find_event(stored, key); !event && found != stored.end()) event = *found;
    events.push_back(event ? std::move(*event) : event_stub(key));
  }
  const std::vector<storage::StoredEvent> current = outbox.current(events);
  std::vector<domain::Change> then(runs.size()), now(runs.size());
  std::vector<bool> gone(runs.size());
  storage::RelativesWanted wanted;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const storage::RunKey& key = runs[i]->claimed->run.key;
    const storage::StoredEvent& event = events[i];
    const bool keeps_event = is_for_deletion(key) || is_for_erasure(key);
    gone[i] = !keeps_event && !current[i].after;
    if (gone[i]) continue;
    unless_unreadable(*runs[i]->claimed, clock_.now(), [&] {
      if (event.before || event.after || event.detail) then[i] = columns_->change(event, {});
      now[i] = keeps_event ? then[i] : columns_->change(current[i], {});
    });
    matching::collect_relatives(key.business_id, key.entity_id, key.entity_type, now[i].entity, wanted, true);
  }
  const std::vector<storage::Relative> relatives = outbox.relatives(wanted);
  const matching::RelativeIndex index(relatives, public_url_);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const storage::RunKey& key = runs[i]->claimed->run.key;
    if (gone[i]) {
      storage::RunState& state = runs[i]->claimed->run.state;
      state.status = storage::RunStatus::skipped;
      state.code = "NO_RECORD";
      state.error = "The record was deleted.";
      state.at = clock_.now();
      continue;
    }
    if (is_final(runs[i]->claimed->run.state.status)) continue;
    index.fill(key.business_id, key.entity_id, key.entity_type, now[i].entity);
    unless_unreadable(*runs[i]->claimed, clock_.now(),
                      [&] { begin(session, *runs[i], events[i], now[i].entity, then[i]); });
  }
}

void RunPreparer::begin(storage::Session& session, const Stepping& run, const storage::StoredEvent& event,
                        const json::object& entity, const domain::Change& then) {
  storage::Run& its = run.claimed->run;
  std::vector<std::string_view> triggers;
  if (run.workflow->rule.triggers.is_list) triggers = run.workflow->rule.listed(domain::fired_triggers(then));
  StepView view{.event = event,
                .entity = entity,
                .previous = then.previous,
                .created = then.created,
                .triggers = triggers,
                .earlier_texts = {}};
  if (its.key.replay_of) {
    its.key.depth = storage::cause_depth(event.cause);
    view.earlier_texts = [&](int number) -> std::optional<storage::Rendering> {
      const auto rows = session.run(storage::sql::queue::StepTexts{.business = its.key.business_id,
                                                                   .origin = its.key.origin,
                                                                   .replay_of = *its.key.replay_of,
                                                                   .number = number});
      const auto found = rows.find();
      if (!found) return std::nullopt;
      return storage::Rendering{std::string(found->request), std::optional<std::string>(found->body)};
    };
  }
  begin_steps(*run.workflow, view, its, clock_.now());
}

/// The event that caused a run, or the current record of a run without an event; null if it is no longer
/// stored.
const RunPreparer::Source* RunPreparer::source_of(storage::Session& session, const storage::RunKey& run) {
  if (last_ && last_->event.id == run.event_id && last_->event.at == run.created_at) return &*last_;
  storage::Outbox outbox(session);
  auto event = storage::is_eventless(run.event_id) ? current_record(outbox, run)
                                                   : outbox.origin(run.event_id, run.origin);
  if (!event) return nullptr;
  domain::Change change = columns_->change(*event, {});
  matching::fill_relatives(outbox, event->business_id, event->entity_id, event->entity_type, change.entity,
                           {.wanted = true, .public_url = public_url_});
  last_.emplace(std::move(*event), std::move(change));
  return &*last_;
}

/// The workflow with the definition of an earlier version; the current one if this version of waybill lacks
/// the action. The stored templates are the current ones.
WorkflowPtr RunPreparer::with_version(storage::Session& session, const WorkflowPtr& workflow,
                                      const Version& version) const {
  json::object templates;
  if (const auto codes = matching::template_codes(version.action); !codes.empty()) {
    const auto stored =
        session.run(storage::sql::templates::Texts{.business = workflow->business_id, .codes = codes});
    templates = json::parse(stored.front().texts).as_object();
    actions::add_built_in_templates(templates);
  }
  auto earlier = std::make_shared<Workflow>(*workflow);
  earlier->rule = version.rule;
  try {
    earlier->set_action(version.action, templates);
  } catch (const std::invalid_argument&) {
    return workflow;
  }
  return earlier;
}

}  // namespace waybill::worker
