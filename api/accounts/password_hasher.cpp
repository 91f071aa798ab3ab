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

bool PasswordHasher::has_room(const Queue& queue, const std::string& network) {
  return queue.size_of(network) < most_waiting_of_network &&
         !ShareLimit{.most = most_waiting, .least = 0}.refuses(queue, network);
}

asio::awaitable<PasswordHasher::Turn> PasswordHasher::turn(Purpose purpose, std::string network) {
  const auto ticket = std::make_shared<asio::steady_timer>(co_await asio::this_coro::executor,
                                                           asio::steady_timer::time_point::max());
  bool waits = false;
  {
    const Lock lock(mutex_);
    waits = turns_ >= thread_count_;
    if (waits) {
      Queue& queue = queues_[static_cast<std::size_t>(purpose)];
      if (!has_room(queue, network)) {
        throw Failure(ErrorCode::unavailable,
                      "Too many logins and registrations are in progress; try again.");
      }
      queue.push(network, ticket);
    } else {
      ++turns_;
    }
  }
  boost::system::error_code ignored;
  if (waits) co_await ticket->async_wait(asio::redirect_error(asio::use_awaitable, ignored));
  co_return Turn(*this);
}

/// Passes the turn to the next ticket.
void PasswordHasher::end_turn() {
  const Lock lock(mutex_);
  Queue* queue = &queues_[next_queue_];
  next_queue_ = 1 - next_queue_;
  if (queue->empty()) queue = &queues_[next_queue_];
  if (queue->empty()) {
    --turns_;
    return;
  }
  auto ticket = queue->pop();
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
