#include "worker/planning/run_preparer.hpp"

#include <algorithm>
#include <chrono>
#include <stdexcept>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "actions/stored_templates.hpp"
#include "base/exact_number.hpp"
#include "matching/relatives.hpp"
#include "matching/unreadable.hpp"
#include "storage/runs/run_store.hpp"
#include "storage/runs/working_days.hpp"
#include "storage/sql/queue.sql.hpp"
#include "storage/sql/templates.sql.hpp"
#include "storage/statement/errors.hpp"
#include "worker/planning/earlier_texts.hpp"
#include "worker/planning/run_origins.hpp"
#include "worker/planning/run_plan.hpp"
#include "worker/planning/run_steps.hpp"

namespace waybill::worker {
namespace {

constexpr std::size_t max_bytes =
    4UL * 1024 * 1024;  // of the events, and of the current records, of a portion

constexpr const char* list_is_gone = "The list of the records is no longer stored.";

/// The list of a run for several records; nullopt if it is no longer stored, or erased.
std::optional<json::object> list_of(storage::Session& session, const storage::RunKey& run) {
  const auto rows =
      session.run(storage::sql::queue::StepTexts{.business = run.business_id,
                                                 .origin = run.origin,
                                                 .replay_of = run.replay_of.value_or(run.origin),
                                                 .number = storage::list_text_number,
                                                 .last_used = 0});
  const auto found = rows.find();
  if (!found) return std::nullopt;
  constexpr std::size_t deepest = 160;  // records are read up to a depth of 128
  auto parsed = parse_exact_json(found->request, deepest);
  auto* const value = std::get_if<json::value>(&parsed);
  if (value == nullptr) throw std::runtime_error("the stored list of a run cannot be read");
  json::object list = std::move(value->as_object());
  // An erasure may have left out all items of a digest.
  const bool is_empty_digest = run.trigger_code == domain::digest_code && list.at("count") == 0;
  return is_empty_digest ? std::nullopt : std::optional(std::move(list));
}

bool needs_texts(const storage::ClaimedRun& claimed) { return storage::is_deferred(claimed.run.key); }

/// The record of a run without an event, as an event that changes nothing; nullopt if it is deleted.
std::optional<storage::StoredEvent> current_record(storage::Outbox& outbox, const storage::RunKey& run) {
  const storage::StoredEvent stub = event_stub(run);
  storage::StoredEvent record = std::move(outbox.current({&stub, 1}, max_bytes).front());
  if (!record.after) return std::nullopt;
  record.before = record.after;
  return record;
}

/// True if the person whom a record names was erased after the event of a run.
bool is_erased(storage::Session& session, const storage::RunKey& run, const json::object& entity) {
  const json::value* const customer = entity.if_contains("customer");
  const json::object* const person = customer == nullptr ? nullptr : customer->if_object();
  const auto guid = run.entity_type == domain::EntityType::customer ? std::optional(run.entity_id)
                    : person != nullptr ? Guid::parse(person->at("guid").as_string())
                                        : std::nullopt;
  if (!guid) return false;
  return session
      .run(storage::sql::queue::PersonErased{
          .business = run.business_id, .customer = *guid, .since = run.created_at})
      .front()
      .is_erased;
}

/// True for a run whose next step sees the record as it is.
bool begins_later(const storage::RunState& state) {
  return step_to_begin(state) > 1 || (state.progress && state.progress->awaits);
}

/// True for a run whose texts are made from its event, which is found by the time of the run.
bool begins_with_event(const storage::ClaimedRun& claimed) {
  const storage::RunKey& key = claimed.run.key;
  return needs_texts(claimed) && !key.replay_of && !storage::is_eventless(key.event_id) &&
         !begins_later(claimed.run.state);
}

void mark_claimed_dead(storage::ClaimedRun& claimed, const char* code, std::string error, Time now) {
  storage::RunState& state = claimed.run.state;
  state.status = storage::RunStatus::dead;
  state.code = code;
  state.error = std::move(error);
  state.at = now;
}

/// Ends a run whose record, or list of records, is gone.
void mark_skipped(storage::ClaimedRun& claimed, const char* reason, Time now) {
  storage::RunState& state = claimed.run.state;
  state.status = storage::RunStatus::skipped;
  state.code = "NO_RECORD";
  state.error = reason;
  state.at = now;
}

/// Ends a step whose texts the database refuses.
void end_unstorable_step(storage::ClaimedRun& claimed, const char* error, Time now) {
  mark_claimed_dead(claimed, "UNRECORDABLE",
                    std::string("The texts of the step could not be stored: ") + error, now);
  claimed.run.key.request = storage::deferred_request;
  claimed.run.key.body.reset();
  claimed.run.state = end_step(std::move(claimed.run.state), now);
}

/// Calls `work`. The run is dead if the work cannot read what is stored.
template <typename Work>
void unless_unreadable(storage::ClaimedRun& claimed, Time now, Work work) {
  const auto problem = matching::unless_unreadable(work);
  if (problem) claimed.run.state = unreadable_state(std::move(claimed.run.state), *problem, now);
}

}  // namespace

void RunPreparer::render(storage::Session& session, std::vector<storage::ClaimedRun>& runs) {
  if (std::ranges::none_of(runs, needs_texts)) return;
  columns_.use(session, [&] { render_all(session, runs); });
}

void RunPreparer::render_all(storage::Session& session, std::vector<storage::ClaimedRun>& runs) {
  sources_.clear();  // the events may have been erased since the last batch
  last_.reset();
  // The matcher replaces workflows while this thread works. A run whose version was the current one a moment
  // ago must not get the next one.
  std::unordered_map<Guid, WorkflowPtr> workflows;
  const auto find = [&](const Guid& guid) {
    const auto [found, is_first] = workflows.try_emplace(guid);
    if (is_first) found->second = catalogue_.find(guid);
    return found->second;
  };
  const EarlierVersions versions = earlier_versions(session, find, runs, needs_texts);
  std::vector<const storage::RunKey*> with_source;
  for (const storage::ClaimedRun& claimed : runs) {
    if (begins_with_event(claimed) && find(claimed.run.key.workflow_id))
      with_source.push_back(&claimed.run.key);
  }
  read_sources(session, with_source);
  std::vector<LateRun> late;
  for (const storage::ClaimedRun& claimed : runs) {
    if (needs_texts(claimed) && !versions.contains(claimed.run.key.guid))
      late.push_back({&claimed.run, find(claimed.run.key.workflow_id)});
  }
  const auto texts = earlier_texts(session, late);
  std::vector<Stepping> stepping;
  for (storage::ClaimedRun& claimed : runs) {
    WorkflowPtr workflow = find(claimed.run.key.workflow_id);
    if (!needs_texts(claimed) || !workflow) continue;
    if (const auto changed = texts.find(claimed.run.key.guid); changed != texts.end())
      workflow = with_texts(workflow, changed->second);
    times_.measure(claimed.run.key.business_id, [&] {
      unless_unreadable(claimed, clock_.now(),
                        [&] { render_one(session, versions, claimed, workflow, stepping); });
    });
  }
  if (!stepping.empty()) begin_all(session, stepping);
  sources_.clear();
}

/// Renders a run of one action; adds one of several steps to `stepping`.
void RunPreparer::render_one(storage::Session& session, const EarlierVersions& versions,
                             storage::ClaimedRun& claimed, const WorkflowPtr& workflow,
                             std::vector<Stepping>& stepping) {
  const auto earlier = versions.find(claimed.run.key.guid);
  const WorkflowPtr its = earlier == versions.end() ? workflow
                          : earlier->second ? with_version(session, workflow, claimed.run, *earlier->second)
                                            : nullptr;
  claimed.version_unreadable = its == nullptr;
  if (claimed.version_unreadable) return;
  std::optional<std::string>& code = claimed.run.state.code;
  if (code == storage::unreadable_code || code == storage::window_code) code.reset();
  if (is_cancelled(session, *its, claimed)) return;
  if (!its->steps.empty() || claimed.run.state.progress) {
    stepping.push_back({&claimed, its});
    return;
  }
  if (is_of_list(claimed.run.key)) {
    render_list(session, *its, claimed);
    return;
  }
  const Source* const source = source_of(session, claimed.run.key);
  if (source == nullptr && storage::is_eventless(claimed.run.key.event_id)) {
    claimed.record_gone = true;
    return;
  }
  if (source == nullptr) {
    mark_claimed_dead(claimed, "EVENT_GONE", "The event is no longer stored, so the run cannot be rendered.",
                      clock_.now());
    return;
  }
  json::object request;
  render_run(source->event, source->change, *its, claimed.run, request);
  if (has_no_recipient(*its->action, request) && is_erased(session, claimed.run.key, source->change.entity)) {
    claimed.run.state = erased_state(std::move(claimed.run.state), clock_.now());
    claimed.run.key.request = storage::deferred_request;
    claimed.run.key.body.reset();
    return;
  }
  claimed.run.state.at = clock_.now();
  claimed.rendered = true;
}

/// Ends a run that a later event of its record cancels. A wait for an event finds out itself.
bool RunPreparer::is_cancelled(storage::Session& session, const Workflow& workflow,
                               storage::ClaimedRun& claimed) {
  storage::RunState& state = claimed.run.state;
  if (!workflow.cancel_on || !claimed.watch_after || (state.progress && state.progress->awaits)) return false;
  LaterEvents later{.looked_to = *claimed.watch_after, .has_more = true};
  while (later.has_more && !later.is_cancelled)
    later = look_at_later_events(session, *columns_, claimed.run.key, later.looked_to,
                                 {.cancel_on = &*workflow.cancel_on});
  if (later.is_cancelled) state = cancelled_state(std::move(state), later.looked_to, clock_.now());
  return later.is_cancelled;
}

/// Renders a run of one action for a list.
void RunPreparer::render_list(storage::Session& session, const Workflow& workflow,
                              storage::ClaimedRun& claimed) {
  domain::Change change;
  auto list = list_of(session, claimed.run.key);
  if (!list) {
    mark_skipped(claimed, list_is_gone, clock_.now());
    return;
  }
  change.entity = *std::move(list);
  json::object request;
  render_run(event_stub(claimed.run.key), change, workflow, claimed.run, request);
  claimed.run.state.at = clock_.now();
  claimed.rendered = true;
}

/// True for a replay that begins with a choice, which sees the record as it is.
bool RunPreparer::repeats_choice(const Stepping& run) {
  return run.claimed->run.key.replay_of && !run.workflow->steps.empty() &&
         run.workflow->steps.front().type == actions::choose_type;
}

/// Begins the next step of runs.
void RunPreparer::begin_all(storage::Session& session, const std::vector<Stepping>& stepping) {
  std::vector<const Stepping*> later;
  for (const Stepping& run : stepping) {
    const storage::RunKey& key = run.claimed->run.key;
    if (!is_of_list(key) && (begins_later(run.claimed->run.state) || repeats_choice(run))) {
      later.push_back(&run);
      continue;
    }
    times_.measure(key.business_id, [&] {
      if (is_of_list(key)) {
        begin_with_list(session, run);
      } else {
        begin_first(session, run);
      }
    });
  }
  begin_later(session, std::move(later));
}

void RunPreparer::store_steps(storage::Session& session, std::vector<storage::ClaimedRun>& runs,
                              Duration lease) const {
  std::vector<storage::ClaimedRun*> begun;
  for (storage::ClaimedRun& claimed : runs) {
    if (performs_step(claimed.run)) begun.push_back(&claimed);
  }
  if (begun.empty()) return;
  std::unordered_set<Guid> lost;
  const auto store = [&](std::span<storage::ClaimedRun* const> some) {
    std::vector<const storage::Run*> steps;
    for (const storage::ClaimedRun* const claimed : some) steps.push_back(&claimed->run);
    const std::vector<Guid> held = storage::RunStore(session, worker_).begin_steps(steps, lease);
    if (held.size() == steps.size()) return;
    for (const storage::Run* const run : steps) lost.insert(run->key.guid);
    for (const Guid& run : held) lost.erase(run);
  };
  try {
    store(begun);
  } catch (const storage::StatementError& error) {
    if (!storage::refuses_data(error)) throw;
    for (storage::ClaimedRun* const claimed : begun) {
      try {
        store({&claimed, 1});
      } catch (const storage::StatementError& refused) {
        if (!storage::refuses_data(refused)) throw;
        end_unstorable_step(*claimed, refused.what(), clock_.now());
      }
    }
  }
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
      mark_claimed_dead(*run.claimed, "EVENT_GONE",
                        "The event is no longer stored, so the run cannot be rendered.", clock_.now());
      return;
    }
    begin(session, run, source->event, source->change.entity, source->change);
  });
}

