// The statements of duties.
#include <algorithm>
#include <array>
#include <chrono>
#include <stdexcept>
#include <tuple>

#include "storage/sql/audit_log.sql.hpp"
#include "storage/sql/duties.sql.hpp"
#include "storage/sql/queue.sql.hpp"
#include "tests/simulate/database.hpp"

namespace waybill::simulate {
namespace {

using namespace std::chrono_literals;

bool is_open_run(const RunRow& row) {
  return row.status == "waiting" || row.status == "queued" || row.status == "retrying";
}

}  // namespace

const storage::Statement& blocking_statement(std::string_view name) {
  namespace sql = storage::sql;
  static const std::array all = {
      &sql::audit_log::SetAuthor::statement,     &sql::duties::SinceTurns::statement,
      &sql::duties::TakeTurn::statement,         &sql::duties::NoteTurn::statement,
      &sql::duties::EndTurn::statement,          &sql::duties::FindPassedOver::statement,
      &sql::duties::ReadAgain::statement,        &sql::duties::ReleaseHeld::statement,
      &sql::duties::EndLeftOver::statement,      &sql::duties::BringBackRetries::statement,
      &sql::duties::BringBackWaits::statement,   &sql::duties::BringBackDue::statement,
      &sql::duties::BringBackDigests::statement, &sql::duties::BringBackMails::statement,
      &sql::duties::BringBackImports::statement, &sql::duties::BringBackWatches::statement,
      &sql::duties::BringBackJobs::statement,    &sql::duties::BringBackPostponed::statement,
      &sql::duties::BringBackPulls::statement,   &sql::duties::BringBackPurchases::statement,
      &sql::queue::FindBlocked::statement,       &sql::queue::PostponeBlocked::statement,
      &sql::queue::FindBelowFloors::statement,
  };
  const auto found = std::ranges::find(all, name, &storage::Statement::name);
  if (found == all.end()) throw std::logic_error("the model has no statement " + std::string(name));
  return **found;
}

/// As if each duty had left work, so that a worker performs all of them at its start.
storage::Rows Database::since_turns(ServerSession&, const Arguments&, Result& result) {
  return result.take();
}

storage::Rows Database::take_turn(ServerSession& session, const Arguments& args, Result& result) {
  const Time now = scheduler_.time();
  const auto [turn, is_new] =
      turns_.try_emplace(std::string(args.text(1)), Turn{.session = &session, .taken_at = now});
  const bool is_free =
      turn->second.taken_at < now - 10min ||
      std::ranges::none_of(
          sessions_,
          [&, its = turn->second.session](const auto& each) { return each.get() == its && each->alive; });
  if (!is_new && turn->second.session != &session && !is_free) return result.take();
  turn->second = {.session = &session, .taken_at = now};
  result.row().boolean(true);
  return result.take();
}

storage::Rows Database::note_turn(ServerSession& session, const Arguments& args, Result& result) {
  const auto turn = turns_.find(std::string(args.text(1)));
  if (turn == turns_.end() || turn->second.session != &session) return result.take();
  turn->second.taken_at = scheduler_.time();
  result.row().boolean(true);
  return result.take();
}

storage::Rows Database::end_turn(ServerSession& session, const Arguments& args, Result& result) {
  const auto turn = turns_.find(std::string(args.text(1)));
  if (turn != turns_.end() && turn->second.session == &session) turns_.erase(turn);
  return result.take();
}

storage::Rows Database::find_passed_over(ServerSession& session, const Arguments&, Result& result) {
  for (std::size_t i = 0; i < shards_.size(); ++i) {
    const auto& owner = shards_[i].owner;
    const auto matched = owner ? matched_.find(*owner) : matched_.end();
    if (matched == matched_.end() || lease_end(*owner) <= scheduler_.time()) continue;
    const Event* first = nullptr;
    for (const auto& version : pending_.versions()) {
      if (version.is_visible_to(session.xid) && shard_of(version.row.business) == static_cast<int>(i) &&
          (first == nullptr || version.row.id < first->id))
        first = &version.row;
    }
    if (first != nullptr && first->at < matched->second - 1min)
      result.row().number(static_cast<std::int64_t>(i)).number(static_cast<std::int64_t>(first->id));
  }
  return result.take();
}

/// Only the events of hidden transactions may be passed over.
storage::Rows Database::read_again(ServerSession& session, const Arguments& args, Result& result) {
  const auto shards = args.numbers(1), events = args.numbers(2);
  for (std::size_t i = 0; i < shards.size(); ++i) {
    const auto pending = std::ranges::find_if(pending_.versions(), [&](const auto& version) {
      return version.is_visible_to(session.xid) && static_cast<std::int64_t>(version.row.id) == events[i];
    });
    if (pending == pending_.versions().end()) continue;
    history_.add("shard " + std::to_string(shards[i]) + " is read again for event " +
                 std::to_string(events[i]));
    if (!hidden_.contains(pending->row.writer))
      violated("event " + std::to_string(events[i]) + " was passed over");
    ++shards_.at(static_cast<std::size_t>(shards[i])).epoch;
    result.row().number(shards[i]).number(events[i]);
  }
  return result.take();
}

/// Queues the oldest held runs of a workflow that no other session has locked. Returns their number.
std::size_t Database::release_runs(ServerSession& session, const Guid& workflow, std::size_t limit) {
  std::vector<Queue::Version*> held;
  for (auto& version : queue_.versions()) {
    if (version.is_visible_to(session.xid) && version.holder(session.xid) == 0 &&
        version.row.workflow == workflow && version.row.status == "held")
      held.push_back(&version);
  }
  std::ranges::sort(held, {}, [](const auto* version) { return version->row.guid; });
  if (held.size() > limit) held.resize(limit);
  for (auto* const version : held) {
    RunRow row = version->row;
    row.status = pending_status(row);
    row.due = row.created_at;
    history_.add("run " + row.guid.to_string().substr(24) + " is released");
    queue_.replace(own(session), *version, std::move(row));
  }
  return held.size();
}

void Database::release_runs(const Guid& workflow, std::size_t limit) {
  if (workflows_.at(workflow).paused) return;
  const SessionPtr session = connect(world, "resume");
  release_runs(*session, workflow, limit);
  finish(*session, true);
  end(*session);
  notify("waybill_queue");
}

storage::Rows Database::release_held(ServerSession& session, const Arguments& args, Result& result) {
  std::size_t released = 0;
  for (const auto& [guid, workflow] : workflows_) {
    if (!workflow.paused)
      released += release_runs(session, guid, static_cast<std::size_t>(args.number(1) / 10));
  }
  result.row().number(static_cast<std::int64_t>(released));
  return result.take();
}

storage::Rows Database::find_blocked(ServerSession& session, const Arguments& args, Result& result) {
  const auto floored = args.strings(1);
  const auto floors = args.times(2);
  const Time now = scheduler_.time();
  std::map<Guid, std::vector<const RunRow*>> waiting;  // by business
  for (const auto& version : queue_.versions()) {
    const RunRow& row = version.row;
    if (!version.is_visible_to(session.xid) || !is_open_run(row) || row.due >= now - 1s) continue;
    const auto floor = std::ranges::find(floored, row.destination);
    const bool is_below =
        floor != floored.end() && row.due < floors[static_cast<std::size_t>(floor - floored.begin())];
    if (!is_below && !may_go(row, session.xid)) waiting[row.business].push_back(&row);
  }
  for (const auto& [business, rows] : waiting) {
    const bool are_many = static_cast<std::int64_t>(rows.size()) > args.number(3);
    for (const RunRow* const row : rows) {
      if (are_many || (row->ordered && row->due < now - 10s))
        result.row().guid(business).guid(row->guid).time(row->due);
    }
  }
  return result.take();
}

storage::Rows Database::postpone_blocked(ServerSession& session, const Arguments& args, Result& result) {
  const auto guids = args.guids(2);
  const auto times = args.times(3);
  const Time now = scheduler_.time();
  std::int64_t postponed = 0;
  for (std::size_t i = 0; i < guids.size(); ++i) {
    const auto version = std::ranges::find_if(queue_.versions(), [&](const Queue::Version& each) {
      return each.is_visible_to(session.xid) && each.holder(session.xid) == 0 && each.row.guid == guids[i] &&
             each.row.due == times[i] && is_open_run(each.row);
    });
    if (version == queue_.versions().end()) continue;
    RunRow row = version->row;
    Duration pause = 2s;
    if (!row.postponed_until)
      pause = 1s;
    else if (row.ordered)
      pause = std::min<Duration>(std::max<Duration>(30s, now - row.created_at), 5min);
    row.due = now + pause;
    row.postponed_until = row.due;
    history_.add("run " + row.guid.to_string().substr(24) + " is postponed");
    queue_.replace(own(session), *version, std::move(row));
    ++postponed;
  }
  result.row().number(postponed);
  return result.take();
}

storage::Rows Database::find_below_floors(ServerSession& session, const Arguments& args, Result& result) {
  const auto destinations = args.strings(1);
  const auto floors = args.times(2);
  for (std::size_t i = 0; i < destinations.size(); ++i) {
    const RunRow* first = nullptr;
    for (const auto& version : queue_.versions()) {
      const RunRow& row = version.row;
      if (version.is_visible_to(session.xid) && row.destination == destinations[i] && row.status != "held" &&
          row.due < floors[i] && (first == nullptr || row.due < first->due))
        first = &row;
    }
    if (first != nullptr) result.row().text(first->destination).time(first->due);
  }
  return result.take();
}

/// bring_back_due: no clock is wrong by more than milliseconds, so no run is due later than it may.
storage::Rows Database::count_late(ServerSession& session, const Arguments&, Result& result) {
  for (const auto& version : queue_.versions()) {
    const RunRow& row = version.row;
    if (version.is_visible_to(session.xid) && row.status != "held" && row.due > scheduler_.time() + 6min)
      violated("run " + row.guid.to_string() + " is due too late");
  }
  result.row().number(0);
  return result.take();
}

storage::Rows Database::none_moved(ServerSession&, const Arguments&, Result& result) {
  result.row().number(0);
  return result.take();
}

}  // namespace waybill::simulate
