#include "tests/simulate/checks.hpp"

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#include "base/json.hpp"
#include "base/number.hpp"

namespace waybill::simulate {
namespace {

constexpr std::string_view message_prefix = "msg_";
constexpr std::size_t guid_length = 36;
constexpr Duration clock_error = std::chrono::milliseconds(10);  // of the workers, and of messages

bool awaits(const WorkflowRow& workflow) {
  return workflow.action.find(R"("type":"wait")") != std::string::npos;
}
bool has_steps(const WorkflowRow& workflow) { return workflow.action.starts_with(R"({"type":"steps")"); }
bool changes_record(const WorkflowRow& workflow) {
  return workflow.action.starts_with(R"({"type":"update_)");
}

/// The run that an event causes with a workflow, or the key of its entry in a digest.
bool is_collected(const Database& database, const Event& event, const WorkflowRow& workflow) {
  return database.digest_events().contains({static_cast<std::int64_t>(event.id), workflow.guid});
}

/// Calls `check` with each event and workflow that must be in a digest.
template <typename Check>
void for_each_collected(const Database& database, Check check) {
  for (const auto& [id, event] : database.events()) {
    for (const auto& [guid, workflow] : database.workflows()) {
      if (workflow.has_digest() && event.business == workflow.business && workflow.created_at <= event.at &&
          workflow.is_fired_by(event))
        check(event, workflow);
    }
  }
}

/// The first event after another one of its record that fires order_updated; null if there is none.
const Event* next_update(const Database& database, const Event& event) {
  for (const auto& [id, later] : database.events()) {
    if (id > event.id && later.record == event.record && later.updates()) return &later;
  }
  return nullptr;
}

/// Calls `check` with each event and workflow that must have a run, and the guid of the run.
template <typename Check>
void for_each_expected(const Database& database, Check check) {
  for (const auto& [id, event] : database.events()) {
    for (const auto& [guid, workflow] : database.workflows()) {
      if (const auto run = expected_run(event, workflow)) check(event, workflow, *run);
    }
  }
}

/// Calls `found` with the event and the workflow that must cause a run, if there are any.
template <typename Found>
void find_cause(const Database& database, const Guid& run, Found found) {
  for (const auto& [id, event] : database.events()) {
    if (to_unix_ms(event.at) != run.unix_ms()) continue;  // the guid begins with the time
    for (const auto& [guid, workflow] : database.workflows()) {
      if (expected_run(event, workflow) == run) found(event, workflow);
    }
  }
}

std::size_t last_step(const WorkflowRow& workflow) {
  if (awaits(workflow)) return 2;
  return has_steps(workflow) ? 3 : 1;
}

std::string name_of(const Event& event, const WorkflowRow& workflow) {
  return "run of event " + std::to_string(event.id) + " and " + workflow.name;
}

/// The run and the step of a message.
std::pair<Guid, std::int64_t> run_of(std::string_view message) {
  message.remove_prefix(message_prefix.size());
  const auto guid = Guid::parse(message.substr(0, guid_length));
  const std::int64_t step = message.size() == guid_length
                                ? 1
                                : parse_number<std::int64_t>(message.substr(guid_length + 1)).value_or(0);
  return {guid.value_or(Guid()), step};
}

std::string message_of(const Guid& run, std::size_t step) {
  return std::string(message_prefix) + run.to_string() + (step > 1 ? '_' + std::to_string(step) : "");
}

bool is_replayed(const Database& database, const Guid& run) {
  return std::ranges::any_of(database.replays(), [&](const auto& replay) { return replay.second == run; });
}

/// True if neither the run nor a replay of it has more to send.
bool is_over(const Database& database, const Guid& run) {
  const auto found = database.finished().find(run);
  // A run that was prepared before the event is sent.
  return found != database.finished().end() && found->second.code != "CANCELLED_BY_EVENT" &&
         std::ranges::all_of(database.replays(), [&](const auto& replay) {
           return replay.second != run || database.finished().contains(replay.first);
         });
}

/// A record changes once by a run that succeeds, and not by another one.
void check_change(Database& database, const std::string& name, const RunRow& run) {
  const std::size_t times = database.changes_of(run.guid);
  if (times != (run.status == "succeeded" ? 1U : 0U))
    database.violated("the " + name + " ends as " + run.status + " and makes " + std::to_string(times) +
                      " changes");
}

/// A run of a wait ends by the first event after its own. With `is_prompt`, it ends soon after it.
void check_wait(Database& database, const std::string& name, const Event& event, const RunRow& run,
                bool is_prompt) {
  const json::value progress = json::parse(*run.steps);
  const json::object& wait = progress.at("results").as_array().at(0).as_object();
  const Time ended = parse_timestamp(wait.at("finishedAt").as_string()).value();
  const Time until = parse_timestamp(wait.at("startedAt").as_string()).value() + std::chrono::seconds(4);
  const Event* const next = next_update(database, event);
  if (wait.at("timedOut").as_bool()) {
    if (next != nullptr && next->at + clock_error < until &&
        database.committed_at(next->id) + clock_error < until)
      database.violated("the " + name + " does not see event " + std::to_string(next->id));
    return;
  }
  const auto found = wait.at("eventId").to_number<std::uint64_t>();
  if (next == nullptr || next->id != found)
    database.violated("the " + name + " ends by event " + std::to_string(found));
  else if (is_prompt && database.committed_at(next->id) + std::chrono::seconds(2) < until && ended >= until)
    database.violated("the " + name + " sees event " + std::to_string(found) +
                      " at the end of its time only");
}

/// A cancelled run has an event that cancels it.
void check_cancelled(Database& database, const std::string& name, const Event& event) {
  if (next_update(database, event) == nullptr)
    database.violated("the " + name + " is cancelled without an event");
}

/// Each event is in one digest, and each digest has a run with all its events.
void check_digests(Database& database, std::set<Guid>& expected) {
  for_each_collected(database, [&](const Event& event, const WorkflowRow& workflow) {
    if (!is_collected(database, event, workflow))
      database.violated("event " + std::to_string(event.id) + " is in no digest of " + workflow.name);
  });
  std::map<Guid, std::size_t> sizes;
  for (const auto& [event, digest] : database.digest_events()) ++sizes[digest];
  const auto lists = database.lists();
  for (const auto& [digest, size] : sizes) {
    expected.insert(digest);
    const auto list = lists.find(digest);
    if (list == lists.end() || json::parse(list->second).at("count") != size)
      database.violated("the list of digest " + digest.to_string() + " has not its " + std::to_string(size) +
                        " events");
    const auto run = database.finished().find(digest);
    if (run == database.finished().end()) database.violated("the run of a digest is lost");
    if (run != database.finished().end() && run->second.status == "skipped")
      database.violated("the run of a digest is skipped: " + run->second.code.value_or(""));
  }
}

/// Each value that came due has a result, and each timer that fired a run.
void check_timers(Database& database, std::set<Guid>& expected, Time now) {
  for (const auto& [run, timer] : database.timer_runs()) {
    expected.insert(run);
    const auto found = database.finished().find(run);
    if (found == database.finished().end()) database.violated("the run of a timer is lost");
  }
  const auto results = database.timer_results();
  std::map<Guid, const Event*> last;  // that scheduled a record
  for (const auto& [id, event] : database.events()) {
    if (!event.before || event.before->collection != event.after.collection) last[event.record] = &event;
  }
  for (const auto& [guid, workflow] : database.workflows()) {
    for (const auto& [record, event] : last) {
      if (!workflow.has_timer() || event->business != workflow.business || !event->after.collection) continue;
      const Time due = *event->after.collection + std::chrono::seconds(1);
      const bool is_to_come = due > event->at && due > workflow.created_at;
      const bool has_result = std::ranges::any_of(results, [&, its = guid, &of = record](const auto& result) {
        return result.workflow == its && result.record == of && result.value == *event->after.collection;
      });
      if (is_to_come && due < now && !has_result)
        database.violated("a timer of record " + record.to_string() + " is lost");
    }
  }
}

/// Checks a run that is final.
void check_run(Database& database, const std::string& name, const RunRow& run, const MailSwitches& mails_on) {
  // The record was shipped before its change.
  const bool is_refused = run.code == "FORBIDDEN_MOVE" || run.code == "LOCKED";
  if (is_refused || run.code == "CANCELLED_BY_EVENT") return;
  const auto switched_on = mails_on.find(run.business);
  const bool may_be_silenced = run.code == "NOTIFICATIONS_OFF" && switched_on != mails_on.end() &&
                               run.created_at < switched_on->second;
  if (run.status == "skipped" && !may_be_silenced)
    database.violated("the " + name + " is skipped: " + run.code.value_or(""));
  if (run.status == "dead" && run.attempts == 0)
    database.violated("the " + name + " dies: " + run.code.value_or(""));
}

}  // namespace

std::optional<Guid> expected_run(const Event& event, const WorkflowRow& workflow) {
  const bool fires = event.business == workflow.business && workflow.created_at <= event.at &&
                     !workflow.has_digest() && workflow.is_fired_by(event);
  if (!fires) return std::nullopt;
  return Guid::timed_hash(to_unix_ms(event.at), workflow.guid, event.id);
}

void check_attempt(Database& database, const Destinations& destinations, const std::string& message,
                   Owner owner, const Guid& worker, Time now, bool keeps_sessions) {
  if (database.lease_end(worker) < now)
    database.violated("no attempt begins after the end of the worker's lease");
  const auto [run, step] = run_of(message);
  if (keeps_sessions && is_over(database, run))
    database.violated("no attempt begins after the end of its run: " + message);
  if (database.replays().contains(run) || database.timer_runs().contains(run) || database.has_list(run))
    return;
  const Event* its_event = nullptr;
  const WorkflowRow* its_workflow = nullptr;
  find_cause(database, run, [&](const Event& event, const WorkflowRow& workflow) {
    its_event = &event;
    its_workflow = &workflow;
  });
  if (its_event == nullptr) {
    database.violated("an attempt is of a committed event: " + message);
    return;
  }
  const std::string name = name_of(*its_event, *its_workflow);
  const Event* const cancelling = its_workflow->cancel_on ? next_update(database, *its_event) : nullptr;
  // A retry has its texts and is not prepared, so it sees the event when that is matched.
  if (cancelling != nullptr && database.unprepared_at(run) > database.committed_at(cancelling->id))
    database.violated("the " + name + " is cancelled by event " + std::to_string(cancelling->id));
  if (has_steps(*its_workflow) && database.last_step(run) != step)
    database.violated("the " + name + " performs step " + std::to_string(step) + " after step " +
                      std::to_string(database.last_step(run)));
  if (!its_workflow->ordered) return;
  for (const auto& [id, event] : database.events()) {
    if (id >= its_event->id || event.record != its_event->record) continue;
    const auto earlier = expected_run(event, *its_workflow);
    if (earlier && !database.finished().contains(*earlier) &&
        (has_steps(*its_workflow) || !destinations.has_told(owner, message_of(*earlier, 1))))
      database.violated("the " + name + " begins before that of event " + std::to_string(id));
  }
}

bool all_done(const Database& database) {
  if (database.pending() > 0 || database.has_queued() || database.has_open_digests() || database.has_timers())
    return false;
  bool all = true;
  for_each_collected(database, [&](const Event& event, const WorkflowRow& workflow) {
    all = all && is_collected(database, event, workflow);
  });
  for_each_expected(database, [&](const Event&, const WorkflowRow&, const Guid& run) {
    all = all && database.finished().contains(run);
  });
  return all;
}

void check_end(Database& database, const Destinations& destinations, const MailSwitches& mails_on, Time now,
               bool without_faults) {
  std::map<std::string, std::size_t> accepted;
  for (const Arrival& arrival : destinations.arrivals())
    accepted[arrival.message] += arrival.accepted ? 1 : 0;
  std::set<Guid> expected;
  for_each_expected(database, [&](const Event& event, const WorkflowRow& workflow, const Guid& guid) {
    const std::string name = name_of(event, workflow);
    expected.insert(guid);
    const auto found = database.finished().find(guid);
    if (found == database.finished().end()) {
      database.violated("the " + name + " is lost");
      return;
    }
    const RunRow& run = found->second;
    check_run(database, name, run, mails_on);
    if (run.code == "CANCELLED_BY_EVENT") check_cancelled(database, name, event);
    if (changes_record(workflow)) check_change(database, name, run);
    if (run.status != "succeeded" || changes_record(workflow)) return;
    if (awaits(workflow)) check_wait(database, name, event, run, without_faults);
    for (std::size_t step = awaits(workflow) ? 2 : 1; step <= last_step(workflow); ++step) {
      const std::size_t times = accepted[message_of(guid, step)];
      if (times == 0) database.violated("the " + name + " succeeds without an attempt");
      if (without_faults && !is_replayed(database, guid) && times != 1)
        database.violated("the " + name + " is sent " + std::to_string(times) + " times");
    }
  });
  for (const auto& [replay, of] : database.replays()) {
    expected.insert(replay);
    const auto found = database.finished().find(replay);
    if (found == database.finished().end())
      database.violated("a replay is lost");
    else
      check_run(database, "replay " + replay.to_string(), found->second, mails_on);
  }
  check_digests(database, expected);
  check_timers(database, expected, now);
  for (const auto& [guid, run] : database.finished()) {
    if (!expected.contains(guid)) database.violated("no event causes the run " + guid.to_string());
  }
  if (database.pending() > 0) database.violated("events are pending without an end");
  if (database.has_queued()) database.violated("runs are in the queue without an end");
}

}  // namespace waybill::simulate