/// All steps see the list of the tick or digest.
void RunPreparer::begin_with_list(storage::Session& session, const Stepping& run) {
  unless_unreadable(*run.claimed, clock_.now(), [&] {
    const auto list = list_of(session, run.claimed->run.key);
    if (list) {
      begin(session, run, event_stub(run.claimed->run.key), *list, {});
    } else {
      mark_skipped(*run.claimed, list_is_gone, clock_.now());
    }
  });
}

/// A later step sees the record as it is now; the last state of a record that the event deleted.
void RunPreparer::begin_later(storage::Session& session, std::vector<const Stepping*> runs) {
  while (!runs.empty()) begin_portion(session, runs);
}

/// Begins the later steps of as many runs as fit the limit of bytes, and removes them from `waiting`.
void RunPreparer::begin_portion(storage::Session& session, std::vector<const Stepping*>& waiting) {
  const auto began = std::chrono::steady_clock::now();
  const SpentTimes::Length counted = times_.total();
  storage::Outbox outbox(session);
  std::vector<const storage::RunKey*> keys;
  for (const Stepping* const run : waiting) {
    const storage::RunKey& key = run->claimed->run.key;
    if (!key.replay_of) keys.push_back(&key);
  }
  bool has_all = true;
  const std::vector<storage::StoredEvent> stored = outbox.fetch(events_to_fetch(keys), max_bytes, has_all);
  std::vector<const Stepping*> runs, later;
  std::vector<storage::StoredEvent> events;
  std::vector<SpentTimes::Part> parts;
  std::size_t bytes = 0;
  for (const Stepping* const run : waiting) {
    const storage::RunKey& key = run->claimed->run.key;
    const auto found = key.replay_of ? stored.end() : find_event(stored, key);
    if (bytes >= max_bytes || (!key.replay_of && !has_all && found == stored.end())) {
      later.push_back(run);
      continue;
    }
    auto event = key.replay_of ? outbox.origin(key.event_id, key.origin) : std::nullopt;
    if (found != stored.end()) event = *found;
    events.push_back(event ? std::move(*event) : event_stub(key));
    parts.push_back({key.business_id, record_bytes(events.back())});
    bytes += parts.back().bytes;
    runs.push_back(run);
  }
  const std::vector<storage::StoredEvent> current = outbox.current(events, max_bytes);
  later.insert(later.end(), runs.begin() + std::ssize(current), runs.end());
  runs.resize(current.size());
  parts.resize(current.size());
  waiting = std::move(later);
  std::vector<domain::Change> then(runs.size()), now(runs.size());
  std::vector<bool> gone(runs.size());
  storage::RelativesWanted wanted;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const storage::RunKey& key = runs[i]->claimed->run.key;
    const storage::StoredEvent& event = events[i];
    const bool keeps_event = is_for_deletion(key) || is_for_erasure(key);
    gone[i] = !keeps_event && !current[i].after;
    if (gone[i]) continue;
    parts[i].bytes += record_bytes(current[i]);
    unless_unreadable(*runs[i]->claimed, clock_.now(), [&] {
      if (event.before || event.after || event.detail) then[i] = columns_->change(event, {});
      now[i] = keeps_event ? then[i] : columns_->change(current[i], {});
    });
    matching::collect_relatives(key.business_id, key.entity_id, key.entity_type, now[i].entity, wanted, true);
    matching::collect_carriers_of_link(key.business_id, then[i], wanted);
  }
  const std::vector<storage::Relative> relatives = outbox.relatives(wanted);
  const matching::RelativeIndex index(relatives, public_url_);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const storage::RunKey& key = runs[i]->claimed->run.key;
    if (gone[i]) {
      mark_skipped(*runs[i]->claimed, "The record was deleted.", clock_.now());
      continue;
    }
    if (is_final(runs[i]->claimed->run.state.status)) continue;
    times_.measure(key.business_id, [&] {
      index.fill(key.business_id, key.entity_id, key.entity_type, now[i].entity);
      index.fill_previous(key.business_id, then[i]);
      unless_unreadable(*runs[i]->claimed, clock_.now(),
                        [&] { begin(session, *runs[i], events[i], now[i].entity, then[i]); });
    });
  }
  times_.divide(std::chrono::steady_clock::now() - began - (times_.total() - counted), parts);
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
                .earlier_texts = {},
                .working_day =
                    [&](Time start, int count) {
                      const storage::WorkingDays wanted{its.key.business_id, start, count};
                      return storage::working_day_moments(session, {&wanted, 1}).front();
                    },
                .later_events =
                    [&](std::uint64_t after, const WantedEvents& wanted) {
                      if (!run.claimed->watch_after) return LaterEvents{.looked_to = after};
                      return look_at_later_events(session, *columns_, its.key,
                                                  std::max(after, *run.claimed->watch_after), wanted);
                    },
                .is_erased = [&] { return is_erased(session, its.key, entity); },
                .expires_at = its.key.created_at + retention_};
  if (its.key.replay_of) {
    its.key.depth = storage::cause_depth(event.cause);
    view.earlier_texts = [&](int number, int last_used) -> std::optional<storage::Rendering> {
      const auto rows = session.run(storage::sql::queue::StepTexts{.business = its.key.business_id,
                                                                   .origin = its.key.origin,
                                                                   .replay_of = *its.key.replay_of,
                                                                   .number = number,
                                                                   .last_used = last_used});
      const auto found = rows.find();
      if (!found) return std::nullopt;
      return storage::Rendering{std::string(found->request), std::optional<std::string>(found->body)};
    };
  }
  begin_steps(*run.workflow, view, its, clock_.now());
}

