#include "worker/pump.hpp"

#include <algorithm>
#include <unordered_set>

#include "base/observe.hpp"
#include "storage/workflow_reader.hpp"

namespace waybill::worker {
namespace {

constexpr Duration spill_every = std::chrono::milliseconds(100);
constexpr Duration queue_look_every = std::chrono::seconds(1);
constexpr Duration xid_every = std::chrono::milliseconds(20);
constexpr Duration due_again_after = std::chrono::milliseconds(100);
constexpr Duration follow_workflows_every = std::chrono::milliseconds(250);
constexpr Duration reconnect_after = std::chrono::milliseconds(100);
constexpr std::size_t least_room = 64;  // below it a look is not worth its round trips

template <typename Span>
double seconds(Span span) {
  return std::chrono::duration<double>(span).count();
}

/// When the oldest of a scan's events was committed; `now` when there is none. Each shard's are in order.
Time oldest_of(const std::vector<storage::PendingEvent>& events, Time now) {
  Time oldest = now;
  const storage::PendingEvent* last = nullptr;
  for (const storage::PendingEvent& event : events) {
    if (last == nullptr || last->shard != event.shard)
      oldest = std::min(oldest, parse_sql_timestamp(event.at).value_or(now));
    last = &event;
  }
  return oldest;
}

std::size_t run_count(const std::vector<MatchedEvent>& events) {
  std::size_t count = 0;
  for (const MatchedEvent& event : events) count += event.runs.size();
  return count;
}

}  // namespace

Pump::Pump(Options options, Catalogue& catalogue, Matcher& matcher, BlastGuard& guard, Runner& runner,
           const Clock& clock)
    : options_(std::move(options)),
      catalogue_(catalogue),
      matcher_(matcher),
      guard_(guard),
      runner_(runner),
      clock_(clock),
      matched_until_(clock.now().time_since_epoch().count()) {}

Pump::~Pump() { stop(); }

void Pump::start() {
  thread_ = std::thread([this] { run(); });
}

void Pump::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_up_.wake();
  if (thread_.joinable()) thread_.join();
}

void Pump::hold(const storage::HeldShards& shards) {
  {
    const std::lock_guard lock(mutex_);
    wanted_ = shards;
    wanted_changed_ = true;
  }
  wake_up_.wake();
}

void Pump::settled(const std::vector<std::uint64_t>& events, std::optional<Time> next_due) {
  bool wake = false;
  {
    const std::lock_guard lock(mutex_);
    marks_.settled(events);
    wake = starved_;
    if (next_due && (!next_due_ || *next_due < *next_due_)) {
      next_due_ = next_due;
      wake = true;
    }
  }
  if (wake) wake_up_.wake();
}

bool Pump::busy(std::int16_t shard) const {
  const std::lock_guard lock(mutex_);
  return wanted_changed_ || marks_.any_in_flight(shard);  // a look of before the change may be under way
}

Time Pump::last_look() const { return Time(Time::duration(last_look_.load())); }

Time Pump::matched_until() const { return Time(Time::duration(matched_until_.load())); }

void Pump::run() {
  work();
  keep_firings();
}

// How often workflows fired is an estimate: a database that is away takes a minute of it.
void Pump::keep_firings() {
  if (!session_) return;
  try {
    guard_.keep_now(*session_);
  } catch (const std::exception& error) {
    observe(Observable::batch_failed, {{"error", std::string_view(error.what())}});
  }
}

void Pump::work() {
  for (;;) {
    {
      const std::lock_guard lock(mutex_);
      if (stopping_) return;
    }
    try {
      if (!session_) connect();
      turn();
    } catch (const storage::DatabaseUnavailable&) {
      session_.reset();  // the lease keeper tells of it
      set_gauge(Gauge::listen_up, 0);
      runner_.spill();
      wake_up_.wait(-1, reconnect_after);
    } catch (const std::exception& error) {
      session_.reset();  // what it has prepared may be what fails
      observe(Observable::batch_failed, {{"error", std::string_view(error.what())}});
      wake_up_.wait(-1, reconnect_after);
    }
  }
}

