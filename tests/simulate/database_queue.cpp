// The statements about runs.
#include <algorithm>
#include <limits>
#include <stdexcept>
#include <tuple>

#include "base/json.hpp"
#include "storage/runs/run.hpp"
#include "storage/statement/binary.hpp"
#include "storage/statement/errors.hpp"
#include "tests/simulate/database.hpp"

namespace waybill::simulate {
namespace {

constexpr std::size_t most_examined = 1000;

/// The last 36 characters, in which the guid of the business is.
std::string_view end_of(std::string_view destination) {
  return destination.substr(destination.size() - std::min<std::size_t>(destination.size(), 36));
}

std::size_t byte_size(const RunRow& row) {
  return row.request.size() + row.tries.size() + (row.body ? row.body->size() : 0);
}

std::optional<Guid> maybe_guid(std::optional<std::string_view> value) {
  return value ? std::optional(storage::binary_guid(*value)) : std::nullopt;
}

std::optional<std::int64_t> maybe_number(std::optional<std::string_view> value) {
  if (!value) return std::nullopt;
  switch (value->size()) {
    case 1:
      return storage::binary_number<std::int8_t>(*value);
    case 2:
      return storage::binary_number<std::int16_t>(*value);
    case 4:
      return storage::binary_number<std::int32_t>(*value);
    default:
      return storage::binary_number<std::int64_t>(*value);
  }
}

RunRow copied_run(const std::vector<std::string>& columns, const CopiedRow& row) {
  std::map<std::string_view, std::optional<std::string_view>> values;
  for (std::size_t i = 0; i < columns.size(); ++i) values.emplace(columns[i], row.at(i));
  const auto guid = [&](const char* name) { return storage::binary_guid(values.at(name).value()); };
  const auto text = [&](const char* name) { return std::string(values.at(name).value()); };
  const auto maybe_text = [&](const char* name) { return std::optional<std::string>(values.at(name)); };
  const auto number = [&](const char* name) { return maybe_number(values.at(name)).value(); };
  RunRow run{.business = guid("business_id"),
             .guid = guid("guid"),
             .workflow = guid("workflow_id"),
             .version = number("workflow_version"),
             .event = number("event_id"),
             .entity_type = number("entity_type"),
             .record = guid("entity_id"),
             .trigger = text("trigger_code"),
             .action = text("action"),
             .status = text("status"),
             .code = maybe_text("code"),
             .error = maybe_text("error"),
             .attempts = number("attempts"),
             .created_at = storage::binary_time(values.at("created_at").value()),
             .origin = guid("origin"),
             .replay_of = maybe_guid(values.at("replay_of")),
             .destination = text("destination"),
             .request = text("request"),
             .body = maybe_text("body"),
             .tries = text("tries"),
             .due = {}};
  if (values.contains("finished_at")) {
    run.due = storage::binary_time(values.at("finished_at").value());
    return run;
  }
  run.due = storage::binary_time(values.at("due_at").value());
  run.ordered = number("ordered") != 0;
  run.depth = maybe_number(values.at("depth"));
  run.lease_owner = maybe_guid(values.at("lease_owner"));
  run.ordered_from = maybe_number(values.at("ordered_from"));
  run.changing_action = maybe_text("changing_action");
  run.watch_after = maybe_number(values.at("watch_after"));
  return run;
}

/// The step that a run has in the queue, from its steps.
std::int64_t step_of(const std::string& steps) {
  return json::parse(steps).at("number").to_number<std::int64_t>();
}

/// The step of a run, and watch.inc with the SQL functions watched_step and awaits_further: the columns by
/// which it watches its record, after a write of its steps. True if an event that it has not looked at has
/// woken it.
bool follow_steps(RunRow& row) {
  const json::value parsed = json::parse(*row.steps);
  const json::object& steps = parsed.as_object();
  row.step = steps.at("number").to_number<std::int64_t>();
  const bool awaits = steps.contains("awaits");
  const bool awaits_further =
      row.awaited_event && awaits && *row.awaited_event > steps.at("lookedTo").to_number<std::int64_t>();
  if (row.watch_after) {
    if (const auto* const after = steps.if_contains("watchAfter"))
      row.watch_after = after->to_number<std::int64_t>();
    row.watched_step = awaits ? row.step : 0;
  }
  if (!awaits_further) row.awaited_event.reset();
  return awaits_further;
}

bool changes_record(const RunRow& row) {
  return row.changing_action || row.action == "update_record" || row.action == "update_status";
}

}  // namespace

std::string pending_status(const RunRow& row) {
  const std::int64_t before =
      row.steps ? json::parse(*row.steps).at("attemptsBefore").to_number<std::int64_t>() : 0;
  return row.attempts > before ? "retrying" : "queued";
}

struct Database::Outcome {
  Guid run;
  std::string status;
  std::optional<std::string> code, error;
  std::int64_t attempts;
  Time at;
  std::string tries;
  std::optional<std::string> request, body, steps;
  std::int64_t stored_step, claim;
};

/// The parameters that queue.finish and queue.reschedule share.
std::vector<Database::Outcome> Database::outcomes(const Arguments& args) const {
  const auto runs = args.guids(3);
  const auto statuses = args.strings(4);
  const auto codes = args.texts(5), errors = args.texts(6);
  const auto attempts = args.numbers(7);
  const auto times = args.times(8);
  const auto tries = args.strings(9);
  const auto requests = args.texts(10), bodies = args.texts(11), steps = args.texts(12);
  const auto stored = args.numbers(13), claims = args.numbers(15);
  std::vector<Outcome> all;
  for (std::size_t i = 0; i < runs.size(); ++i)
    all.push_back({runs[i], statuses[i], codes[i], errors[i], attempts[i], times[i], tries[i], requests[i],
                   bodies[i], steps[i], stored[i], claims[i]});
  return all;
}

/// The row of a run, which no other transaction holds; null if there is none.
Database::Queue::Version* Database::find_run(ServerSession& session, const Guid& run) {
  for (auto& version : queue_.versions()) {
    if (version.row.guid != run || !version.is_visible_to(session.xid)) continue;
    if (const Xid holder = version.holder(session.xid)) throw Locked{holder};
    return &version;
  }
  return nullptr;
}

/// The row of a run that a worker holds by a claim at a step (-1: any).
Database::Queue::Version* Database::held_run(ServerSession& session, const Guid& worker, const Guid& run,
                                             std::int64_t claim, std::int64_t step) {
  auto* const version = find_run(session, run);
  if (version == nullptr || version->row.lease_owner != worker || version->row.claims != claim)
    return nullptr;
  return step < 0 || step == version->row.step ? version : nullptr;
}

/// The condition of may_go.inc.
bool Database::may_go(const RunRow& row, Xid own) const {
  if (changes_record(row)) {
    const auto place = [&](const Guid& workflow) {
      return std::pair(workflows_.at(workflow).created_at, workflow);
    };
    const bool has_earlier = std::ranges::any_of(queue_.versions(), [&](const Queue::Version& other) {
      const RunRow& earlier = other.row;
      return other.is_visible_to(own) && earlier.record == row.record && earlier.event == row.event &&
             changes_record(earlier) &&
             (earlier.status == "queued" || earlier.status == "running" || earlier.status == "retrying") &&
             !earlier.replay_of && place(earlier.workflow) < place(row.workflow);
    });
    if (has_earlier) return false;
  }
  if (!row.ordered) return true;
  return std::ranges::none_of(queue_.versions(), [&](const Queue::Version& other) {
    const RunRow& earlier = other.row;
    return other.is_visible_to(own) && earlier.business == row.business && earlier.record == row.record &&
           earlier.workflow == row.workflow && earlier.event < row.event &&
           earlier.event >= row.ordered_from.value_or(std::numeric_limits<std::int64_t>::min()) &&
           earlier.replay_of.has_value() == row.replay_of.has_value();
  });
}

/// The destinations in the queue that are not blocked, themselves or by their business.
std::set<std::string> Database::open_destinations(const Arguments& args, std::size_t blocked_destinations,
                                                  std::size_t blocked_businesses) const {
  const auto destinations = args.strings(blocked_destinations);
  const auto businesses = args.strings(blocked_businesses);
  std::set<std::string> open;
  for (const auto& version : queue_.versions()) {
    const std::string& destination = version.row.destination;
    if (version.row.status != "held" && std::ranges::find(destinations, destination) == destinations.end() &&
        std::ranges::find(businesses, end_of(destination)) == businesses.end())
      open.insert(destination);
  }
  return open;
}

storage::Rows Database::claim(ServerSession& session, const Arguments& args, Result& result) {
  const auto floored = args.strings(1);
  const auto floors = args.times(2);
  const Guid worker = args.guid(3);
  const auto per_destination = static_cast<std::size_t>(args.number(5));
  const auto limit = static_cast<std::size_t>(args.number(7));
  const auto max_bytes = static_cast<std::size_t>(args.number(9));
  const Time now = scheduler_.time();
  const auto open = open_destinations(args, 6, 8);
  std::vector<std::string> destinations(open.begin(), open.end());
  for (std::size_t i = destinations.size(); i > 1; --i)
    std::swap(destinations[i - 1], destinations[scheduler_.random().below(i)]);
  std::vector<Queue::Version*> claimed;
  std::size_t bytes = 0;
  for (const std::string& destination : destinations) {
    const auto floor = std::ranges::find(floored, destination);
    const Time from =
        floor == floored.end() ? Time::min() : floors[static_cast<std::size_t>(floor - floored.begin())];
    std::vector<Queue::Version*> due;
    for (auto& version : queue_.versions()) {
      const RunRow& row = version.row;
      if (version.is_visible_to(session.xid) && row.destination == destination && row.status != "held" &&
          row.due >= from && row.due <= now)
        due.push_back(&version);
    }
    std::ranges::sort(
        due, {}, [](const Queue::Version* version) { return std::tie(version->row.due, version->row.guid); });
    if (due.size() > most_examined) due.resize(most_examined);
    std::size_t count = 0;
    for (Queue::Version* const version : due) {
      if (count == per_destination || claimed.size() == limit || bytes >= max_bytes) break;
      if (version->holder(session.xid) != 0 || !may_go(version->row, session.xid)) continue;
      claimed.push_back(version);
      bytes += byte_size(version->row);
      ++count;
    }
  }
  for (Queue::Version* const version : claimed) {
    RunRow row = version->row;
    result.row().guid(row.business).guid(row.guid).guid(row.workflow).number(row.version).number(row.event);
    result.number(row.entity_type)
        .guid(row.record)
        .text(row.trigger)
        .text(row.status)
        .text(row.code)
        .text(row.error);
    result.number(row.attempts)
        .time(row.created_at)
        .guid(row.origin)
        .guid(row.replay_of)
        .text(row.destination);
    result.text(row.request).text(row.tries).text(row.action).text(row.body);
    if (row.depth)
      result.number(*row.depth);
    else
      result.null();
    result.text(row.steps).boolean(row.ordered);
    if (row.watch_after)
      result.number(*row.watch_after);
    else
      result.null();
    result.number(row.claims + 1).number(static_cast<std::int64_t>(workflow_epoch_));
    history_.add("run " + row.guid.to_string().substr(24) + " of event " + std::to_string(row.event) +
                 " is claimed by " + worker.to_string().substr(0, 8) + " (was " + row.status + ")");
    unprepared_at_[row.guid] = row.request == storage::deferred_request ? now : Time::min();
    row.status = "running";
    row.lease_owner = worker;
    ++row.claims;
    row.due = now + args.interval(4);
    queue_.replace(own(session), *version, std::move(row));
  }
  return result.take();
}

storage::Rows Database::has_runs(ServerSession& session, const Arguments&, Result& result) {
  result.row().boolean(std::ranges::any_of(queue_.versions(), [&](const auto& version) {
    return version.is_visible_to(session.xid) && version.row.status != "held";
  }));
  return result.take();
}

storage::Rows Database::next_due(ServerSession& session, const Arguments& args, Result& result) {
  const auto floored = args.strings(1);
  const auto floors = args.times(2);
  const Time now = scheduler_.time();
  const auto open = open_destinations(args, 3, 4);
  std::optional<Time> next;
  for (const auto& version : queue_.versions()) {
    const RunRow& row = version.row;
    if (!version.is_visible_to(session.xid) || row.status == "held" || !open.contains(row.destination))
      continue;
    const auto floor = std::ranges::find(floored, row.destination);
    if (floor != floored.end() && row.due < floors[static_cast<std::size_t>(floor - floored.begin())])
      continue;
    if (row.due >= now + args.interval(5) || (row.due <= now && !may_go(row, session.xid))) continue;
    next = std::min(next.value_or(row.due), row.due);
  }
  result.row();
  if (next)
    result.time(*next);
  else
    result.null();
  return result.take();
}

storage::Rows Database::preceded(ServerSession& session, const Arguments& args, Result& result) {
  const auto businesses = args.guids(1), workflows = args.guids(2), records = args.guids(3);
  const auto events = args.numbers(4), ends = args.numbers(5);
  for (std::size_t i = 0; i < events.size(); ++i) {
    RunRow run{};
    run.business = businesses[i];
    run.workflow = workflows[i];
    run.record = records[i];
    run.event = events[i];
    run.ordered = true;
    run.ordered_from = ends[i];
    if (!may_go(run, session.xid)) result.row().number(static_cast<std::int64_t>(i + 1));
  }
  return result.take();
}

storage::Rows Database::highest_floors(ServerSession& session, const Arguments& args, Result& result) {
  const auto floored = args.strings(1);
  const auto floors = args.times(2);
  for (std::size_t i = 0; i < floored.size(); ++i) {
    Time highest = scheduler_.time() - std::chrono::seconds(1);
    for (const auto& version : queue_.versions()) {
      const RunRow& row = version.row;
      if (version.is_visible_to(session.xid) && row.destination == floored[i] && row.status != "held" &&
          row.due >= floors[i])
        highest = std::min(highest, row.due);
    }
    if (highest > floors[i]) result.row().number(static_cast<std::int64_t>(i + 1)).time(highest);
  }
  return result.take();
}

storage::Rows Database::finish_runs(ServerSession& session, const Arguments& args, Result& result) {
  const Guid worker = args.guid(2 - 1);
  std::vector<std::pair<Outcome, Queue::Version*>> gone;
  for (Outcome& outcome : outcomes(args)) {
    auto* const version = held_run(session, worker, outcome.run, outcome.claim, outcome.stored_step);
    if (version == nullptr) continue;
    const bool is_new = std::ranges::none_of(gone, [&](const auto& each) { return each.second == version; });
    if (is_new) gone.emplace_back(std::move(outcome), version);
  }
  for (auto& [outcome, version] : gone) {
    RunRow row = version->row;
    if (row.ordered) {
      result.row().guid(row.business).guid(row.workflow).guid(row.record).number(row.event).guid(row.guid);
      result.boolean(row.replay_of.has_value());
    }
    row.status = outcome.status;
    row.code = outcome.code;
    row.error = outcome.error;
    row.attempts = outcome.attempts;
    row.due = outcome.at;
    row.tries = outcome.tries;
    if (outcome.steps) row.steps = outcome.steps;
    queue_.remove(own(session), *version);
    runs_.insert(session.xid, std::move(row));
  }
  return result.take();
}

storage::Rows Database::reschedule(ServerSession& session, const Arguments& args, Result& result) {
  const Guid worker = args.guid(1);
  std::vector<std::pair<Outcome, Queue::Version*>> held;
  for (Outcome& outcome : outcomes(args)) {
    auto* const version = held_run(session, worker, outcome.run, outcome.claim, outcome.stored_step);
    if (version != nullptr &&
        std::ranges::none_of(held, [&](const auto& each) { return each.second == version; }))
      held.emplace_back(std::move(outcome), version);
  }
  for (auto& [outcome, version] : held) {
    RunRow row = version->row;
    row.status = outcome.status;
    row.code = outcome.code;
    row.error = outcome.error;
    row.attempts = outcome.attempts;
    row.tries = outcome.tries;
    row.due = outcome.at;
    if (outcome.request) row.request = *outcome.request;
    if (outcome.body) row.body = outcome.body;
    if (outcome.steps) {
      row.steps = outcome.steps;
      row.step = step_of(*row.steps);
    }
    row.lease_owner.reset();
    queue_.replace(own(session), *version, std::move(row));
  }
  return result.take();
}

/// The runs that the worker still holds at their stored steps, each once, by their places in the list.
std::map<std::size_t, Database::Queue::Version*> Database::held_runs(
    ServerSession& session, const Guid& worker, const std::vector<Guid>& runs,
    const std::vector<std::int64_t>& stored, const std::vector<std::int64_t>& claims) {
  std::map<std::size_t, Queue::Version*> held;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    auto* const version = held_run(session, worker, runs[i], claims[i], stored[i]);
    const bool is_new = std::ranges::none_of(held, [&](const auto& each) { return each.second == version; });
    if (version != nullptr && is_new) held.emplace(i, version);
  }
  return held;
}