/// Reads the events of several runs together, as many as fit the limit of bytes. `source_of` reads the
/// others, also those that cannot be read, which end their runs.
void RunPreparer::read_sources(storage::Session& session, std::span<const storage::RunKey* const> runs) {
  const auto began = std::chrono::steady_clock::now();
  const std::vector<storage::PendingEvent> keys = events_to_fetch(runs);
  if (keys.size() < 2) return;
  storage::Outbox outbox(session);
  bool has_all = true;
  storage::RelativesWanted wanted;
  std::vector<SpentTimes::Part> parts;
  for (storage::StoredEvent& event : outbox.fetch(keys, max_bytes, has_all)) {
    parts.push_back({event.business_id, record_bytes(event)});
    domain::Change change;
    if (matching::unless_unreadable([&] { change = columns_->change(event, {}); })) continue;
    matching::collect_relatives(event.business_id, event.entity_id, change, wanted, true);
    sources_.emplace_back(std::move(event), std::move(change));
  }
  const std::vector<storage::Relative> relatives = outbox.relatives(wanted);
  const matching::RelativeIndex index(relatives, public_url_);
  for (auto& [event, change] : sources_) index.fill(event.business_id, event.entity_id, change);
  times_.divide(std::chrono::steady_clock::now() - began, parts);
}

