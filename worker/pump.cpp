#include "worker/pump.hpp"

#include <algorithm>
#include <set>
#include <string_view>

#include "base/observe.hpp"
#include "storage/statement/errors.hpp"

namespace waybill::worker {
namespace {

constexpr Duration poll = std::chrono::seconds(1);
constexpr Duration spill_every = std::chrono::milliseconds(100);
constexpr auto locked_pause = std::chrono::milliseconds(500);

}  // namespace

Pump::Pump(const Options& options, Catalogue& catalogue, BlastGuard& guard, PauseWriter& pauses,
           Runner& runner, Preparation& preparation, DueFloors& floors, const Clock& clock)
    : guard_(guard),
      runner_(runner),
      clock_(clock),
      loader_(options.sessions, catalogue, [this] { thread_.wake(); }),
      workflows_(catalogue, pauses, loader_),
      intake_({.worker = options.worker}, clock.now()),
      matching_({.worker = options.worker, .public_url = options.public_url}, intake_, catalogue, workflows_,
                guard, runner, clock),
      timers_({.worker = options.worker}, intake_, catalogue, workflows_, guard, clock),
      digests_(options.worker, intake_, catalogue, workflows_, guard, clock),
      runs_({.worker = options.worker, .retention = options.retention}, catalogue, workflows_, runner,
            preparation, floors, clock),
      session_(options.sessions, "waybill matcher",
               {storage::index_walking_plans, "listen waybill_events", "listen waybill_workflows",
                "listen waybill_queue"}) {}

void Pump::start() {
  loader_.start();
  thread_.start([this](const std::stop_token& stop) { run(stop); });
}

void Pump::stop_accepting() {
  thread_.stop();
  loader_.stop();
}

void Pump::hold(const storage::HeldShards& shards) {
  intake_.hold(shards);
  thread_.wake();
}

void Pump::settled(const std::vector<storage::EventKey>& events, const NextDue& next_due) {
  const bool events_wait = intake_.settled(events);
  const bool runs_wait = runs_.note_due(next_due.run);
  const bool timers_wait = timers_.note_due(next_due.timer);
  const bool digests_wait = digests_.note_due(next_due.digest);
  if (events_wait || runs_wait || timers_wait || digests_wait) thread_.wake();
}

void Pump::note_room() {
  if (runs_.note_room()) thread_.wake();
}

bool Pump::can_match() {
  if (!can_match_) thread_.wake();
  return can_match_;
}

void Pump::run(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    thread_.beat();
    try {
      connect();
      turn(stop);
      session_.worked();
    } catch (const std::exception& error) {
      recover(error);
    }
  }
  runs_.stop();
  store_firings();
}

/// Waits before the next turn, with a new session if the error made this one unusable.
void Pump::recover(const std::exception& error) {
  const Duration pause = session_.failed(error);
  if (!session_.is_open()) can_match_ = false;
  if (dynamic_cast<const storage::DatabaseUnavailable*>(&error) != nullptr) {
    set_gauge(Gauge::listen_up, 0);  // the lease keeper reports it
  } else {
    observe(Observable::batch_failed, {{"error", std::string_view(error.what())}});
  }
  runner_.spill();
  thread_.wait(-1, pause);
}

/// Stores how often workflows fired. The counts are an estimate: without a database, those since the last
/// save are lost.
void Pump::store_firings() {
  if (!session_.is_open()) return;
  try {
    guard_.save_now(*session_);
  } catch (const std::exception& error) {
    observe(Observable::batch_failed, {{"error", std::string_view(error.what())}});
  }
}

void Pump::connect() {
  if (!session_.open()) return;
  intake_.connected();
  matching_.reconnected();
  runs_.reconnected();
  if (workflows_.connected()) observe(Observable::listen_reconnected);
  set_gauge(Gauge::listen_up, 1);
}

bool Pump::read_notifications() {
  const std::set<std::string> channels = session_->notifications();
  if (channels.contains("waybill_queue")) runs_.notified();
  return !channels.empty();
}

void Pump::turn(const std::stop_token& stop) {
  read_notifications();
  if (workflows_.take_loaded()) runs_.look_again();
  // Read before the leases are followed: an expiry that is noted after this belongs to leases of the
  // next turn.
  const std::uint64_t expiries = expiries_;
  if (intake_.follow_leases(*session_)) workflows_.took_shards();
  if (expiries != followed_expiries_) {
    // No more runs of the lost shards follow from here on.
    runner_.give_up();
    followed_expiries_ = expiries;
  }
  const bool found = match_events();
  if (matching_waits_ == Moment{}) can_match_ = true;
  const bool fired = unless_locked(timers_wait_, [&] { return timers_.work(*session_); });
  const bool closed = unless_locked(digests_wait_, [&] { return digests_.work(*session_); });
  if (timers_.has_queued()) runs_.look_again();
  if (digests_.has_queued()) runs_.look_again();
  const bool claimed = runs_.claim(*session_);
  const bool matched = unless_locked(late_matching_waits_, [&] {
    const bool resumed = matching_.match_set_aside(*session_);
    return matching_.match_postponed(*session_) || resumed;
  });
  if (matched) runs_.look_again();
  guard_.save(*session_);
  runner_.spill();
  if (!found && !fired && !closed && !claimed && !matched) wait(stop);
}

bool Pump::match_events() {
  const Time now = clock_.now();
  if (!intake_.has_room(runner_.has_room())) {
    intake_.look_at_workflows(*session_, workflows_, now);
    return false;
  }
  return unless_locked(matching_waits_, [&] {
    return matching_.match_some(*session_, intake_.look(*session_, workflows_, now));
  });
}

/// Performs one kind of work. If another session has locked a table that it needs, it waits, and the turn
/// continues with the other kinds. Returns false then.
template <std::invocable Work>
bool Pump::unless_locked(Moment& waits_until, Work work) {
  if (Moment::clock::now() < waits_until) return false;
  try {
    const bool found = work();
    waits_until = {};
    return found;
  } catch (const storage::StatementError& error) {
    if (!storage::is_lock_conflict(error)) throw;
    observe(Observable::batch_failed, {{"error", std::string_view(error.what())}});
    waits_until = Moment::clock::now() + locked_pause;
    return false;
  }
}

void Pump::wait(const std::stop_token& stop) {
  // A notification that came with the answer to a statement does not make the socket readable again.
  if (read_notifications() || stop.stop_requested() || intake_.has_new_leases()) return;
  const Time now = clock_.now();
  const Time next = std::min(
      {runs_.next_look(), matching_.next_postponed_look(), timers_.next_look(), digests_.next_look()});
  Duration limit = std::min(intake_.patience(poll), std::max(Duration::zero(), next - now));
  if (runner_.held() > 0) limit = std::min(limit, spill_every);
  thread_.wait(session_->socket(), limit);
}

}  // namespace waybill::worker
