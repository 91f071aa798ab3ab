#include "worker/pipeline/pump.hpp"

#include <algorithm>
#include <map>
#include <unordered_set>
#include <utility>

#include "base/observe.hpp"
#include "storage/fields.hpp"
#include "storage/sql.hpp"
#include "storage/workflow_reader.hpp"

namespace waybill::worker {
namespace {

constexpr Duration spill_every = std::chrono::milliseconds(100);
constexpr Duration queue_look_every = std::chrono::seconds(1);
constexpr Duration xid_every = std::chrono::milliseconds(20);
constexpr Duration due_again_after = std::chrono::milliseconds(100);
constexpr Duration follow_workflows_every = std::chrono::milliseconds(250);
constexpr Duration first_reconnect = std::chrono::milliseconds(100);
constexpr Duration longest_reconnect = std::chrono::seconds(1);
constexpr Duration postponed_look_every = std::chrono::seconds(1);
constexpr std::size_t most_postponed_workflows = 100;
constexpr std::size_t most_postponed = 200;                     // matches of a workflow in one transaction
constexpr Duration render_time = std::chrono::milliseconds(2);  // of a turn
constexpr Duration no_memory_pause = std::chrono::milliseconds(250);
constexpr Duration census_every = std::chrono::seconds(1);
constexpr std::size_t most_in_render_batch = 64;
constexpr std::size_t most_to_render = 256;
constexpr std::size_t most_to_render_of_a_business = 32;
constexpr std::size_t least_room = 16;        // below it a look is not worth its round trips
constexpr std::size_t most_with_rows = 32;    // events of a look that brings their rows along
constexpr std::size_t most_in_flight = 5000;  // above the marks: a scan compares with each

template <typename Span>
double seconds(Span span) {
  return std::chrono::duration<double>(span).count();
}

std::size_t run_count(const std::vector<MatchedEvent>& events) {
  std::size_t count = 0;
  for (const MatchedEvent& event : events) count += event.runs.size();
  return count;
}

}  // namespace

Pump::Pump(Options options, Catalogue& catalogue, Matcher& matcher, BlastGuard& guard, PauseWriter& pauses,
           Runner& runner, const Clock& clock)
    : options_(std::move(options)),
      catalogue_(catalogue),
      matcher_(matcher),
      guard_(guard),
      pauses_(pauses),
      runner_(runner),
      clock_(clock),
      backlog_(options_.events_in_memory),
      preparer_(catalogue, clock),
      backoff_(first_reconnect, longest_reconnect),
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

void Pump::settled(const std::vector<storage::EventKey>& events, std::optional<Time> next_due) {
  bool wake = false;
  {
    const std::lock_guard lock(mutex_);
    watermarks_.settled(events);
    backlog_.settled(events);
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
  return wanted_changed_ || watermarks_.any_in_flight(shard);  // a look of before the change may be under way
}

Time Pump::last_look() const { return Time(Time::duration(last_look_.load())); }

Time Pump::matched_until() const { return Time(Time::duration(matched_until_.load())); }

void Pump::run() {
  work();
  std::vector<storage::ClaimedRun> unrendered;
  while (!to_render_.empty()) unrendered.push_back(take_to_render(to_render_.pop()));
  runner_.give_back(std::move(unrendered), clock_.now());
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
      backoff_.reset();
    } catch (const storage::DatabaseUnavailable&) {
      session_.reset();  // the lease keeper tells of it
      set_gauge(Gauge::listen_up, 0);
      runner_.spill();
      wake_up_.wait(-1, backoff_.next());
    } catch (const std::exception& error) {
      const auto* const refused = dynamic_cast<const storage::StatementError*>(&error);
      const bool in_the_way = refused != nullptr && storage::is_lock_conflict(*refused);
      if (!in_the_way) session_.reset();  // what it has prepared may be what fails
      observe(Observable::batch_failed, {{"error", std::string_view(error.what())}});
      runner_.spill();
      wake_up_.wait(-1, backoff_.next());
    }
  }
}

void Pump::connect() {
  session_ =
      std::make_unique<storage::Session>(options_.database_url, "waybill matcher", storage::worker_limits);
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
    watermarks_.settled(backlog_.forget());
    watermarks_.reconnected();
  }
  reread_workflows_ = was_connected_;
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
  const bool rendered = render_some();
  const bool matched = match_postponed();
  guard_.keep(*session_);
  runner_.spill();
  if (!found && !claimed && !rendered && !matched) wait();
}