/// The event that caused a run, or the current record of a run without an event; null if it is no longer
/// stored.
const RunPreparer::Source* RunPreparer::source_of(storage::Session& session, const storage::RunKey& run) {
  const auto is_wanted = [&](const Source& source) { return is_event_of(source.event, run); };
  const auto found = std::ranges::find_if(sources_, is_wanted);
  if (found != sources_.end()) return &*found;
  if (last_ && is_wanted(*last_)) return &*last_;
  storage::Outbox outbox(session);
  auto event = storage::is_eventless(run.event_id) ? current_record(outbox, run)
                                                   : outbox.origin(run.event_id, run.origin);
  if (!event) return nullptr;
  domain::Change change = columns_->change(*event, {});
  matching::fill_relatives(outbox, event->business_id, event->entity_id, change,
                           {.wanted = true, .public_url = public_url_});
  last_.emplace(std::move(*event), std::move(change));
  return &*last_;
}

/// The workflow with the definition of the version that caused a run, and its stored templates as of then;
/// null if this binary lacks the action.
WorkflowPtr RunPreparer::with_version(storage::Session& session, const WorkflowPtr& workflow,
                                      const storage::Run& run, const EarlierVersion& version) const {
  auto earlier = worker::with_version(*workflow, run.key.workflow_version, version);
  if (!earlier) return nullptr;
  if (const auto codes = matching::template_codes(version.action); !codes.empty()) {
    const auto stored =
        session.run(storage::sql::templates::Texts{.business = workflow->business_id, .codes = codes});
    json::object templates = json::parse(stored.front().texts).as_object();
    actions::add_built_in_templates(templates);
    storage::BusinessFacts business = *earlier->business;
    business.zone_offsets = stored.front().zone_offsets.value_or("");
    earlier->business = std::make_shared<const storage::BusinessFacts>(std::move(business));
    earlier->set_action(version.action, std::move(templates));
    const LateRun late{&run, earlier};
    const auto texts = earlier_texts(session, {&late, 1});
    if (!texts.empty()) return with_texts(earlier, texts.at(run.key.guid));
  }
  return earlier;
}

}  // namespace waybill::worker
