#include "worker/shards/lease_keeper.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/database_clock.hpp"
#include "base/observe.hpp"
#include "storage/runs/run_store.hpp"
#include "storage/statement/errors.hpp"

namespace waybill::worker {
namespace {

using std::chrono::steady_clock;

constexpr Duration first_reconnect = std::chrono::milliseconds(100);
// A worker looks for the new primary with this one session; when it is found, the others follow.
constexpr Duration longest_reconnect = std::chrono::milliseconds(250);
constexpr Duration entry_check_interval = std::chrono::milliseconds(20);
constexpr Duration surplus_check_interval = std::chrono::milliseconds(20);

}  // namespace

LeaseKeeper::LeaseKeeper(Options options, Open open, ShardHolder& holder)
    : options_(std::move(options)),
      open_(std::move(open)),
      holder_(holder),
      backoff_(first_reconnect, longest_reconnect),
      renewals_(options_.renewal_interval),
      loop_(
          ThreadKind::leases, [this] { return turn(); },
          [this](const std::exception& error) { return failed(error); }) {}

void LeaseKeeper::start() {
  may_have_runs_ = true;
  loop_.start();
}

Loop::Wait LeaseKeeper::turn() {
  const Duration pause = keep();
  backoff_.reset();
  return {.length = pause, .socket = leases_->socket()};
}

/// Gives up all shards, because other workers may have them by now.
Duration LeaseKeeper::failed(const std::exception& error) {
  if (!lost_database_) observe(Observable::database_unavailable, {{"error", std::string_view(error.what())}});
  lost_database_ = true;
  set_gauge(Gauge::database_up, 0);
  leases_.reset();
  has_entered_ = false;
  publish({});
  surplus_.clear();
  return backoff_.next();
}

void LeaseKeeper::stop_accepting() {
  loop_.stop();
  if (!std::exchange(has_entered_, false)) return;
  try {
    leases_->leave();
  } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch): the end of the session frees the leases
  }
}

void LeaseKeeper::stop(Moment /*until*/) {
  stop_accepting();
  if (!std::exchange(may_have_runs_, false)) return;
  try {
    auto session = options_.sessions.open("waybill stop");
    storage::RunStore(session, options_.worker).release();
  } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch): their leases expire
  }
}

/// Renews the leases if due and returns the time until the next check.
Duration LeaseKeeper::keep() {
  const bool entered = enter();
  if (entered && is_renewal_due()) renew();
  lost_database_ = false;
  set_gauge(Gauge::database_up, 1);
  if (!entered) return entry_check_interval;
  const Moment now = steady_clock::now();
  release_idle_surplus(now);
  return surplus_.empty() ? renewals_.until_next(now) : surplus_check_interval;
}

bool LeaseKeeper::is_renewal_due() {
  const bool notified = leases_->notified();
  return notified || renewals_.is_due(steady_clock::now());
}

/// Connects and registers the worker. Returns false while it cannot match events.
bool LeaseKeeper::enter() {
  if (has_entered_) return true;
  if (!leases_) leases_ = open_(options_.lease);
  leases_->notified();  // throws if the session has ended
  if (!holder_.can_match()) return false;
  if (!leases_->enter())
    throw storage::DatabaseUnavailable("the server has not ended the previous session yet");
  has_entered_ = true;
  renewals_.entered(steady_clock::now());
  return true;
}

void LeaseKeeper::renew() {
  const Duration lag = database_clock().now() - holder_.matched_until();
  set_gauge(Gauge::match_lag_seconds, std::max(std::chrono::duration<double>(lag).count(), 0.0));
  const Moment asked = steady_clock::now();
  storage::HeldShards held = leases_->renew(lag);
  const Moment now = steady_clock::now();
  const bool had_expired = now >= std::exchange(lasts_until_, asked + options_.lease);
  // If this worker or the database was stalled, the silence of other workers proves nothing.
  const bool was_awake = renewals_.renewed(now);
  const bool others_are_back = renewals_.others_are_back(now);
  if (others_are_back)
    leases_->free_lost(was_awake ? std::optional(options_.runs_kept_after_lease) : std::nullopt);
  const std::size_t share = leases_->fair_share();
  if (held.size() < share) held.merge(leases_->take(share - held.size(), others_are_back));
  const auto lost = std::ranges::count_if(held_, [&](const auto& lease) {
    const auto kept = held.find(lease.first);
    return kept == held.end() || kept->second != lease.second;
  });
  if (lost > 0) observe(Observable::lease_lost, {{"shards", lost}});
  surplus_.choose(held, share, steady_clock::now());
  publish(std::move(held));
  if (had_expired) holder_.leases_expired();
  holder_.leases_last(lasts_until_);
}

void LeaseKeeper::release_idle_surplus(Moment now) {
  if (surplus_.empty()) return;
  std::vector<std::int16_t> idle, busy;
  for (const std::int16_t shard : surplus_.shards()) (holder_.is_busy(shard) ? busy : idle).push_back(shard);
  if (!busy.empty() && surplus_.lasts(now, options_.hand_over_after)) holder_.hand_over(busy);
  if (idle.empty()) return;
  leases_->release(idle);
  surplus_.released(idle);
}

void LeaseKeeper::publish(storage::HeldShards held) {
  if (held == held_) return;
  if (held.size() > held_.size()) observe(Observable::lease_taken, {{"shards", held.size()}});
  held_ = std::move(held);
  set_gauge(Gauge::shards_owned, static_cast<double>(held_.size()));
  holder_.hold(held_);
}

}  // namespace waybill::worker
