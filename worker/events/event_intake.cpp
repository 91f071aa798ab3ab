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
constexpr Duration after_missed = std::chrono::milliseconds(1);  // see Watermarks::has_missed
constexpr std::size_t least_room = 16;        // below it a look is not worth its round trips
constexpr std::size_t most_with_rows = 32;    // a look with more events returns no rows
constexpr std::size_t most_in_flight = 5000;  // above the watermarks: a scan compares with each
// A business that has this share of the events of one look waiting is read separately from its shard.
constexpr std::size_t crowding_share = 4;
// Separated businesses are read while they have fewer waiting events than their part of this number.
constexpr std::size_t most_of_separated = 2000;
constexpr std::size_t least_of_separated = 16;

Time::rep ticks(Time time) { return time.time_since_epoch().count(); }

bool has(const storage::HeldShards& shards, const storage::HeldShards::value_type& shard) {
  const auto found = shards.find(shard.first);
  return found != shards.end() && found->second == shard.second;
}

}  // namespace

EventIntake::EventIntake(const Options& options, Time now)
    : options_(options), backlog_(options.events_in_memory), matched_until_(ticks(now)) {}

void EventIntake::hold(const storage::HeldShards& shards) {
  const Lock lock(mutex_);
  new_leases_ = shards;
}

bool EventIntake::settled(std::span<const storage::EventKey> events) {
  const Lock lock(mutex_);
  const bool reads_again = watermarks_.settled(events);
  backlog_.settled(events);
  return waits_for_room_ || reads_again;
}

std::vector<std::int16_t> EventIntake::shards() const {
  std::vector<std::int16_t> shards;
  for (const auto& [shard, lease] : read_) shards.push_back(shard);
  return shards;
}

std::uint64_t EventIntake::epoch(std::int16_t shard) const {
  const auto found = read_.find(shard);
  return found == read_.end() ? 0 : found->second.epoch;
}

bool EventIntake::is_busy(std::int16_t shard) const {
  const Lock lock(mutex_);
  return new_leases_ || watermarks_.any_in_flight(shard);  // a look from before the change may be running
}

void EventIntake::connected() {
  rate_.forget();
  const Lock lock(mutex_);
  watermarks_.settled(backlog_.forget());
  watermarks_.reconnected();
}