storage::Rows Database::begin_steps(ServerSession& session, const Arguments& args, Result& result) {
  const Guid worker = args.guid(1);
  const auto runs = args.guids(4);
  const auto actions = args.strings(5), destinations = args.strings(6), requests = args.strings(7);
  const auto bodies = args.texts(8);
  const auto attempts = args.numbers(9);
  const auto tries = args.strings(10), steps = args.strings(11);
  const auto stored = args.numbers(12), claims = args.numbers(15);
  const auto changing = args.texts(14);
  for (const auto& [i, version] : held_runs(session, worker, runs, stored, claims)) {
    RunRow row = version->row;
    row.due = scheduler_.time() + args.interval(2);
    row.action = actions[i];
    row.destination = destinations[i];
    row.request = requests[i];
    row.body = bodies[i];
    row.attempts = attempts[i];
    row.tries = tries[i];
    row.steps = steps[i];
    row.changing_action = changing[i];
    follow_steps(row);
    result.row().guid(row.guid);
    queue_.replace(own(session), *version, std::move(row));
  }
  return result.take();
}

storage::Rows Database::go_on(ServerSession& session, const Arguments& args, Result& result) {
  const Guid worker = args.guid(1);
  const auto runs = args.guids(3);
  const auto statuses = args.strings(4);
  const auto attempts = args.numbers(5);
  const auto times = args.times(6);
  const auto tries = args.strings(7), steps = args.strings(8), actions = args.strings(9);
  const auto codes = args.texts(10);
  const auto stored = args.numbers(11), claims = args.numbers(14);
  const auto changing = args.texts(13);
  for (const auto& [i, version] : held_runs(session, worker, runs, stored, claims)) {
    RunRow row = version->row;
    row.status = statuses[i];
    row.code = codes[i];
    row.error.reset();
    row.attempts = attempts[i];
    row.due = times[i];
    row.tries = tries[i];
    row.steps = steps[i];
    row.changing_action = changing[i];
    if (follow_steps(row)) row.due = scheduler_.time();
    row.action = actions[i];
    row.destination = storage::step_destination(row.business, row.guid);
    row.request = "null";
    row.body.reset();
    row.lease_owner.reset();
    queue_.replace(own(session), *version, std::move(row));
  }
  return result.take();
}

