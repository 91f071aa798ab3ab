#include "worker/planning/run_plan.hpp"

#include <algorithm>
#include <new>
#include <stdexcept>
#include <string>
#include <utility>

#include "base/database_clock.hpp"

namespace waybill::worker {
namespace {

constexpr int max_depth = 8;
constexpr std::size_t usual_request_bytes = 256;

actions::WorkflowView view_of(const Workflow& workflow, const json::object& definition) {
  return {.guid = workflow.guid,
          .name = workflow.name,
          .business_id = workflow.business_id,
          .business_name = workflow.business->name,
          .action = definition,
          .sender_name = workflow.business->sender_name,
          .reply_to = workflow.business->reply_to,
          .templates = workflow.templates.get(),
          .zone_offsets = workflow.business->zone_offsets};
}

bool changes_records(const Workflow& workflow) {
  if (workflow.steps.empty()) return workflow.action->changes_records();
  return std::ranges::any_of(workflow.steps, [](const matching::Step& step) {
    return step.action != nullptr && step.action->changes_records();
  });
}

PlannedRun begin_run(const storage::StoredEvent& event, const domain::TriggerSet& fired,
                     const Workflow& workflow, Time now) {
  const Guid guid = Guid::timed_hash(to_unix_ms(event.at), workflow.guid, event.id);
  // The depth matters only to actions that change records.
  const int depth = changes_records(workflow) ? storage::cause_depth(event.cause) : 0;
  return {.run = {.key = {.business_id = event.business_id,
                          .guid = guid,
                          .workflow_id = workflow.guid,
                          .workflow_version = workflow.version,
                          .event_id = event.id,
                          .entity_type = event.entity_type,
                          .entity_id = event.entity_id,
                          .trigger_code = std::string(workflow.rule.trigger_of(fired).code),
                          .action = workflow.steps.empty() ? std::string(workflow.action->type())
                                                           : workflow.steps.front().type,
                          .created_at = event.at,
                          .origin = guid,
                          .replay_of = {},
                          .destination = {},
                          .ordered = workflow.ordered,
                          .request = {},
                          .body = {},
                          .depth = depth,
                          .watches = workflow.watches(),
                          .workflow_created_at = workflow.created_at},
                  .state = {.status = storage::RunStatus::queued,
                            .code = {},
                            .error = {},
                            .attempts = 0,
                            .tries = "[]",
                            .at = now}},
          .request = {},
          .is_paced = static_cast<bool>(workflow.pacing)};
}

/// Sets the initial state of a run as its workflow requires: dead, held, or waiting for its delay.
void apply_workflow(const Workflow& workflow, PlannedRun& planned) {
  storage::RunState& state = planned.run.state;
  if (state.status == storage::RunStatus::dead) return;
  if (workflow.steps.empty() && is_loop(*workflow.action, planned.run.key.depth)) {
    const Time at = state.at;
    state = loop_state(std::move(state), at);
    return;
  }
  planned.is_paused = workflow.paused;
  if (workflow.working_days > 0) {
    state.status = storage::RunStatus::waiting;
    planned.working_days = workflow.working_days;
  } else if (workflow.delay > Duration::zero()) {
    state.status = storage::RunStatus::waiting;
    state.at += workflow.delay;
  } else if (workflow.paused) {
    state.status = storage::RunStatus::held;
  }
}

/// Gives a run a guid that depends only on the workflow, the record, and the timer's value and due time.
void name_run(const DueTimer& timer, const Workflow& workflow, storage::RunKey& run) {
  const Guid moment =
      Guid::from_name(timer.entity_id, std::to_string(timer.value.time_since_epoch().count()));
  std::uint64_t number = 0;
  for (std::size_t i = 0; i < sizeof number; ++i) number = number << 8U | moment.bytes.at(i);
  run.guid = Guid::timed_hash(to_unix_ms(timer.due), workflow.guid, number);
  run.origin = run.guid;
}

void mark_dead(storage::RunState& state, const char* code, const std::exception& error) {
  state.status = storage::RunStatus::dead;
  state.code = code;
  state.error = error.what();
}

}  // namespace

storage::StoredEvent stub_of(const DueTimer& timer, const Workflow& workflow) {
  return {.id = timer.run_event,
          .business_id = timer.business_id,
          .entity_type = workflow.rule.entity_type(),
          .entity_id = timer.entity_id,
          .at = timer.due,
          .cause = {},
          .detail = {},
          .before = {},
          .after = {}};
}

std::string place_in_queue(const Workflow& workflow, const std::string& destination) {
  const Guid& business = workflow.business_id;
  // A change of records does not go to a destination: it has no rate, and no health that others share.
  if (destination == storage::change_destination(business)) return destination;
  const auto with_rate = [&](const std::string& place) {
    return workflow.pacing.rate ? domain::destination_with_rate(place, workflow.guid, business) : place;
  };
  std::string place = with_rate(destination);
  // The health of a shared place is that of other destinations.
  if (place.empty() || !workflow.destinations ||
      workflow.destinations->has_place(place, database_clock().now()))
    return place;
  // A workflow with a rate has one shared place, which keeps the rate.
  return workflow.pacing.rate ? with_rate(domain::shared_place_of_rates(business))
                              : shared_place(destination, business);
}

std::vector<Guid> addresses_of(const Workflow& workflow, const actions::Action& action,
                               const json::object& request) {
  std::vector<Guid> hashes;
  if (action.notification() != actions::Notification::email || !workflow.address_hash) return hashes;
  for (const std::string_view name : {"to", "cc", "bcc"}) {
    const auto* const addresses = request.if_contains(name);
    if (addresses == nullptr) continue;
    for (const json::value& address : addresses->as_array())
      hashes.push_back(workflow.address_hash->of(workflow.business_id, address.as_string()));
  }
  return hashes;
}

void render_run(const storage::StoredEvent& event, const domain::Change& change, const Workflow& workflow,
                storage::Run& run, json::object& request) {
  std::vector<std::string_view> triggers;
  if (workflow.rule.triggers.is_list) triggers = workflow.rule.listed(domain::fired_triggers(change));
  render_action(workflow, *workflow.action, workflow.definition,
                {.entity = change.entity,
                 .previous = change.previous,
                 .entity_type = event.entity_type,
                 .entity_id = event.entity_id,
                 .event_id = event.id,
                 .at = event.at,
                 .trigger = run.key.trigger_code,
                 .triggers = triggers},
                run, request);
}

void render_action(const Workflow& workflow, const actions::Action& action, const json::object& definition,
                   const actions::EventView& event, storage::Run& run, json::object& request) {
  run.key.request = storage::deferred_request;
  run.key.addresses.clear();
  try {
    actions::Plan plan = action.plan(view_of(workflow, definition), event);
    request = std::move(plan.request);
    run.key.body = std::move(plan.body);
    run.key.destination = place_in_queue(workflow, action.destination(request, workflow.business_id));
    run.key.request.clear();
    run.key.request.reserve(usual_request_bytes);
    append_json(run.key.request, request);
    run.key.addresses = addresses_of(workflow, action, request);
  } catch (const std::length_error& error) {
    mark_dead(run.state, "PAYLOAD_TOO_LARGE", error);
  } catch (const actions::InvalidValue& error) {
    mark_dead(run.state, "INVALID_VALUE", error);
  } catch (const std::bad_alloc&) {
    const std::length_error error("The texts need more memory than there is.");
    mark_dead(run.state, "PAYLOAD_TOO_LARGE", error);
  } catch (const std::exception& error) {  // a definition written by SQL, which `check` would have refused
    mark_dead(run.state, "CONFIGURATION_ERROR", error);
  }
}

PlannedRun plan_run(const storage::StoredEvent& event, const domain::Change& change,
                    const domain::TriggerSet& fired, const Workflow& workflow, Time now) {
  PlannedRun planned = begin_run(event, fired, workflow, now);
  render_run(event, change, workflow, planned.run, planned.request);
  apply_workflow(workflow, planned);
  return planned;
}

PlannedRun defer_run(const storage::StoredEvent& event, const domain::TriggerSet& fired,
                     const Workflow& workflow, Time now) {
  PlannedRun planned = begin_run(event, fired, workflow, now);
  planned.run.key.request = storage::deferred_request;
  try {
    planned.run.key.destination = !workflow.steps.empty()
                                      ? storage::step_destination(event.business_id, planned.run.key.guid)
                                      : place_in_queue(workflow, workflow.action->queue_destination(
                                                                     workflow.definition, event.business_id));
  } catch (const std::exception& error) {
    mark_dead(planned.run.state, "CONFIGURATION_ERROR", error);
  }
  apply_workflow(workflow, planned);
  return planned;
}

PlannedRun refuse_run(const storage::StoredEvent& event, const domain::TriggerSet& fired,
                      const Workflow& workflow, Time now) {
  PlannedRun planned = begin_run(event, fired, workflow, now);
  planned.run.key.request = storage::deferred_request;
  planned.run.state = unjudged_state(std::move(planned.run.state), now);
  return planned;
}

PlannedRun end_unreadable(const storage::StoredEvent& event, const domain::TriggerSet& possible,
                          const Workflow& workflow, const matching::Unreadable& problem, Time now) {
  PlannedRun planned = begin_run(event, possible, workflow, now);
  planned.run.key.request = storage::deferred_request;
  planned.run.state = unreadable_state(std::move(planned.run.state), problem, now);
  return planned;
}

storage::RunState unreadable_state(storage::RunState state, const matching::Unreadable& problem, Time now) {
  state.status = storage::RunStatus::dead;
  state.code = problem.code;
  state.error = problem.error;
  state.at = now;
  return state;
}

storage::RunState no_working_day_state(storage::RunState state) {
  state.status = storage::RunStatus::dead;
  state.code = "EXPIRED";
  state.error = "The calendar of the business has no such working day within 60 days.";
  return state;
}

storage::RunState erased_state(storage::RunState state, Time now) {
  state.status = storage::RunStatus::skipped;
  state.code = erased_code;
  state.error = "The person to whom the mail was addressed was erased.";
  state.at = now;
  return state;
}

bool has_no_recipient(const actions::Action& action, const json::object& request) {
  if (action.notification() != actions::Notification::email) return false;
  const json::value* const recipients = request.if_contains("to");
  return recipients != nullptr && recipients->as_array().empty();
}

storage::RunState unjudged_state(storage::RunState state, Time now) {
  state.status = storage::RunStatus::dead;
  state.code = "PAYLOAD_TOO_LARGE";
  state.error = "The conditions need too much work for this record.";
  state.at = now;
  return state;
}

void limit_run(const Workflow& workflow, const json::object& entity, storage::RunKey& run) {
  if (workflow.pacing.limit) run.limit_value = workflow.pacing.limit->value_of(entity, workflow.guid);
}

PlannedRun plan_timer_run(const DueTimer& timer, const Workflow& workflow, Time now) {
  PlannedRun planned = defer_run(stub_of(timer, workflow), {}, workflow, now);
  if (changes_records(workflow)) planned.run.key.depth = timer.depth;
  name_run(timer, workflow, planned.run.key);
  return planned;
}

PlannedRun plan_list_run(const DueTimer& tick, json::object list, const Workflow& workflow, Time now) {
  domain::Change change;
  change.entity = std::move(list);
  const storage::StoredEvent stub = stub_of(tick, workflow);
  PlannedRun planned = begin_run(stub, {}, workflow, now);
  name_run(tick, workflow, planned.run.key);
  render_run(stub, change, workflow, planned.run, planned.request);
  apply_workflow(workflow, planned);
  return planned;
}

PlannedRun plan_dead_run(const DueTimer& tick, const char* code, const std::exception& error,
                         const Workflow& workflow, Time now) {
  PlannedRun planned = plan_timer_run(tick, workflow, now);
  planned.run.state.at = now;
  mark_dead(planned.run.state, code, error);
  return planned;
}

bool goes_to_queue(const PlannedRun& planned) {
  return planned.run.state.status != storage::RunStatus::queued || storage::is_deferred(planned.run.key) ||
         planned.is_paced;
}

bool keeps_order(const MatchedEvent& event) {
  const auto is_ordered = [](const PlannedRun& planned) { return planned.run.key.ordered; };
  return std::ranges::any_of(event.runs, is_ordered) &&
         std::ranges::none_of(event.runs, [&](const PlannedRun& planned) {
           return is_ordered(planned) &&
                  (goes_to_queue(planned) || storage::changes_record(planned.run.key.action));
         });
}

bool is_loop(const actions::Action& action, int depth) {
  return action.changes_records() && depth >= max_depth;
}

storage::RunState loop_state(storage::RunState state, Time now) {
  state.status = storage::RunStatus::dead;
  state.code = "LOOP";
  state.error = "Workflows changed records " + std::to_string(max_depth) +
                " times in a row, each in response to the previous change.";
  state.at = now;
  return state;
}

}  // namespace waybill::worker
