#include "tests/simulate/checks.hpp"

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

#include "base/number.hpp"

namespace waybill::simulate {
namespace {

constexpr std::string_view message_prefix = "msg_";
constexpr std::size_t guid_length = 36;
constexpr std::size_t steps_of_workflow = 3;

bool has_steps(const WorkflowRow& workflow) { return workflow.action.starts_with(R"({"type":"steps")"); }

/// Calls `check` with each event and workflow that must have a run, and the guid of the run.
template <typename Check>
void for_each_expected(const Database& database, Check check) {
  for (const auto& [id, event] : database.events()) {
    for (const auto& [guid, workflow] : database.workflows()) {
      if (const auto run = expected_run(event, workflow)) check(event, workflow, *run);
    }
  }
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
  return database.finished().contains(run) &&
         std::ranges::all_of(database.replays(), [&](const auto& replay) {
           return replay.second != run || database.finished().contains(replay.first);
         });
}

/// Checks a run that is final.
void check_run(Database& database, const std::string& name, const RunRow& run, const MailSwitches& mails_on) {
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
                     workflow.trigger == (event.created ? "order_created" : "order_updated");
  if (!fires) return std::nullopt;
  return Guid::timed_hash(to_unix_ms(event.at), workflow.guid, event.id);
}

void check_attempt(Database& database, const std::string& message, const Guid& worker, Time now,
                   bool keeps_sessions) {
  if (database.lease_end(worker) < now)
    database.violated("no attempt begins after the end of the worker's lease");
  const auto [run, step] = run_of(message);
  if (keeps_sessions && is_over(database, run))
    database.violated("no attempt begins after the end of its run: " + message);
  if (database.replays().contains(run)) return;
  const Event* its_event = nullptr;
  const WorkflowRow* its_workflow = nullptr;
  for_each_expected(database, [&](const Event& event, const WorkflowRow& workflow, const Guid& expected) {
    if (expected != run_of(message).first) return;
    its_event = &event;
    its_workflow = &workflow;
  });
  if (its_event == nullptr) {
    database.violated("an attempt is of a committed event: " + message);
    return;
  }
  const std::string name = name_of(*its_event, *its_workflow);
  if (has_steps(*its_workflow) && database.last_step(run) != step)
    database.violated("the " + name + " performs step " + std::to_string(step) + " after step " +
                      std::to_string(database.last_step(run)));
  if (!its_workflow->ordered) return;
  for (const auto& [id, event] : database.events()) {
    const auto earlier = expected_run(event, *its_workflow);
    if (earlier && id < its_event->id && event.record == its_event->record &&
        !database.finished().contains(*earlier))
      database.violated("the " + name + " begins before that of event " + std::to_string(id));
  }
}

bool all_done(const Database& database) {
  if (database.pending() > 0 || !database.queued().empty()) return false;
  bool all = true;
  for_each_expected(database, [&](const Event&, const WorkflowRow&, const Guid& run) {
    all = all && database.finished().contains(run);
  });
  return all;
}

void check_end(Database& database, const Destinations& destinations, const MailSwitches& mails_on,
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
    if (run.status != "succeeded") return;
    for (std::size_t step = 1; step <= (has_steps(workflow) ? steps_of_workflow : 1); ++step) {
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
  for (const auto& [guid, run] : database.finished()) {
    if (!expected.contains(guid)) database.violated("no event causes the run " + guid.to_string());
  }
  if (database.pending() > 0) database.violated("events are pending without an end");
  if (!database.queued().empty()) database.violated("runs are in the queue without an end");
}

}  // namespace waybill::simulate