storage::Rows Database::unblock(ServerSession& session, const Arguments& args, Result& result) {
  const auto businesses = args.guids(1), workflows = args.guids(2), records = args.guids(3);
  const auto events = args.numbers(4);
  const auto runs = args.guids(5), replays = args.guids(6);
  const Time now = scheduler_.time();
  std::vector<std::pair<Queue::Version*, std::int64_t>> next;  // in the order of the runs
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const bool is_replay = std::ranges::find(replays, runs[i]) != replays.end();
    Queue::Version* first = nullptr;
    for (auto& version : queue_.versions()) {
      const RunRow& row = version.row;
      if (version.is_visible_to(session.xid) && row.business == businesses[i] &&
          row.workflow == workflows[i] && row.record == records[i] && row.event >= events[i] &&
          row.guid != runs[i] && row.replay_of.has_value() == is_replay &&
          (first == nullptr || row.event < first->row.event))
        first = &version;
    }
    if (first == nullptr ||
        (first->row.status != "waiting" && first->row.status != "queued" &&
         first->row.status != "retrying") ||
        (first->row.due > now && first->row.due != first->row.postponed_until))
      continue;
    if (const Xid holder = first->holder(session.xid)) throw Locked{holder};
    const auto known = std::ranges::find(next, first, &std::pair<Queue::Version*, std::int64_t>::first);
    if (known == next.end())
      next.emplace_back(first, events[i]);
    else
      known->second = std::max(known->second, events[i]);
  }
  for (auto& [version, event] : next) {
    RunRow row = version->row;
    row.due = now;
    if (event > 0) row.ordered_from = event;
    queue_.replace(own(session), *version, std::move(row));
  }
  result.row().boolean(false);
  return result.take();
}

