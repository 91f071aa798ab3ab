#include "api/accounts/password_hasher.hpp"

#include <algorithm>
#include <thread>
#include <utility>

#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "base/error.hpp"
#include "base/password.hpp"
#include "base/share_limit.hpp"

namespace waybill::api {
namespace {

constexpr std::size_t most_threads = 2;

// The hash of 32 random bytes that were discarded.
constexpr const char* dummy_hash =
    "$argon2id$v=19$m=65536,t=2,p=1$nHUlzuWxPA7gDFZXhCNsUA$/EDG6NEfugu+6MvL4RWphfEZbnMsTQKJDUn8HM9poc0";

std::size_t thread_count() {
  return std::clamp<std::size_t>(std::thread::hardware_concurrency(), 1, most_threads);
}

}  // namespace

PasswordHasher::PasswordHasher()
    : thread_count_(thread_count()), threads_({.kind = ThreadKind::passwords, .threads = thread_count_}) {}

bool PasswordHasher::Queue::push(const std::string& network, const Ticket& ticket) {
  const auto known = tickets_.find(network);
  const std::size_t own = known == tickets_.end() ? 0 : known->second.size();
  const std::size_t networks = tickets_.size() + (own == 0 ? 1 : 0);
  if (own >= most_waiting_of_network) return false;
  if (ShareLimit{.most = most_waiting, .least = 0}.refuses(own, size_, networks)) return false;
  if (known == tickets_.end()) networks_.push_back(network);
  tickets_[network].push_back(ticket);
  ++size_;
  return true;
}

PasswordHasher::Ticket PasswordHasher::Queue::pop() {
  if (networks_.empty()) return nullptr;
  const auto network = tickets_.find(networks_.front());
  auto ticket = std::move(network->second.front());
  network->second.pop_front();
  if (network->second.empty()) {
    tickets_.erase(network);
  } else {
    networks_.push_back(std::move(networks_.front()));
  }
  networks_.pop_front();
  --size_;
  return ticket;
}

asio::awaitable<PasswordHasher::Turn> PasswordHasher::turn(Purpose purpose, std::string network) {
  const auto ticket = std::make_shared<asio::steady_timer>(co_await asio::this_coro::executor,
                                                           asio::steady_timer::time_point::max());
  bool waits = false;
  {
    const Lock lock(mutex_);
    waits = turns_ >= thread_count_;
    if (!waits) {
      ++turns_;
    } else if (!queues_[static_cast<std::size_t>(purpose)].push(network, ticket)) {
      throw Failure(ErrorCode::unavailable, "Too many logins and registrations are in progress; try again.");
    }
  }
  boost::system::error_code ignored;
  if (waits) co_await ticket->async_wait(asio::redirect_error(asio::use_awaitable, ignored));
  co_return Turn(*this);
}

/// Passes the turn to the next ticket.
void PasswordHasher::end_turn() {
  const Lock lock(mutex_);
  auto ticket = queues_[next_queue_].pop();
  next_queue_ = 1 - next_queue_;
  if (!ticket) ticket = queues_[next_queue_].pop();
  if (!ticket) {
    --turns_;
    return;
  }
  const auto executor = ticket->get_executor();
  asio::post(executor, [ticket = std::move(ticket)] { ticket->cancel(); });
}

asio::awaitable<std::string> PasswordHasher::Turn::hash(std::string password) const {
  return hasher_->threads_.run([password = std::move(password)] { return waybill::hash_password(password); });
}

asio::awaitable<bool> PasswordHasher::Turn::matches(std::string password, std::string hash) const {
  const bool exists = !hash.empty();
  if (!exists) hash = dummy_hash;
  return hasher_->threads_.run([password = std::move(password), hash = std::move(hash), exists] {
    return password_matches(password, hash) && exists;
  });
}

}  // namespace waybill::api
