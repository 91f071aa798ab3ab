// The statements about timers.
#include <algorithm>
#include <chrono>

#include "tests/simulate/database.hpp"

namespace waybill::simulate {
namespace {

bool is_of(const std::vector<std::int64_t>& shards, const Guid& business) {
  return std::ranges::find(shards, shard_of(business)) != shards.end();
}

}  // namespace

std::vector<TimerResult> Database::timer_results() const {
  std::vector<TimerResult> results;
  for (const auto& version : timer_results_.versions()) {
    if (version.made == 0) results.push_back(version.row);
  }
  return results;
}

storage::Rows Database::look_for_timers(ServerSession& session, const Arguments& args, Result& result) {
  const auto shards = args.numbers(1);
  const Time now = scheduler_.time();
  std::optional<Time> next;
  for (const auto& version : timers_.versions()) {
    const TimerRow& row = version.row;
    if (version.is_visible_to(session.xid) && is_of(shards, row.business) &&
        row.check_at < now + args.interval(2))
      next = std::min(next.value_or(row.check_at), row.check_at);
  }
  result.row();
  if (next)
    result.number(std::chrono::ceil<std::chrono::milliseconds>(*next - now).count());
  else
    result.null();
  result.boolean(std::ranges::any_of(timer_scans_.versions(), [&](const auto& version) {
    return version.is_visible_to(session.xid) && is_of(shards, version.row.business);
  }));
  return result.take();
}

storage::Rows Database::claim_timers(ServerSession& session, const Arguments& args, Result& result) {
  const auto shards = args.numbers(1);
  std::vector<Table<TimerRow>::Version*> due;
  for (auto& version : timers_.versions()) {
    if (version.is_visible_to(session.xid) && version.holder(session.xid) == 0 &&
        version.row.check_at <= scheduler_.time() && is_of(shards, version.row.business))
      due.push_back(&version);
  }
  std::ranges::sort(due, {}, [](const auto* version) {
    const TimerRow& row = version->row;
    return std::tuple(row.due_at, row.business, row.workflow, row.record);
  });
  for (auto* const version : due) {
    const TimerRow& row = version->row;
    version->locked = own(session);
    result.row().guid(row.business).guid(row.workflow).guid(row.record).number(row.plan);
    result.time(row.value).time(row.due_at).number(row.depth).number(++last_eventless_);
    result.boolean(true).boolean(false);
    result.number(static_cast<std::int64_t>(workflow_epoch_)).number(shard_of(row.business));
  }
  return result.take();
}

/// True if a value of a timer has come due, so that it is not set again.
bool Database::has_fired(const ServerSession& session, const Guid& workflow, const Guid& record, Time value,
                         std::int64_t plan) const {
  return std::ranges::any_of(timer_results_.versions(), [&](const auto& version) {
    const TimerResult& row = version.row;
    return version.is_visible_to(session.xid) && row.workflow == workflow && row.record == record &&
           row.value == value && (row.run || row.plan >= plan);
  });
}

storage::Rows Database::lock_timers(ServerSession& session, const Arguments& args, Result& result) {
  const auto workflows = args.guids(2), records = args.guids(3);
  std::vector<Table<TimerRow>::Version*> locked;
  for (auto& version : timers_.versions()) {
    const TimerRow& row = version.row;
    if (!version.is_visible_to(session.xid)) continue;
    for (std::size_t i = 0; i < records.size(); ++i) {
      if (row.workflow != workflows[i] || row.record != records[i]) continue;
      if (const Xid holder = version.holder(session.xid)) throw Locked{holder};
      locked.push_back(&version);
    }
  }
  for (auto* const version : locked) version->locked = own(session);
  return result.take();
}

storage::Rows Database::set_timers(ServerSession& session, const Arguments& args, Result& result) {
  const auto businesses = args.guids(1), workflows = args.guids(2), records = args.guids(3);
  const auto plans = args.numbers(4), events = args.numbers(7), depths = args.numbers(8);
  const auto values = args.times(5), dues = args.times(6);
  struct Setting {
    Table<TimerRow>::Version* known;
    TimerRow row;
  };
  std::vector<Setting> settings;
  std::vector<Table<TimerRow>::Version*> over;
  for (std::size_t i = 0; i < records.size(); ++i) {
    if (has_fired(session, workflows[i], records[i], values[i], plans[i])) {
      for (auto& version : timers_.versions()) {
        const TimerRow& row = version.row;
        if (!version.is_visible_to(session.xid) || row.workflow != workflows[i] || row.record != records[i] ||
            std::pair(row.plan, row.event) > std::pair(plans[i], events[i]))
          continue;
        if (const Xid holder = version.holder(session.xid)) throw Locked{holder};
        over.push_back(&version);
      }
      continue;
    }
    Setting setting{.known = nullptr,
                    .row = {.business = businesses[i],
                            .workflow = workflows[i],
                            .record = records[i],
                            .plan = plans[i],
                            .value = values[i],
                            .due_at = dues[i],
                            .check_at = dues[i],
                            .event = events[i],
                            .depth = depths[i]}};
    for (auto& version : timers_.versions()) {
      const TimerRow& row = version.row;
      if (row.workflow != workflows[i] || row.record != records[i] || version.ended == session.xid) continue;
      // Another transaction inserts, changes or deletes the row.
      if (version.made != 0 && version.made != session.xid) throw Locked{version.made};
      if (const Xid holder = version.holder(session.xid)) throw Locked{holder};
      setting.known = &version;
    }
    settings.push_back(std::move(setting));
  }
  for (auto* const version : over) timers_.remove(own(session), *version);
  for (auto& [known, row] : settings) {
    if (known == nullptr) {
      timers_.insert(own(session), std::move(row));
    } else if (std::pair(row.plan, row.event) >= std::pair(known->row.plan, known->row.event)) {
      timers_.replace(own(session), *known, std::move(row));
    }
  }
  return result.take();
}

storage::Rows Database::drop_timers(ServerSession& session, const Arguments& args, Result& result) {
  const auto workflows = args.guids(2), records = args.guids(3);
  const auto plans = args.numbers(4), events = args.numbers(5);
  std::vector<Table<TimerRow>::Version*> dropped;
  for (auto& version : timers_.versions()) {
    const TimerRow& row = version.row;
    if (!version.is_visible_to(session.xid)) continue;
    for (std::size_t i = 0; i < records.size(); ++i) {
      if (row.workflow != workflows[i] || row.record != records[i] ||
          std::pair(row.plan, row.event) > std::pair(plans[i], events[i]))
        continue;
      if (const Xid holder = version.holder(session.xid)) throw Locked{holder};
      dropped.push_back(&version);
    }
  }
  for (auto* const version : dropped) timers_.remove(own(session), *version);
  return result.take();
}

storage::Rows Database::postpone_timers(ServerSession& session, const Arguments& args, Result& result) {
  const auto workflows = args.guids(2), records = args.guids(3);
  const Time check_at = scheduler_.time() + args.interval(4);
  for (std::size_t i = 0; i < records.size(); ++i) {
    timers_.update(
        own(session),
        [&](const TimerRow& row) { return row.workflow == workflows[i] && row.record == records[i]; },
        [&](TimerRow& row) { row.check_at = check_at; });
  }
  return result.take();
}

storage::Rows Database::finish_timers(ServerSession& session, const Arguments& args, Result& result) {
  const auto workflows = args.guids(2), records = args.guids(3);
  const auto runs = args.texts(4), reasons = args.texts(5);
  for (std::size_t i = 0; i < records.size(); ++i) {
    for (auto& version : timers_.versions()) {
      const TimerRow& row = version.row;
      if (!version.is_visible_to(session.xid) || row.workflow != workflows[i] || row.record != records[i])
        continue;
      if (runs[i] || reasons[i])
        timer_results_.insert(own(session), {.workflow = row.workflow,
                                             .record = row.record,
                                             .value = row.value,
                                             .due_at = row.due_at,
                                             .plan = row.plan,
                                             .run = runs[i],
                                             .reason = reasons[i]});
      const auto left = left_at_.find(row.record);
      if (runs[i] && left != left_at_.end() && left->second < session.began)
        violated("a timer fires for a record that has left its state");
      if (runs[i] && row.due_at > scheduler_.time()) violated("a timer fires before its time");
      timers_.remove(own(session), version);
      break;
    }
  }
  return result.take();
}

storage::Rows Database::claim_scan(ServerSession& session, const Arguments& args, Result& result) {
  const auto shards = args.numbers(1);
  const auto passed_over = args.guids(2);
  for (auto& version : timer_scans_.versions()) {
    const TimerScanRow& row = version.row;
    if (!version.is_visible_to(session.xid) || version.holder(session.xid) != 0 ||
        !is_of(shards, row.business) || std::ranges::find(passed_over, row.workflow) != passed_over.end())
      continue;
    version.locked = own(session);
    result.row().guid(row.business).guid(row.workflow).number(row.plan).guid(row.position).null();
    break;
  }
  return result.take();
}

storage::Rows Database::move_scan(ServerSession& session, const Arguments& args, Result& result) {
  for (auto& version : timer_scans_.versions()) {
    if (!version.is_visible_to(session.xid) || version.row.workflow != args.guid(2)) continue;
    if (args.boolean(4)) {
      timer_scans_.remove(own(session), version);
    } else {
      TimerScanRow row = version.row;
      row.position = args.guid(3);
      timer_scans_.replace(own(session), version, std::move(row));
    }
    break;
  }
  return result.take();
}

storage::Rows Database::records_to_scan(ServerSession&, const Arguments& args, Result& result) {
  std::int64_t left = args.number(4);
  for (const auto& [guid, record] : records_) {
    const auto event = std::ranges::find_if(
        events_, [&, &its = guid](const auto& each) { return each.second.record == its; });
    if (guid <= args.guid(3) || event->second.business != args.guid(1)) continue;
    if (left-- == 0) break;
    result.row().guid(guid).bytes(record_value(guid, record));
  }
  return result.take();
}

}  // namespace waybill::simulate