bool EventIntake::follow_leases(storage::Session& session) {
  bool changed = false;
  {
    const Lock lock(mutex_);
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
  const Lock lock(mutex_);
  return new_leases_.has_value();
}

bool EventIntake::has_room(bool runner_has_room) {
  const Lock lock(mutex_);
  waits_for_room_ = backlog_.taken() + least_room > options_.events_in_memory || !runner_has_room;
  return !waits_for_room_;
}

/// Decides what the next look reads. Events that wait for the workflows of their business must not keep a
/// look from finding other events: they count only for their shard, which is left out while it has many of
/// them. A separated business, too, is left out while enough of its events wait.
EventIntake::Look EventIntake::next_look(const WorkflowFollower& workflows, Time now) {
  Look next;
  const Lock lock(mutex_);
  next.bounds.separated = watermarks_.separated();
  next.bounds.shard_limit = options_.shard_batch;
  next.bounds.business_limit = std::max(
      least_of_separated, most_of_separated / std::max<std::size_t>(1, next.bounds.separated.size()));
  std::set<Guid> full;
  for (const Guid& business : next.bounds.separated) {
    if (backlog_.waiting_of(business) >= next.bounds.business_limit) full.insert(business);
  }
  std::size_t behind = 0;          // waiting events of businesses whose workflows are being read
  std::size_t behind_in_look = 0;  // of shards that are not left out
  std::vector<Guid> behind_in_shards = workflows.behind();
  std::erase_if(behind_in_shards, [&](const Guid& business) REQUIRES(mutex_) {
    if (!std::ranges::binary_search(next.bounds.separated, business)) return false;
    const std::size_t count = backlog_.waiting_of(business);
    behind += count;
    behind_in_look += count;
    return true;
  });
  std::set<std::int16_t> left_out;
  for (const auto& [shard, count] : backlog_.waiting_of(behind_in_shards)) {
    behind += count;
    if (count >= options_.shard_batch) {
      left_out.insert(shard);
    } else {
      behind_in_look += count;
    }
  }
  watermarks_.leave_out(std::move(left_out), std::move(full));
  next.leaves_out = watermarks_.leaves_out();
  next.bounds.watermarks = watermarks_.all();
  next.bounds.in_flight = watermarks_.in_flight();
  next.draws_xid = rate_.wants_xid() || (watermarks_.wants_xid() && now - last_xid_ >= xid_every);
  next.wants_rows = backlog_.waiting() == behind;
  next.knows_enough =
      backlog_.waiting() >= options_.events_known ||
      (!next.wants_rows && (next.bounds.in_flight.size() >= most_in_flight + behind_in_look ||
                            pause_.left(std::chrono::steady_clock::now()) > Duration::zero()));
  return next;
}

std::vector<storage::StoredEvent> EventIntake::look(storage::Session& session, WorkflowFollower& workflows,
                                                    Time now) {
  const Look next = next_look(workflows, now);
  if (next.knows_enough) {
    look_at_workflows(session, workflows, now);
    return {};
  }
  const auto began = std::chrono::steady_clock::now();
  storage::Scan scan =
      storage::Outbox(session).scan(next.bounds, next.draws_xid, next.wants_rows ? most_with_rows : 0);
  pause_.looked(began, std::chrono::steady_clock::now(), scan.events.size());
  if (next.draws_xid) last_xid_ = now;
  last_look_ = ticks(now);
  const std::uint64_t epoch = scan.workflow_epoch;
  workflows.follow(session, epoch);
  for (storage::PendingEvent& event : scan.events) event.workflow_epoch = epoch;
  rate_.scanned(now, scan.transactions, scan.xmin, scan.xid);
  std::vector<storage::StoredEvent> rows = std::move(scan.rows);
  std::erase_if(rows,
                [&](const storage::StoredEvent& row) { return !workflows.has_read(row.business_id, epoch); });
  const Lock lock(mutex_);
  backlog_.add(watermarks_.take(std::move(scan), next.bounds.shard_limit, next.bounds.business_limit));
  if (watermarks_.has_missed()) rows.clear();
  separate_crowding();
  saw_all_ = !watermarks_.has_missed() && !next.leaves_out && watermarks_.cut_off().empty() &&
             watermarks_.separated().empty();
  set_gauge(Gauge::pending_events, static_cast<double>(watermarks_.in_flight_count()));
  return rows;
}

/// Separates the businesses with many of the waiting events of a shard that the look did not read to its end.
void EventIntake::separate_crowding() {
  for (const std::int16_t shard : watermarks_.cut_off()) {
    for (const auto& first : backlog_.crowding(shard, options_.shard_batch / crowding_share))
      watermarks_.separate(first.business_id, shard, first.at);
  }
}

void EventIntake::look_at_workflows(storage::Session& session, WorkflowFollower& workflows, Time now) {
  if (now - last_look() < workflows_every) return;
  const storage::Scan scan = storage::Outbox(session).scan({}, false);
  last_look_ = ticks(now);
  workflows.follow(session, scan.workflow_epoch);
}

std::vector<storage::PendingEvent> EventIntake::take(std::size_t most, const WorkflowFollower& workflows) {
  const Time now = last_look();
  const Lock lock(mutex_);
  const Time oldest = backlog_.oldest(now);
  if (!watermarks_.has_missed() && !watermarks_.has_earlier())
    matched_until_ = ticks(watermarks_.read_until(backlog_.oldest_taken(oldest)));
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
  const Lock lock(mutex_);
  backlog_.put_back(events);
}

Time EventIntake::oldest_taken() const {
  const Lock lock(mutex_);
  return backlog_.oldest_taken(Time::max());
}

void EventIntake::matched() {
  const Lock lock(mutex_);
  if (saw_all_ && backlog_.waiting() == 0) matched_until_ = ticks(backlog_.oldest_taken(last_look()));
}

Duration EventIntake::patience(Duration poll) const {
  const Lock lock(mutex_);
  return std::min(rate_.max_wait(poll), watermarks_.has_missed() ? after_missed : poll);
}

}  // namespace waybill::worker