void Pump::connect() {
  session_ = std::make_unique<storage::Session>(options_.database_url, "waybill matcher");
  // The tables it reads grow and shrink by orders of magnitude within seconds, which no statistics follow: a
  // plan made when they were empty would sort the whole backlog at each look. All it does is walk indexes.
  session_->execute(
      "set plan_cache_mode = force_generic_plan; set enable_bitmapscan = off; set enable_seqscan = off");
  session_->execute("listen waybill_events");
  session_->execute("listen waybill_workflows");
  session_->execute("listen waybill_queue");
  rate_.forget();
  {
    const std::lock_guard lock(mutex_);
    marks_.reconnected();
  }
  if (was_connected_) observe(Observable::listen_reconnected);
  was_connected_ = true;
  set_gauge(Gauge::listen_up, 1);
}

bool Pump::notified() {
  const std::set<std::string> channels = session_->notifications();
  if (channels.contains("waybill_queue")) next_queue_look_ = {};
  return !channels.empty();
}

void Pump::turn() {
  notified();
  follow_leases();
  const bool found = look_at_outbox();
  const bool claimed = claim_due_runs();
  guard_.keep(*session_);
  runner_.spill();
  if (!found && !claimed) wait();
}

void Pump::follow_leases() {
  {
    const std::lock_guard lock(mutex_);
    if (wanted_changed_) {
      for (const auto& [shard, held] : read_) {
        const auto wanted = wanted_.find(shard);
        if (wanted == wanted_.end() || wanted->second != held) marks_.remove(shard);
      }
      for (const auto& [shard, held] : wanted_) {
        const auto read = read_.find(shard);
        if (read == read_.end() || read->second != held) marks_.add(shard, held.orphaned);
      }
      read_ = wanted_;
      wanted_changed_ = false;
      rate_.forget();
    }
  }
  if (const auto idle = rate_.to_say()) {
    storage::Leases(*session_, options_.worker, {}, {}).set_idle(*idle);
    rate_.said(*idle);
  }
}

bool Pump::look_at_outbox() {
  std::vector<storage::ShardMark> marks;
  std::vector<std::int64_t> in_flight;
  std::size_t room = 0;
  bool draw_xid = false;
  const Time now = clock_.now();
  {
    const std::lock_guard lock(mutex_);
    const std::size_t taken = marks_.in_flight_count();
    room = taken >= options_.events_in_memory || runner_.held() >= options_.runs_in_memory
               ? 0
               : options_.events_in_memory - taken;
    starved_ = room < least_room;
  }
  if (room < least_room) return follow_workflows(now);
  {
    const std::lock_guard lock(mutex_);
    marks = marks_.marks();
    in_flight = marks_.in_flight();
    draw_xid = rate_.wants_xid() || (marks_.wants_xid() && now - last_xid_ >= xid_every);
  }
  const std::size_t limit = std::min(options_.shard_batch, room);
  storage::Scan scan = storage::Outbox(*session_).scan(marks, in_flight, limit, draw_xid);
  if (draw_xid) last_xid_ = now;
  last_look_ = now.time_since_epoch().count();
  if (scan.workflow_epoch != seen_epoch_) {
    refresh();
    seen_epoch_ = scan.workflow_epoch;
  }
  const std::size_t seen = scan.events.size();
  rate_.looked(now, scan.transactions, scan.xmin, scan.xid);
  const Time oldest = oldest_of(scan.events, now);
  matched_until_ = oldest.time_since_epoch().count();
  std::vector<storage::PendingEvent> events;
  {
    const std::lock_guard lock(mutex_);
    set_gauge(Gauge::pending_events, static_cast<double>(marks_.in_flight_count() + seen));
    events = marks_.take(std::move(scan), limit, room);
  }
  if (events.empty()) return false;
  record(Histogram::event_age_seconds, seconds(now - oldest));
  const bool was_all = events.size() == seen && seen < limit;
  if (match(events) && was_all) matched_until_ = now.time_since_epoch().count();
  return true;
}

