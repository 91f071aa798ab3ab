#include "worker/events/watch_matcher.hpp"

#include <algorithm>
#include <exception>
#include <iterator>

#include "actions/stored_steps.hpp"
#include "base/work_budget.hpp"
#include "domain/workflows/triggers.hpp"
#include "matching/relatives.hpp"
#include "matching/rule.hpp"
#include "matching/steps.hpp"
#include "matching/unreadable.hpp"
#include "storage/sql/queue.sql.hpp"
#include "worker/planning/run_origins.hpp"

namespace waybill::worker {
namespace {

constexpr std::size_t most_versions = 1000;  // whose rules are in memory

struct RecordHash {
  std::size_t operator()(const storage::WatchedRecord& record) const {
    return std::hash<Guid>()(record.entity_id);
  }
};
using WatchesByRecord = std::unordered_map<storage::WatchedRecord, std::vector<storage::Watch>, RecordHash>;

/// An event as its watches see it.
struct Occurrence {
  const storage::StoredEvent& event;
  domain::Change change;
  domain::TriggerSet fired;
  WorkBudget share{domain::max_condition_work};

  /// True if the event is one of `events`, and its share of work suffices to know it.
  bool is_among(const matching::AwaitedEvents& events) {
    return events.include(fired, {change.entity, change.previous, change.created}, share);
  }
};

}  // namespace

bool WatchMatcher::Rules::reads_relatives() const {
  return (cancel_on && cancel_on->conditions.reads_relatives()) ||
         std::ranges::any_of(awaited,
                             [](const auto& step) { return step.second.conditions.reads_relatives(); });
}

WatchMatcher::Ends WatchMatcher::match(storage::Session& session, storage::RecordColumns& columns,
                                       std::span<const storage::StoredEvent> events, const Guid* workflow,
                                       Time unrecorded_since) {
  Ends ends;
  std::vector<storage::WatchedRecord> records;
  for (const storage::StoredEvent& event : events) {
    if (workflow != nullptr || catalogue_.may_be_watched(event.business_id))
      records.push_back({event.business_id, event.entity_id});
  }
  if (records.empty()) return ends;
  for (const storage::StoredEvent& event : events) unrecorded_since = std::min(unrecorded_since, event.at);
  WatchesByRecord queued;
  for (storage::Watch& watch : storage::watches_of(session, records)) {
    if (workflow == nullptr || watch.workflow_id == *workflow) queued[watch.record].push_back(watch);
  }
  for (const storage::StoredEvent& event : events) {
    const std::vector<storage::Watch>& of_queued = queued[{event.business_id, event.entity_id}];
    std::vector<storage::Watch> watches = of_queued;
    if (workflow == nullptr)
      std::ranges::move(possible_watches(event, unrecorded_since), std::back_inserter(watches));
    EndsOfEvent of_event;
    matching::unless_unreadable([&] {  // the matcher reports it
      of_event.ends = ends_of(session, columns, event, watches);
      if (workflow == nullptr && moves_label(columns, event))
        of_event.ends.push_back({.watch = {.record = {event.business_id, event.entity_id},
                                           .workflow_id = {},
                                           .version = 0,
                                           .step = 0},
                                 .cancels = false,
                                 .event_id = event.id,
                                 .causing_run = {},
                                 .moves_label = true});
    });
    of_event.are_of_queued = std::ranges::any_of(of_event.ends, [&](const storage::WatchEnd& end) {
      return end.moves_label || std::ranges::find(of_queued, end.watch) != of_queued.end();
    });
    if (!of_event.ends.empty()) ends.emplace(storage::EventKey{event.id, event.at}, std::move(of_event));
  }
  return ends;
}

/// The ends of the watches of an event's record.
std::vector<storage::WatchEnd> WatchMatcher::ends_of(storage::Session& session,
                                                     storage::RecordColumns& columns,
                                                     const storage::StoredEvent& event,
                                                     const std::vector<storage::Watch>& watches) {
  std::vector<storage::WatchEnd> ends;
  std::vector<std::pair<const storage::Watch*, RulesPtr>> rules;
  for (const storage::Watch& watch : watches) {
    if (auto its = find_rules(session, watch)) rules.emplace_back(&watch, std::move(its));
  }
  if (rules.empty()) return ends;
  Occurrence occurrence{.event = event, .change = columns.change(event, {}), .fired = {}};
  occurrence.fired = domain::fired_triggers(occurrence.change);
  if (std::ranges::any_of(rules, [](const auto& each) { return each.second->reads_relatives(); })) {
    storage::Outbox outbox(session);
    matching::fill_relatives(outbox, event.business_id, event.entity_id, occurrence.change);
  }
  const std::optional<Guid> causing_run = storage::causing_run(event.cause);
  for (const auto& [watch, its] : rules) {
    const auto awaited = its->awaited.find(watch->step);
    const bool cancels = its->cancel_on && occurrence.is_among(*its->cancel_on);
    const bool wakes =
        !cancels && event.after && awaited != its->awaited.end() && occurrence.is_among(awaited->second);
    if (cancels || wakes)
      ends.push_back({.watch = *watch, .cancels = cancels, .event_id = event.id, .causing_run = causing_run});
  }
  return ends;
}

/// True for the move of a shipment's label in a business whose runs may wait for one.
bool WatchMatcher::moves_label(storage::RecordColumns& columns, const storage::StoredEvent& event) const {
  return event.entity_type == domain::EntityType::shipment && event.before && event.after &&
         catalogue_.may_be_watched(event.business_id) && domain::moves_label(columns.change(event, {}));
}

/// The watches of runs that earlier events have just caused, and that may come to the queue before the event
/// is recorded.
std::vector<storage::Watch> WatchMatcher::possible_watches(const storage::StoredEvent& event,
                                                           Time unrecorded_since) const {
  std::vector<storage::Watch> watches;
  if (!catalogue_.may_be_watched(event.business_id)) return watches;
  // A workflow that is off now may have been on at the earlier events.
  for (const WorkflowPtr& workflow :
       catalogue_.active(event.business_id, event.entity_type, unrecorded_since)) {
    if (workflow->cancel_on)
      watches.push_back({.record = {event.business_id, event.entity_id},
                         .workflow_id = workflow->guid,
                         .version = workflow->version,
                         .step = 0});
  }
  return watches;
}

/// The rules of the version of a watch; null if its workflow is gone or cannot be read.
WatchMatcher::RulesPtr WatchMatcher::find_rules(storage::Session& session, const storage::Watch& watch) {
  const WorkflowPtr workflow = catalogue_.find(watch.workflow_id);
  if (!workflow) return nullptr;
  if (workflow->version == watch.version) return rules_of(workflow->steps, workflow->cancel_on);
  const Version version(watch.workflow_id, watch.version);
  const auto known = rules_.find(version);
  if (known != rules_.end()) return known->second;
  if (rules_.size() >= most_versions) rules_.clear();
  return rules_.emplace(version, read_rules(session, watch)).first->second;
}

WatchMatcher::RulesPtr WatchMatcher::rules_of(const std::vector<matching::Step>& steps,
                                              std::optional<matching::AwaitedEvents> cancel_on) {
  auto rules = std::make_shared<Rules>(Rules{.cancel_on = std::move(cancel_on), .awaited = {}});
  for (std::size_t i = 0; i < steps.size(); ++i) {
    if (steps[i].awaited) rules->awaited.emplace(static_cast<int>(i) + 1, *steps[i].awaited);
  }
  return rules;
}

WatchMatcher::RulesPtr WatchMatcher::read_rules(storage::Session& session,
                                                const storage::Watch& watch) const {
  try {
    const auto version = read_version(session, watch.record.business_id, watch.workflow_id, watch.version);
    if (!version) return nullptr;
    const bool has_steps = actions::stored_steps(version->action) != nullptr;
    return rules_of(has_steps ? matching::parse_steps(version->action, version->rule.entity_type())
                              : std::vector<matching::Step>(),
                    version->cancel_on);
  } catch (const std::invalid_argument& error) {
    report_unreadable_version(watch.workflow_id, watch.version, error.what());
    return nullptr;
  }
}

}  // namespace waybill::worker
