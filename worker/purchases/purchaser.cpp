#include "worker/purchases/purchaser.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <span>
#include <utility>
#include <vector>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>

#include "base/observe.hpp"
#include "storage/events/leases.hpp"
#include "worker/purchases/purchaser_impl.hpp"

namespace waybill::worker {
namespace {

using namespace std::chrono_literals;
using std::chrono::steady_clock;
using storage::PurchaseKey;

constexpr Duration look_every = 1s;        // without a notification
constexpr Duration shortest_look = 250ms;  // while due purchases wait for others of their business
constexpr Duration renew_every = 45s;      // four times in a lease
constexpr Duration renew_again = 5s;       // after a failure
constexpr std::size_t most_running = 500;
constexpr std::size_t usual_of_business = 4;  // running purchases, to estimate how many businesses have room
constexpr auto time_to_store = 1s;            // at a stop, the answers of aborted calls
// A locked row delays the other purchases of this thread by this much at each try.
constexpr storage::SessionLimits session_limits{.lock = 100ms, .idle_in_transaction = 2s};

constexpr auto all_shards = [] {
  std::array<std::int16_t, storage::shard_count> shards{};
  for (std::size_t i = 0; i < shards.size(); ++i) shards[i] = static_cast<std::int16_t>(i);
  return shards;
}();

}  // namespace

Purchaser::Impl::Impl(Options options, const SecretBox& secrets)
    : options_(std::move(options)),
      secrets_(secrets),
      connectors_(connectors::gateway_names()),
      gateways_(options_.gateways),
      session_(options_.database_url, "waybill purchases",
               {"listen waybill_purchases", "listen waybill_pulls", "set statement_timeout = '30s'"},
               session_limits) {}

void Purchaser::Impl::start() {
  asio::co_spawn(io_, look_for_purchases(), asio::detached);
  asio::co_spawn(io_, renew_leases(), asio::detached);
  thread_.start([this](const std::stop_token&) { io_.run(); });
}

void Purchaser::Impl::stop_accepting() {
  if (!thread_.is_started() || std::exchange(is_stop_requested_, true)) return;
  asio::post(io_, [this] {
    is_stopping_ = true;
    look_timer_.cancel();
    end_if_idle();
  });
}

void Purchaser::Impl::drain(Moment until) {
  if (is_stop_requested_ && thread_.is_started()) idle_.wait_until(until);
}

void Purchaser::Impl::stop(Moment until) {
  stop_accepting();
  if (!thread_.is_started()) return;
  std::promise<void> closed;
  asio::post(io_, [this, until, &closed] {
    gateways_.close();
    gives_up_at_ = std::max(until, steady_clock::now() + time_to_store);
    closed.set_value();
  });
  closed.get_future().wait();
  gateways_.stop(until);  // no call begins after `close`
  work_guard_.reset();
  thread_.join();
  session_.close();
}

/// Claims due purchases until the worker stops.
asio::awaitable<void> Purchaser::Impl::look_for_purchases() {
  while (!is_stopping_) {
    Duration pause = look_every;
    try {
      pause = look();
      session_.worked();
    } catch (const std::exception& error) {
      pause = failed(error);
    }
    watch_socket();
    co_await wait(look_timer_, pause);
  }
  socket_.close();
}

/// Claims what is due, each business in its turn. Returns the time until the next look.
Duration Purchaser::Impl::look() {
  open_session();
  is_notified();  // which has ended the wait
  std::vector<Guid> had_turn;
  while (running_.size() < most_running) {
    auto businesses = storage::due_purchase_businesses(*session_, all_shards, had_turn);
    if (businesses.empty()) break;
    // No business is always the first one when there is little room.
    std::ranges::shuffle(businesses, random_);
    const std::size_t room = (most_running - running_.size()) / usual_of_business + 1;
    if (businesses.size() > room) businesses.resize(room);
    const auto asked_at = steady_clock::now();
    for (auto& claimed : storage::claim_purchases(*session_, options_.worker, businesses, connectors_))
      begin(std::move(claimed), asked_at + storage::purchase_lease);
    had_turn.insert(had_turn.end(), businesses.begin(), businesses.end());
  }
  const auto next = storage::next_due_purchase(*session_, all_shards, look_every);
  if (is_notified()) return Duration::zero();  // of purchases that were not seen
  return std::clamp(next.value_or(look_every), shortest_look, look_every);
}

/// A purchase whose lease ended during its run, and was claimed here again, continues where it is.
void Purchaser::Impl::begin(storage::ClaimedPurchase claimed, steady_clock::time_point leased_until) {
  const PurchaseKey key = claimed.purchase.key;
  const auto [running, is_new] = running_.try_emplace(key.guid, Running{key, leased_until});
  running->second.leased_until = leased_until;
  if (is_new) asio::co_spawn(io_, perform(std::move(claimed.purchase)), asio::detached);
}

asio::awaitable<void> Purchaser::Impl::perform(storage::StoredPurchase purchase) {
  const PurchaseKey key = purchase.key;
  bool is_defect = false;
  try {
    PurchaseRun run(*this, std::move(purchase));
    co_await run.perform();
  } catch (const GivenUp&) {  // NOLINT(bugprone-empty-catch): another worker continues
  } catch (const std::exception& error) {
    is_defect = true;
    observe(Observable::purchase_failed,
            {{"purchase", key.guid.to_string()}, {"error", std::string_view(error.what())}});
  }
  // After a defect the lease stays until its end, so that it is not repeated at once.
  if (!is_defect) release(key);
  running_.erase(key.guid);
  look_timer_.cancel();
  end_if_idle();
}

void Purchaser::Impl::release(const PurchaseKey& key) {
  if (steady_clock::now() >= running_.at(key.guid).leased_until) return;
  try {
    open_session();
    storage::release_purchases(*session_, options_.worker, std::span(&key, 1));
  } catch (const std::exception& error) {
    failed(error);  // the lease ends by itself
  }
}

/// Renews the leases of running purchases, until the last one has ended at a stop.
asio::awaitable<void> Purchaser::Impl::renew_leases() {
  Duration pause = renew_every;
  while (!is_idle()) {
    co_await wait(renewal_timer_, pause);
    pause = renew_every;
    try {
      renew();
    } catch (const std::exception& error) {
      failed(error);
      pause = renew_again;
    }
  }
}

void Purchaser::Impl::renew() {
  std::vector<PurchaseKey> keys;
  keys.reserve(running_.size());
  for (const auto& [guid, running] : running_) keys.push_back(running.key);
  if (keys.empty()) return;
  open_session();
  const auto asked_at = steady_clock::now();
  const std::vector<Guid> held = storage::renew_purchases(*session_, options_.worker, keys);
  heed_notifications();
  for (const PurchaseKey& key : keys) {
    const bool is_held = std::ranges::find(held, key.guid) != held.end();
    running_.at(key.guid).leased_until =
        is_held ? asked_at + storage::purchase_lease : steady_clock::time_point();
  }
}

bool Purchaser::Impl::is_idle() const { return is_stopping_ && running_.empty(); }

void Purchaser::Impl::end_if_idle() {
  if (!is_idle() || std::exchange(was_idle_, true)) return;
  renewal_timer_.cancel();
  became_idle_.set_value();
}

Purchaser::Purchaser(Options options, const SecretBox& secrets)
    : impl_(std::make_unique<Impl>(std::move(options), secrets)) {}

Purchaser::~Purchaser() { stop_at_once(); }

void Purchaser::start() { impl_->start(); }

void Purchaser::stop_accepting() { impl_->stop_accepting(); }

void Purchaser::drain(Moment until) { impl_->drain(until); }

void Purchaser::stop(Moment until) { impl_->stop(until); }

}  // namespace waybill::worker
