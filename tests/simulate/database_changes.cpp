// The records, the statements that change them, and those about the runs that watch them.
#include <algorithm>
#include <sstream>
#include <string>

#include "base/json.hpp"
#include "storage/statement/binary.hpp"
#include "tests/simulate/database.hpp"

namespace waybill::simulate {
namespace {

/// The run that an event or a change follows from.
std::optional<Guid> run_of_cause(const std::optional<std::string>& cause) {
  if (!cause) return std::nullopt;
  const json::value parsed = json::parse(*cause);
  return Guid::parse(parsed.at("run").as_string());
}

}  // namespace

std::optional<Record> Database::record_of(const ServerSession& session, const Guid& record) const {
  std::optional<Record> found;
  if (const auto committed = records_.find(record); committed != records_.end()) found = committed->second;
  if (session.xid == 0) return found;
  for (const auto& version : pending_.versions()) {
    if (version.made == session.xid && version.row.record == record) found = version.row.after;
  }
  return found;
}

void Database::write_record(ServerSession& session, const Guid& business, const Guid& record, Record after,
                            std::optional<std::string> cause) {
  Event event{.id = ++last_event_,
              .at = scheduler_.time(),
              .business = business,
              .record = record,
              .before = record_of(session, record),
              .after = std::move(after),
              .cause = std::move(cause),
              .writer = own(session)};
  // The triggers notify while a worker is idle.
  session.notifies =
      session.notifies || std::ranges::any_of(idle_, [](const auto& each) { return each.second; });
  history_.add("event " + std::to_string(event.id) + " is written by transaction " +
               std::to_string(session.xid));
  pending_.insert(session.xid, std::move(event));
}

/// Locks a record without waiting. False if another transaction holds it.
bool Database::lock_now(ServerSession& session, const Guid& record) {
  const Xid xid = own(session);
  return record_locks_.emplace(record, xid).first->second == xid;
}

storage::Rows Database::change_fields(ServerSession& session, const Arguments& args, Result& result) {
  const Guid record = args.guid(2);
  const std::string cause(args.text(6));
  const auto known = records_.find(record);
  if (known == records_.end() && !record_of(session, record)) return result.take();
  if (!lock_now(session, record)) {
    result.row().text("locked").null().null();
    return result.take();
  }
  const Record before = record_of(session, record).value();
  if (before.status == "shipped") {
    result.row().text("closed").text("the order is shipped").null();
    return result.take();
  }
  Record after = before;
  const json::value changes = json::parse(args.text(3));
  after.notes = std::string(changes.at("notes").as_string());
  changes_.insert(session.xid, {run_of_cause(cause).value()});
  if (after != before) write_record(session, args.guid(1), record, std::move(after), cause);
  result.row().text("made").null().null();
  return result.take();
}

/// Moves an order to a status if the present one allows it. Returns the one before; nullopt if the order is
/// locked.
std::optional<std::string> Database::move_order(ServerSession& session, const Guid& business,
                                                const Guid& record, const Move& move,
                                                const std::string& cause) {
  if (!lock_now(session, record)) return std::nullopt;
  Record order = record_of(session, record).value();
  const std::string before = order.status;
  const bool is_allowed = std::ranges::find(move.origins, before) != move.origins.end();
  if (before == move.status || is_allowed) changes_.insert(session.xid, {run_of_cause(cause).value()});
  if (before != move.status && is_allowed) {
    order.status = move.status;
    write_record(session, business, record, std::move(order), cause);
  }
  return before;
}

storage::Rows Database::move_orders(ServerSession& session, const Arguments& args, Result& result) {
  const Guid record = args.guids(2).front();
  if (!record_of(session, record)) return result.take();
  const auto before = move_order(session, args.guid(1), record, {std::string(args.text(3)), args.strings(4)},
                                 std::string(args.text(6)));
  result.row().guid(record);
  if (before) {
    result.text(*before).boolean(true).null();
  } else {
    result.null().null().null();
  }
  return result.take();
}

storage::Rows Database::move_each_order(ServerSession& session, const Arguments& args, Result& result) {
  const Move move{std::string(args.text(3)), args.strings(4)};
  std::istringstream causes{std::string(args.text(5))};
  std::string line;
  std::getline(causes, line);
  json::object cause = json::parse(line).as_object();
  for (const Guid& record : args.guids(2)) {
    std::getline(causes, line);
    cause["run"] = line.substr(record.to_string().size() + 1);
    if (!record_of(session, record)) continue;
    const auto before = move_order(session, args.guid(1), record, move, to_json(cause));
    result.row().guid(record);
    before ? result.text(*before) : result.null();
    result.null();
  }
  return result.take();
}

storage::Rows Database::later_events(ServerSession& session, const Arguments& args, Result& result) {
  static_cast<void>(session);
  std::int64_t left = args.number(4);
  for (const auto& [id, event] : events_) {
    if (left == 0) break;
    if (event.record != args.guid(2) || static_cast<std::int64_t>(id) <= args.number(3)) continue;
    add_event(result.row(), event);
    --left;
  }
  return result.take();
}

storage::Rows Database::watched(ServerSession& session, const Arguments& args, Result& result) {
  const auto records = args.guids(2);
  std::set<std::tuple<Guid, Guid, Guid, std::int64_t, std::int64_t>> found;
  for (const auto& version : queue_.versions()) {
    const RunRow& row = version.row;
    if (version.is_visible_to(session.xid) && row.watch_after &&
        std::ranges::find(records, row.record) != records.end())
      found.emplace(row.business, row.record, row.workflow, row.version, row.watched_step);
  }
  for (const auto& [business, record, workflow, number, step] : found)
    result.row().guid(business).guid(record).guid(workflow).number(number).number(step);
  return result.take();
}

storage::Rows Database::wake_watching(ServerSession& session, const Arguments& args, Result& result) {
  const auto records = args.guids(2), workflows = args.guids(3);
  const auto versions = args.numbers(4), steps = args.numbers(5), events = args.numbers(6);
  const auto causing = args.texts(7);
  std::map<Queue::Version*, std::int64_t> woken;
  for (auto& version : queue_.versions()) {
    const RunRow& row = version.row;
    if (!version.is_visible_to(session.xid) || !row.watch_after) continue;
    for (std::size_t i = 0; i < records.size(); ++i) {
      if (row.record != records[i] || row.workflow != workflows[i] || row.version != versions[i] ||
          row.watched_step != steps[i] || *row.watch_after >= events[i] ||
          row.awaited_event.value_or(0) >= events[i] || (causing[i] && Guid::parse(*causing[i]) == row.guid))
        continue;
      if (const Xid holder = version.holder(session.xid)) throw Locked{holder};
      std::int64_t& event = woken[&version];
      event = std::max(event, events[i]);
    }
  }
  for (const auto& [version, event] : woken) {
    RunRow row = version->row;
    row.awaited_event = event;
    if (row.status == "waiting") row.due = scheduler_.time();
    queue_.replace(own(session), *version, std::move(row));
  }
  if (!woken.empty()) session.wakes = true;
  result.row().number(static_cast<std::int64_t>(woken.size())).null();
  return result.take();
}

storage::Rows Database::cancel_watching(ServerSession& session, const Arguments& args, Result& result) {
  const auto records = args.guids(2), workflows = args.guids(3);
  const auto versions = args.numbers(4), events = args.numbers(5);
  const auto causing = args.texts(6);
  std::vector<Queue::Version*> gone;
  for (auto& version : queue_.versions()) {
    const RunRow& row = version.row;
    if (!version.is_visible_to(session.xid) || !row.watch_after) continue;
    for (std::size_t i = 0; i < records.size(); ++i) {
      if (row.record != records[i] || row.workflow != workflows[i] || row.version != versions[i] ||
          *row.watch_after >= events[i] || (causing[i] && Guid::parse(*causing[i]) == row.guid))
        continue;
      if (const Xid holder = version.holder(session.xid)) throw Locked{holder};
      gone.push_back(&version);
      break;
    }
  }
  for (Queue::Version* const version : gone) {
    RunRow row = version->row;
    row.status = "skipped";
    row.code = "CANCELLED_BY_EVENT";
    row.due = scheduler_.time();
    queue_.remove(own(session), *version);
    runs_.insert(session.xid, std::move(row));
  }
  if (!gone.empty()) session.wakes = true;
  result.row().number(static_cast<std::int64_t>(gone.size())).null();
  return result.take();
}

}  // namespace waybill::simulate