/// Whether all of them are matched now; what would have been too much for the memory is matched next time.
bool Pump::match(std::vector<storage::PendingEvent>& events) {
  const auto started_at = std::chrono::steady_clock::now();
  try {
    std::vector<MatchedEvent> matched = matcher_.match(*session_, events);
    guard_.watch(*session_, matched);
    record(Histogram::match_batch_seconds, seconds(std::chrono::steady_clock::now() - started_at));
    record(Histogram::match_batch_events, static_cast<double>(matched.size()));
    observe(Observable::events_matched, {}, matched.size());
    observe(Observable::runs_planned, {}, run_count(matched));
    const bool was_all = matched.size() == events.size();
    give_back_unmatched(events, matched);
    runner_.submit(std::move(matched));
    return was_all;
  } catch (...) {
    const std::lock_guard lock(mutex_);
    marks_.give_back(events);
    throw;
  }
}

void Pump::give_back_unmatched(std::vector<storage::PendingEvent>& events,
                               const std::vector<MatchedEvent>& matched) {
  if (matched.size() == events.size()) return;
  std::unordered_set<std::uint64_t> ids;
  for (const MatchedEvent& event : matched) ids.insert(event.id);
  std::erase_if(events, [&](const storage::PendingEvent& event) { return ids.contains(event.id); });
  const std::lock_guard lock(mutex_);
  marks_.give_back(events);
  events.clear();
}

// Without room for events, so that a pause or a deletion acts on the runs that are in memory.
bool Pump::follow_workflows(Time now) {
  if (now - last_look() < follow_workflows_every) return false;
  const storage::Scan scan = storage::Outbox(*session_).scan({}, {}, 0, false);
  last_look_ = now.time_since_epoch().count();
  if (scan.workflow_epoch != seen_epoch_) {
    refresh();
    seen_epoch_ = scan.workflow_epoch;
  }
  return false;
}

void Pump::refresh() { catalogue_.apply(storage::changed_workflows(*session_, catalogue_.epoch())); }

bool Pump::claim_due_runs() {
  const Time now = clock_.now();
  {
    const std::lock_guard lock(mutex_);
    if (now < next_queue_look_ && (!next_due_ || now < *next_due_)) return false;
    if (runner_.held() >= options_.runs_in_memory) {
      starved_ = true;
      return false;
    }
    next_due_.reset();  // what is set from now on counts besides what the query finds
  }
  storage::RunStore store(*session_, options_.worker);
  const std::vector<std::string> blocked = runner_.blocked_destinations();
  std::vector<storage::ClaimedRun> claimed =
      store.claim(options_.claim_lease, options_.claim_per_destination, blocked, options_.claim_batch);
  const bool any = !claimed.empty();
  try {
    matcher_.check_again(*session_, claimed);
  } catch (...) {
    runner_.give_back(std::move(claimed));
    throw;
  }
  runner_.submit(std::move(claimed));
  std::optional<Time> next = store.next_due(blocked);
  // Due and not to be had: another worker is taking it, or the server's clock is behind ours.
  if (next && !any) next = std::max(*next, now + due_again_after);
  next_queue_look_ = now + queue_look_every;
  const std::lock_guard lock(mutex_);
  if (next && (!next_due_ || *next < *next_due_)) next_due_ = next;
  return any;
}

void Pump::wait() {
  // What came with the answer to a statement does not make the socket readable again.
  if (notified()) return;
  Duration limit = rate_.patience(options_.poll);
  {
    const std::lock_guard lock(mutex_);
    if (stopping_ || wanted_changed_) return;
    const Time now = clock_.now();
    if (!starved_) {  // or whoever makes room wakes us
      limit = std::min(limit, std::max(Duration::zero(), next_queue_look_ - now));
      if (next_due_) limit = std::min(limit, std::max(Duration::zero(), *next_due_ - now));
    }
  }
  if (runner_.held() > 0) limit = std::min(limit, spill_every);
  wake_up_.wait(session_->socket(), limit);
}

}  // namespace waybill::worker
