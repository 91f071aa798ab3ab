#include "worker/lease_keeper.hpp"

#include <algorithm>

#include "base/observe.hpp"

namespace waybill::worker {

LeaseKeeper::LeaseKeeper(Options options, Changed changed, Busy busy, MatchedUntil matched_until)
    : options_(std::move(options)),
      changed_(std::move(changed)),
      busy_(std::move(busy)),
      matched_until_(std::move(matched_until)),
      thread_([this] { run(); }) {}

LeaseKeeper::~LeaseKeeper() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_all();
  thread_.join();
}

void LeaseKeeper::wake() {
  {
    const std::lock_guard lock(mutex_);
    woken_ = true;
  }
  wake_.notify_all();
}

void LeaseKeeper::run() {
  for (;;) {
    Duration pause = options_.beat;
    try {
      beat();
      lost_database_ = false;
      set_gauge(Gauge::database_up, 1);
    } catch (const std::exception& error) {
      if (!lost_database_)
        observe(Observable::database_unavailable, {{"error", std::string_view(error.what())}});
      lost_database_ = true;
      set_gauge(Gauge::database_up, 0);
      session_.reset();
      publish({});
      leaving_.clear();
      pause = std::chrono::milliseconds(100);
    }
    std::unique_lock lock(mutex_);
    wake_.wait_for(lock, pause, [&] { return stopping_ || woken_; });
    woken_ = false;
    if (stopping_) break;
  }
  if (!session_) return;
  try {
    storage::Leases(*session_, options_.worker, options_.name, options_.lease).leave();
  } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch): the session's end frees them, too
  }
}

void LeaseKeeper::beat() {
  const bool entering = !session_;
  if (entering) session_ = std::make_unique<storage::Session>(options_.database_url, "waybill leases");
  storage::Leases leases(*session_, options_.worker, options_.name, options_.lease);
  if (entering && !leases.enter())
    throw storage::DatabaseUnavailable("the server has not ended the last session yet");

  const Duration lag = system_clock().now() - matched_until_();
  set_gauge(Gauge::match_lag_seconds, std::max(std::chrono::duration<double>(lag).count(), 0.0));
  storage::HeldShards held = leases.renew(lag);
  const std::size_t share = leases.fair_share();
  if (held.size() < share) held.merge(leases.take(held.size()));
  const auto lost = std::ranges::count_if(held_, [&](const auto& mine) {
    const auto now = held.find(mine.first);
    return now == held.end() || now->second != mine.second;
  });
  if (lost > 0) observe(Observable::lease_lost, {{"shards", lost}});
  std::erase_if(leaving_, [&](std::int16_t shard) { return !held.contains(shard); });
  while (held.size() - leaving_.size() > share) {
    for (auto entry = held.rbegin(); entry != held.rend(); ++entry) {
      if (leaving_.insert(entry->first).second) break;
    }
  }
  for (const std::int16_t shard : leaving_) held.erase(shard);
  publish(std::move(held));
  give_back_surplus(leases, share);
}

void LeaseKeeper::give_back_surplus(storage::Leases& leases, std::size_t share) {
  if (leaving_.empty()) return;
  if (held_.size() < share) leaving_.clear();  // somebody has gone: keep them
  std::vector<std::int16_t> idle;
  for (const std::int16_t shard : leaving_) {
    if (!busy_(shard)) idle.push_back(shard);
  }
  if (idle.empty()) return;
  leases.release(idle);
  for (const std::int16_t shard : idle) leaving_.erase(shard);
}

void LeaseKeeper::publish(storage::HeldShards held) {
  if (held == held_) return;
  if (held.size() > held_.size()) observe(Observable::lease_taken, {{"shards", held.size()}});
  held_ = std::move(held);
  set_gauge(Gauge::shards_owned, static_cast<double>(held_.size()));
  changed_(held_);
}

}  // namespace waybill::worker
