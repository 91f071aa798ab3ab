#pragma once

#include <chrono>
#include <cstddef>
#include <exception>
#include <list>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <boost/asio/async_result.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "base/clock.hpp"
#include "base/guid.hpp"
#include "base/observe.hpp"
#include "storage/errors.hpp"

namespace waybill::storage::pq {

namespace asio = boost::asio;

/// The connections of a pool and the callers who wait for one, in the order in which they came. Nobody waits
/// longer than `wait_limit`, and who holds `share` of them already is passed over until one comes back. The
/// connections are not the line's. One thread; `shut_down` before the io_context ends.
template <typename Connection>
class Line : public std::enable_shared_from_this<Line<Connection>> {
 public:
  struct Options {
    Duration wait_limit{};
    std::size_t share = 0;
    std::string what;  // of what is waited for, in errors
  };

  Line(asio::io_context& io, Options options) : io_(io), options_(std::move(options)), timer_(io) {}

  /// Throws DatabaseUnavailable after the limit, or when shutting down.
  asio::awaitable<Connection*> take(Guid holder) {
    if (!free_.empty() && has_share_left(holder)) {
      ++held_[holder];
      Connection* const connection = free_.back();
      free_.pop_back();
      co_return connection;
    }
    const Wait wait;
    co_return co_await wait_in_line(holder);
  }

  /// One that `holder` took.
  void give(Connection& connection, Guid holder) {
    if (const auto held = held_.find(holder); --held->second == 0) held_.erase(held);
    add(connection);
  }

  /// A new one.
  void add(Connection& connection) {
    if (shut_down_) return;
    free_.push_back(&connection);
    serve();
  }

  /// Whoever waits gets DatabaseUnavailable.
  void shut_down() {
    shut_down_ = true;
    timer_.cancel();
    const auto error = std::make_exception_ptr(DatabaseUnavailable("shutting down"));
    for (Waiter& waiter : std::exchange(waiters_, {})) answer(waiter, error, nullptr);
  }

 private:
  using SteadyTime = std::chrono::steady_clock::time_point;
  using Handler =
      asio::async_result<asio::use_awaitable_t<>, void(std::exception_ptr, Connection*)>::handler_type;
  struct Waiter {
    Handler handler;
    Guid holder;
    SteadyTime deadline;
  };

  /// A caller's wait, as the metrics tell of it.
  class Wait {
   public:
    Wait() { add_to_gauge(Gauge::database_waits, 1); }
    ~Wait() {
      add_to_gauge(Gauge::database_waits, -1);
      const std::chrono::duration<double> waited = std::chrono::steady_clock::now() - since_;
      record(Histogram::database_wait_seconds, waited.count());
    }
    Wait(const Wait&) = delete;
    Wait& operator=(const Wait&) = delete;

   private:
    SteadyTime since_ = std::chrono::steady_clock::now();
  };

  bool has_share_left(Guid holder) const {
    const auto held = held_.find(holder);
    return held == held_.end() || held->second < options_.share;
  }

  asio::awaitable<Connection*> wait_in_line(Guid holder) {
    return asio::async_initiate<const asio::use_awaitable_t<>, void(std::exception_ptr, Connection*)>(
        [this, holder](Handler handler) {
          waiters_.push_back(
              {std::move(handler), holder, std::chrono::steady_clock::now() + options_.wait_limit});
          if (waiters_.size() == 1) watch();
        },
        asio::use_awaitable);
  }

  /// The connection used last is given first: it is warm.
  void serve() {
    for (auto waiter = waiters_.begin(); waiter != waiters_.end() && !free_.empty();) {
      if (!has_share_left(waiter->holder)) {
        ++waiter;
        continue;
      }
      ++held_[waiter->holder];
      answer(*waiter, nullptr, std::exchange(free_.back(), nullptr));
      free_.pop_back();
      waiter = waiters_.erase(waiter);
    }
  }

  // Posted: a connection is given back from inside destructors.
  void answer(Waiter& waiter, const std::exception_ptr& error, Connection* connection) {
    asio::post(io_, [handler = std::move(waiter.handler), error, connection]() mutable {
      handler(error, connection);
    });
  }

  // One timer serves all: the deadlines are in order.
  void watch() {
    timer_.expires_at(waiters_.front().deadline);
    timer_.async_wait([weak = this->weak_from_this()](const boost::system::error_code& error) {
      const auto self = weak.lock();
      if (error || !self || self->shut_down_) return;
      const auto now = std::chrono::steady_clock::now();
      const auto late =
          std::make_exception_ptr(DatabaseUnavailable("no " + self->options_.what + " became free in time"));
      while (!self->waiters_.empty() && self->waiters_.front().deadline <= now) {
        self->answer(self->waiters_.front(), late, nullptr);
        self->waiters_.pop_front();
      }
      if (!self->waiters_.empty()) self->watch();
    });
  }

  asio::io_context& io_;
  const Options options_;
  std::vector<Connection*> free_;
  std::list<Waiter> waiters_;
  std::unordered_map<Guid, std::size_t> held_;
  asio::steady_timer timer_;
  bool shut_down_ = false;
};

}  // namespace waybill::storage::pq
