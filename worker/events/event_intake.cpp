#include "worker/events/event_intake.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "base/observe.hpp"
#include "storage/sql/leases.sql.hpp"

namespace waybill::worker {
namespace {

constexpr Duration xid_every = std::chrono::milliseconds(20);
constexpr Duration workflows_every = std::chrono::milliseconds(250);
constexpr std::size_t least_room = 16;        // below it a look is not worth its round trips
constexpr std::size_t most_with_rows = 32;    // a look with more events returns no rows
constexpr std::size_t most_in_flight = 5000;  // above the watermarks: a scan compares with each

Time::rep ticks(Time time) { return time.time_since_epoch().count(); }

bool has(const storage::HeldShards& shards, const storage::HeldShards::value_type& shard) {
  const auto found = shards.find(shard.first);
  return found != shards.end() && found->second == shard.second;
}

}  // namespace

EventIntake::EventIntake(const Options& options, Time now)
    : options_(options), backlog_(options.events_in_memory), matched_until_(ticks(now)) {}

void EventIntake::hold(const storage::HeldShards& shards) {
  const std::lock_guard lock(mutex_);
  new_leases_ = shards;
}

bool EventIntake::settled(std::span<const storage::EventKey> events) {
  const std::lock_guard lock(mutex_);
  watermarks_.settled(events);
  backlog_.settled(events);
  return waits_for_room_;
}

std::vector<std::int16_t> EventIntake::shards() const {
  std::vector<std::int16_t> shards;
  for (const auto& [shard, lease] : read_) shards.push_back(shard);
  return shards;
}

bool EventIntake::is_busy(std::int16_t shard) const {
  const std::lock_guard lock(mutex_);
  return new_leases_ || watermarks_.any_in_flight(shard);  // a look from before the change may be running
}

void EventIntake::connected() {
  rate_.forget();
  const std::lock_guard lock(mutex_);
  watermarks_.settled(backlog_.forget());
  watermarks_.reconnected();
}

bool EventIntake::follow_leases(storage::Session& session) {
  bool changed = false;
  {
    const std::lock_guard lock(mutex_);
    changed = new_leases_.has_value();
    if (changed) {
      for (const auto& shard : read_) {
        if (has(*new_leases_, shard)) continue;
        watermarks_.remove(shard.first);
        watermarks_.settled(backlog_.forget(shard.first));
      }
      for (const auto& shard : *new_leases_) {
        if (!has(read_, shard)) watermarks_.add(shard.first, shard.second.orphaned);
      }
      read_ = std::move(*new_leases_);
      new_leases_.reset();
      rate_.forget();
    }
  }
  if (const auto idle = rate_.setting_to_announce()) {
    session.run(storage::sql::leases::SetIdle{.worker = options_.worker, .idle = *idle});
    rate_.announced(*idle);
  }
  return changed;
}

bool EventIntake::has_new_leases() const {
  const std::lock_guard lock(mutex_);
  return new_leases_.has_value();
}

bool EventIntake::has_room(bool runner_has_room) {
  const std::lock_guard lock(mutex_);
  waits_for_room_ = backlog_.taken() + least_room > options_.events_in_memory || !runner_has_room;
  return !waits_for_room_;
}

/// Decides what the next look reads. Events that wait for the workflows of their business must not keep a
/// look from finding other events: they count only for their shard, which is left out while it has many of
/// them.
EventIntake::Look EventIntake::next_look(const WorkflowFollower& workflows, Time now) {
  Look next;
  const std::lock_guard lock(mutex_);
  std::size_t behind = 0;          // waiting events of businesses whose workflows are being read
  std::size_t behind_in_look = 0;  // of shards that are not left out
  std::set<std::int16_t> left_out;
  for (const auto& [shard, count] : backlog_.waiting_of(workflows.behind())) {
    behind += count;
    if (count >= options_.shard_batch) {
      left_out.insert(shard);
    } else {
      behind_in_look += count;
    }
  }
  next.leaves_out = !left_out.empty();
  watermarks_.leave_out(std::move(left_out));
  next.watermarks = watermarks_.all();
  next.in_flight = watermarks_.in_flight();
  next.draws_xid = rate_.wants_xid() || (watermarks_.wants_xid() && now - last_xid_ >= xid_every);
  next.wants_rows = backlog_.waiting() == behind;
  next.knows_enough = backlog_.waiting() >= options_.events_known ||
                      (!next.wants_rows && next.in_flight.size() >= most_in_flight + behind_in_look);
  return next;
}

std::vector<storage::StoredEvent> EventIntake::look(storage::Session& session, WorkflowFollower& workflows,
                                                    Time now) {
  const Look next = next_look(workflows, now);
  if (next.knows_enough) {
    look_at_workflows(session, workflows, now);
    return {};
  }
  storage::Scan scan = storage::Outbox(session).scan(next.watermarks, next.in_flight, options_.shard_batch,
                                                     next.draws_xid, next.wants_rows ? most_with_rows : 0);
  if (next.draws_xid) last_xid_ = now;
  last_look_ = ticks(now);
  const std::uint64_t epoch = scan.workflow_epoch;
  workflows.follow(session, epoch);
  for (storage::PendingEvent& event : scan.events) event.workflow_epoch = epoch;
  rate_.scanned(now, scan.transactions, scan.xmin, scan.xid);
  std::map<std::int16_t, std::size_t> counts;
  for (const storage::PendingEvent& event : scan.events) ++counts[event.shard];
  saw_all_ = !next.leaves_out && std::ranges::none_of(counts, [&](const auto& count) {
    return count.second >= options_.shard_batch;
  });
  std::vector<storage::StoredEvent> rows = std::move(scan.rows);
  std::erase_if(rows,
                [&](const storage::StoredEvent& row) { return !workflows.has_read(row.business_id, epoch); });
  const std::lock_guard lock(mutex_);
  backlog_.add(watermarks_.take(std::move(scan), options_.shard_batch));
  set_gauge(Gauge::pending_events, static_cast<double>(watermarks_.in_flight_count()));
  return rows;
}

void EventIntake::look_at_workflows(storage::Session& session, WorkflowFollower& workflows, Time now) {
  if (now - last_look() < workflows_every) return;
  const storage::Scan scan = storage::Outbox(session).scan({}, {}, 0, false);
  last_look_ = ticks(now);
  workflows.follow(session, scan.workflow_epoch);
}

std::vector<storage::PendingEvent> EventIntake::take(std::size_t most, const WorkflowFollower& workflows) {
  const Time now = last_look();
  const std::lock_guard lock(mutex_);
  const Time oldest = backlog_.oldest(now);
  matched_until_ = ticks(oldest);
  auto events = backlog_.take(std::min(most, options_.events_in_memory - backlog_.taken()),
                              [&](const storage::PendingEvent& event) {
                                return workflows.has_read(event.business_id, event.workflow_epoch);
                              });
  if (events.empty()) {
    waits_for_room_ = backlog_.waiting() > 0;
  } else {
    record(Histogram::event_age_seconds, std::chrono::duration<double>(now - oldest).count());
  }
  return events;
}

void EventIntake::put_back(std::span<const storage::PendingEvent> events) {
  const std::lock_guard lock(mutex_);
  backlog_.put_back(events);
}

void EventIntake::matched() {
  const std::lock_guard lock(mutex_);
  if (saw_all_ && backlog_.waiting() == 0) matched_until_ = ticks(last_look());
}

}  // namespace waybill::worker