void Pump::follow_leases() {
  {
    const std::lock_guard lock(mutex_);
    if (wanted_changed_) {
      for (const auto& [shard, held] : read_) {
        const auto wanted = wanted_.find(shard);
        if (wanted == wanted_.end() || wanted->second != held) {
          watermarks_.remove(shard);
          watermarks_.settled(backlog_.forget(shard));
        }
      }
      for (const auto& [shard, held] : wanted_) {
        const auto read = read_.find(shard);
        if (read == read_.end() || read->second != held) watermarks_.add(shard, held.orphaned);
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
  const Time now = clock_.now();
  if (!has_room()) {
    follow_workflows(now);
    return false;
  }
  return match_slice(scan(now));
}

bool Pump::has_room() {
  const std::lock_guard lock(mutex_);
  starved_ = backlog_.taken() + least_room > options_.events_in_memory || !runner_.has_room();
  return !starved_;
}

std::vector<storage::StoredEvent> Pump::scan(Time now) {
  std::vector<storage::ShardMark> marks;
  std::vector<storage::EventKey> in_flight;
  bool draw_xid = false;
  bool knows_enough = false;
  bool knows_none = false;
  {
    const std::lock_guard lock(mutex_);
    marks = watermarks_.marks();
    in_flight = watermarks_.in_flight();
    draw_xid = rate_.wants_xid() || (watermarks_.wants_xid() && now - last_xid_ >= xid_every);
    knows_none = backlog_.waiting() == 0;
    knows_enough =
        backlog_.waiting() >= options_.events_known || (!knows_none && in_flight.size() >= most_in_flight);
  }
  if (knows_enough) {
    follow_workflows(now);
    return {};
  }
  storage::Scan scan = storage::Outbox(*session_).scan(marks, in_flight, options_.shard_batch, draw_xid,
                                                       knows_none ? most_with_rows : 0);
  if (draw_xid) last_xid_ = now;
  last_look_ = now.time_since_epoch().count();
  follow(scan.workflow_epoch);
  rate_.looked(now, scan.transactions, scan.xmin, scan.xid);
  std::map<std::int16_t, std::size_t> counts;
  for (const storage::PendingEvent& event : scan.events) ++counts[event.shard];
  saw_all_ =
      std::ranges::none_of(counts, [&](const auto& count) { return count.second >= options_.shard_batch; });
  std::vector<storage::StoredEvent> rows = std::move(scan.rows);
  const std::lock_guard lock(mutex_);
  backlog_.add(watermarks_.take(std::move(scan), options_.shard_batch));
  set_gauge(Gauge::pending_events, static_cast<double>(watermarks_.in_flight_count()));
  return rows;
}

/// False when there is nothing to match, or nothing that may be.
bool Pump::match_slice(std::vector<storage::StoredEvent> rows) {
  const Time now = last_look();
  std::vector<storage::PendingEvent> events;
  {
    const std::lock_guard lock(mutex_);
    const Time oldest = backlog_.oldest(now);
    matched_until_ = oldest.time_since_epoch().count();
    events = backlog_.take(std::min(slice_, options_.events_in_memory - backlog_.taken()));
    if (events.empty()) {
      starved_ = backlog_.waiting() > 0;
      return false;
    }
    record(Histogram::event_age_seconds, seconds(now - oldest));
  }
  std::vector<MatchedEvent> matched;
  try {
    matched = match(events, std::move(rows));
  } catch (...) {
    give_back_unmatched(std::move(events), {});
    throw;
  }
  give_back_unmatched(std::move(events), matched);
  runner_.submit(std::move(matched));
  const std::lock_guard lock(mutex_);
  if (saw_all_ && backlog_.waiting() == 0) matched_until_ = now.time_since_epoch().count();
  return true;
}

std::vector<MatchedEvent> Pump::match(const std::vector<storage::PendingEvent>& events,
                                      std::vector<storage::StoredEvent> rows) {
  const auto started_at = std::chrono::steady_clock::now();
  std::vector<MatchedEvent> matched =
      matcher_.match(*session_, events, std::move(rows),
                     {.has_memory = [this](const Guid& business) { return runner_.has_memory(business); },
                      .may_defer = may_defer()});
  guard_.watch(*session_, matched);
  const auto took = std::chrono::steady_clock::now() - started_at;
  size_slice(events.size(), matched.size(), std::chrono::duration_cast<Duration>(took));
  record(Histogram::match_batch_seconds, seconds(took));
  record(Histogram::match_batch_events, static_cast<double>(matched.size()));
  observe(Observable::events_matched, {}, matched.size());
  observe(Observable::runs_planned, {}, run_count(matched));
  return matched;
}

/// What would have been too much for one batch's memory is matched in the next.
void Pump::give_back_unmatched(std::vector<storage::PendingEvent> events,
                               const std::vector<MatchedEvent>& matched) {
  if (matched.size() == events.size()) return;
  std::unordered_set<storage::EventKey, storage::EventKeyHash> keys;
  for (const MatchedEvent& event : matched) keys.insert(event.key);
  std::erase_if(events, [&](const storage::PendingEvent& event) { return keys.contains(event.key()); });
  const std::lock_guard lock(mutex_);
  backlog_.give_back(events);
}

void Pump::size_slice(std::size_t events, std::size_t matched, Duration took) {
  if (matched < events) {
    // The later ones were left out, whoever they are of: the next batch is small enough for all of its
    // events.
    slice_ = std::max<std::size_t>(matched, 1);
  } else if (took > options_.slice) {
    slice_ = std::max<std::size_t>(events * static_cast<std::size_t>(options_.slice / Duration(1)) /
                                       static_cast<std::size_t>(took / Duration(1)),
                                   1);
  } else if (events >= slice_) {
    slice_ = std::min(2 * slice_, options_.most_in_slice);
  }
}

// Without a look at events, so that a pause or a deletion acts on the runs that are in memory.
void Pump::follow_workflows(Time now) {
  if (now - last_look() < follow_workflows_every) return;
  const storage::Scan scan = storage::Outbox(*session_).scan({}, {}, 0, false);
  last_look_ = now.time_since_epoch().count();
  follow(scan.workflow_epoch);
}

void Pump::follow(std::uint64_t workflow_epoch) {
  if (workflow_epoch == seen_epoch_ && !reread_workflows_) return;
  refresh();
  seen_epoch_ = workflow_epoch;
}

void Pump::refresh() {
  if (reread_workflows_) {
    catalogue_.replace(storage::changed_workflows(*session_, 0));
  } else {
    catalogue_.apply(storage::changed_workflows(*session_, catalogue_.epoch()));
  }
  reread_workflows_ = false;
  pauses_.seen(catalogue_.epoch());
}

/// Runs may be queued without their texts while no worker lives that cannot render them.
bool Pump::may_defer() {
  const Time now = clock_.now();
  if (now - last_census_ < census_every) return may_defer_;
  last_census_ = now;
  may_defer_ = storage::RowView(session_->run(storage::sql::leases::all_render_deferred), 0).boolean(0);
  return may_defer_;
}

bool Pump::claim_due_runs() {
  const Time now = clock_.now();
  {
    const std::lock_guard lock(mutex_);
    if (now < next_queue_look_ && (!next_due_ || now < *next_due_)) return false;
    if (!runner_.has_room() || to_render_.size() >= most_to_render) {
      starved_ = true;
      return false;
    }
    next_due_.reset();  // what is set from now on counts besides what the query finds
  }
  storage::RunStore store(*session_, options_.worker);
  const std::vector<std::string> blocked = runner_.blocked_destinations();
  std::vector<Guid> blocked_businesses = runner_.blocked_businesses();
  for (const auto& [business, count] : rendering_) {
    if (count >= most_to_render_of_a_business) blocked_businesses.push_back(business);
  }
  std::vector<storage::ClaimedRun> claimed =
      store.claim({.lease = options_.claim_lease,
                   .per_destination = options_.claim_per_destination,
                   .runs = options_.claim_batch,
                   .bytes = std::min(options_.claim_bytes, runner_.free_bytes()),
                   .blocked_destinations = blocked,
                   .blocked_businesses = blocked_businesses});
  const bool any = !claimed.empty();
  take_claimed(std::move(claimed));
  std::optional<Time> next = store.next_due(blocked, blocked_businesses);
  // Due and not to be had: another worker is taking it, or the server's clock is behind ours.
  if (next && !any) next = std::max(*next, now + due_again_after);
  next_queue_look_ = now + queue_look_every;
  const std::lock_guard lock(mutex_);
  if (next && (!next_due_ || *next < *next_due_)) next_due_ = next;
  return any;
}

/// Hands claimed runs to the runner, or puts them aside to be rendered.
void Pump::take_claimed(std::vector<storage::ClaimedRun> claimed) {
  std::vector<storage::ClaimedRun> unreadable;
  std::erase_if(claimed, [&](storage::ClaimedRun& run) {
    if (!catalogue_.is_unreadable(run.run.key.workflow_id)) return false;
    run.run.state.code = "WORKFLOW_UNREADABLE";
    unreadable.push_back(std::move(run));
    return true;
  });
  runner_.give_back(std::move(unreadable), clock_.now() + unreadable_again_after);
  try {
    preparer_.check_again(*session_, claimed);
  } catch (...) {
    runner_.give_back(std::move(claimed), clock_.now());
    throw;
  }
  std::erase_if(claimed, [&](storage::ClaimedRun& run) {
    const storage::RunKey& key = run.run.key;
    if (!storage::is_deferred(key) || run.called_off || run.record_gone || !catalogue_.find(key.workflow_id))
      return false;
    const Guid business = key.business_id;
    ++rendering_[business];
    to_render_.push(business, {std::move(run), clock_.now()});
    return true;
  });
  runner_.submit(std::move(claimed));
}

/// Renders runs that were claimed without their texts, businesses in turn, for about two milliseconds. True
/// when any waits still.
bool Pump::render_some() {
  if (to_render_.empty()) return false;
  const auto started_at = std::chrono::steady_clock::now();
  give_back_unrendered();
  std::vector<storage::ClaimedRun> runs;
  std::vector<storage::ClaimedRun> without_memory;
  while (!to_render_.empty() && runs.size() < render_batch_) {
    storage::ClaimedRun run = take_to_render(to_render_.pop());
    (runner_.has_memory(run.run.key.business_id) ? runs : without_memory).push_back(std::move(run));
  }
  runner_.give_back(std::move(without_memory), clock_.now() + no_memory_pause);
  try {
    preparer_.render(*session_, runs);
  } catch (...) {
    runner_.give_back(std::move(runs), clock_.now());
    throw;
  }
  const std::size_t count = runs.size();
  runner_.submit(std::move(runs));
  const auto took = std::chrono::duration_cast<Duration>(std::chrono::steady_clock::now() - started_at);
  if (took > render_time) {
    render_batch_ = std::max<std::size_t>(count * static_cast<std::size_t>(render_time / Duration(1)) /
                                              static_cast<std::size_t>(took / Duration(1)),
                                          1);
  } else if (count == render_batch_) {
    render_batch_ = std::min<std::size_t>(2 * render_batch_, most_in_render_batch);
  }
  return !to_render_.empty();
}

void Pump::give_back_unrendered() {
  const Time now = clock_.now();
  std::vector<storage::ClaimedRun> late;
  for (ToRender& one : to_render_.take_fronts(
           [&](const ToRender& waiting) { return now - waiting.since > claim_patience; })) {
    late.push_back(take_to_render(std::move(one)));
  }
  runner_.give_back(std::move(late), now);
}

storage::ClaimedRun Pump::take_to_render(ToRender one) {
  const auto count = rendering_.find(one.run.run.key.business_id);
  if (--count->second == 0) rendering_.erase(count);
  return std::move(one.run);
}

/// Matches events whose workflow could not be read when they came. True when there may be more.
bool Pump::match_postponed() {
  const Time now = clock_.now();
  if (now < next_postponed_look_) return false;
  next_postponed_look_ = now + postponed_look_every;
  storage::RunStore store(*session_, options_.worker);
  bool any = false;
  for (const Guid& guid : store.workflows_with_postponed(most_postponed_workflows)) {
    const WorkflowPtr workflow = catalogue_.find(guid);
    if (!workflow && catalogue_.is_unreadable(guid)) continue;
    storage::Work work(*session_);
    const std::vector<storage::PostponedMatch> matches = store.take_postponed(guid, most_postponed);
    // A workflow that was deleted meanwhile fires for nothing.
    if (workflow) store.queue(matcher_.match_postponed(*session_, *workflow, matches));
    work.commit();
    any = any || !matches.empty();
  }
  if (!any) return false;
  next_postponed_look_ = {};
  next_queue_look_ = {};
  return true;
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
  limit = std::min(limit, std::max(Duration::zero(), next_postponed_look_ - clock_.now()));
  wake_up_.wait(session_->socket(), limit);
}

}  // namespace waybill::worker