storage::Rows Database::hold(ServerSession& session, const Arguments& args, Result& result) {
  const auto runs = args.guids(3);
  const auto steps = args.numbers(4), claims = args.numbers(6);
  for (std::size_t i = 0; i < runs.size(); ++i) {
    auto* const version = held_run(session, args.guid(1), runs[i], claims[i], steps[i]);
    if (version == nullptr) continue;
    version->locked = own(session);
    result.row().guid(runs[i]).number(steps[i]).number(claims[i]);
  }
  return result.take();
}

storage::Rows Database::locked(ServerSession& session, const Arguments& args, Result& result) {
  for (const Guid& run : args.guids(3)) {
    const bool is_locked = std::ranges::any_of(queue_.versions(), [&](const Queue::Version& version) {
      return version.row.guid == run && version.is_visible_to(session.xid) &&
             version.holder(session.xid) != 0;
    });
    if (is_locked) result.row().guid(run);
  }
  return result.take();
}

storage::Rows Database::release(ServerSession& session, const Arguments& args, Result& result) {
  std::vector<Queue::Version*> held;
  for (auto& version : queue_.versions()) {
    if (!version.is_visible_to(session.xid) || version.row.status != "running" ||
        version.row.lease_owner != args.guid(1))
      continue;
    if (const Xid holder = version.holder(session.xid)) throw Locked{holder};
    held.push_back(&version);
  }
  for (Queue::Version* const version : held) {
    RunRow row = version->row;
    row.status = pending_status(row);
    row.due = scheduler_.time();
    row.lease_owner.reset();
    queue_.replace(own(session), *version, std::move(row));
  }
  return result.take();
}

storage::Rows Database::definitions(ServerSession&, const Arguments& args, Result& result) {
  const auto workflows = args.guids(2), names = args.guids(4);
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto found = workflows_.find(workflows[i]);
    if (found == workflows_.end()) continue;
    result.row().guid(names[i]).text(found->second.trigger).text(found->second.conditions);
    result.text(found->second.action).text(found->second.cancel_on);
  }
  return result.take();
}

/// Makes the runs of lost workers due, except those that other sessions have locked.
void Database::free_runs(const std::set<Guid>& lost) {
  const Time now = scheduler_.time();
  bool any = false;
  for (auto& version : queue_.versions()) {
    RunRow& row = version.row;
    if (version.made != 0 || version.holder(0) != 0 || row.status != "running" || !row.lease_owner ||
        !lost.contains(*row.lease_owner) || row.due <= now)
      continue;
    row.due = now;
    any = true;
  }
  if (any) notify("waybill_queue");
}

void Database::copy(ServerSession& session, const std::string& target, std::string_view rows) {
  if (!copy_digests(session, target, rows)) copy_runs(session, target, rows);
}

void Database::copy_runs(ServerSession& session, const std::string& target, std::string_view rows) {
  const auto columns = copied_columns(target);
  const bool is_queue = target.starts_with("run_queue ");
  if (!is_queue && !target.starts_with("runs "))
    throw std::logic_error("the model has no copy into " + target);
  std::vector<RunRow> runs;
  for (const CopiedRow& row : read_copy(rows)) runs.push_back(copied_run(columns, row));
  for (const RunRow& run : runs) {
    if (!is_queue) continue;
    for (const auto& version : queue_.versions()) {
      if (version.row.guid != run.guid || version.ended == session.xid) continue;
      const Xid writer = version.made != 0 ? version.made : version.ended;
      if (writer != 0 && writer != session.xid) throw Locked{writer};
      throw storage::StatementError("duplicate key", "23505", "run_queue_pkey");
    }
  }
  for (RunRow& run : runs) {
    if (is_queue)
      queue_.insert(own(session), std::move(run));
    else
      runs_.insert(own(session), std::move(run));
  }
}

}  // namespace waybill::simulate
