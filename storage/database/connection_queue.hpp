#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <deque>
#include <exception>
#include <memory>
#include <optional>
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
#include "base/error.hpp"
#include "base/guid.hpp"
#include "base/observe.hpp"
#include "storage/statement/errors.hpp"

namespace waybill::storage::pq {

namespace asio = boost::asio;

/// The connections of a pool and the callers that wait for one. A holder is a business; the nil guid is the
/// service's own short work. A business that has `share` connections waits until it gives one back, and the
/// last `reserved` free connections are only for the nil holder. A free connection goes first to the nil
/// holder, then to the business with the fewest connections, then to the longest-waiting caller. No caller
/// waits longer than `wait_limit`. The queue does not own the connections. One thread; call `shut_down`
/// before the io_context ends.
template <typename Connection>
class ConnectionQueue : public std::enable_shared_from_this<ConnectionQueue<Connection>> {
 public:
  struct Options {
    Duration wait_limit{};
    std::size_t share = 0;
    std::size_t reserved = 0;
    std::string description;  // name of the connections, for errors
  };

  ConnectionQueue(asio::io_context& io, Options options)
      : io_(io), options_(std::move(options)), timer_(io) {}

  /// Waits for a connection. After the limit it throws Failure (UNAVAILABLE, with a retry time) for a
  /// business that has its share, otherwise DatabaseUnavailable; also DatabaseUnavailable on shutdown.
  asio::awaitable<Connection*> take(Guid holder) {
    if (may_take(holder)) {
      ++holders_[holder].held;
      Connection* const connection = free_.back();
      free_.pop_back();
      co_return connection;
    }
    const Wait wait;
    co_return co_await wait_in_queue(holder);
  }

  /// Gives back a connection that `holder` took.
  void give_back(Connection& connection, Guid holder) {
    const auto entry = holders_.find(holder);
    --entry->second.held;
    forget_if_idle(entry);
    add(connection);
  }

  /// True if a caller waits.
  bool has_waiting() const {
    return std::ranges::any_of(holders_, [](const auto& entry) { return !entry.second.waiting.empty(); });
  }

  /// Adds a connection to the pool.
  void add(Connection& connection) {
    if (shut_down_) return;
    free_.push_back(&connection);
    serve();
  }

  /// All waiting callers get DatabaseUnavailable.
  void shut_down() {
    shut_down_ = true;
    timer_.cancel();
    const auto error = std::make_exception_ptr(DatabaseUnavailable("shutting down"));
    for (auto& [guid, holder] : holders_) {
      for (Waiter& waiter : std::exchange(holder.waiting, {})) complete(waiter, error, nullptr);
    }
  }

 private:
  using SteadyTime = std::chrono::steady_clock::time_point;
  using Handler =
      asio::async_result<asio::use_awaitable_t<>, void(std::exception_ptr, Connection*)>::handler_type;
  struct Waiter {
    Handler handler;
    SteadyTime deadline;
  };
  struct Holder {
    std::size_t held = 0;
    std::deque<Waiter> waiting;  // in order of arrival
  };
  using Holders = std::unordered_map<Guid, Holder>;

  /// Measures a caller's wait for the metrics.
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

  bool may_take(const Guid& holder) const {
    if (holder.is_nil()) return !free_.empty();
    if (free_.size() <= options_.reserved) return false;
    const auto entry = holders_.find(holder);
    return entry == holders_.end() || entry->second.held < options_.share;
  }

  void forget_if_idle(typename Holders::iterator entry) {
    if (entry->second.held == 0 && entry->second.waiting.empty()) holders_.erase(entry);
  }

  asio::awaitable<Connection*> wait_in_queue(Guid holder) {
    return asio::async_initiate<const asio::use_awaitable_t<>, void(std::exception_ptr, Connection*)>(
        [this, holder](Handler handler) {
          const bool is_watched = first_deadline().has_value();
          holders_[holder].waiting.push_back(
              {std::move(handler), std::chrono::steady_clock::now() + options_.wait_limit});
          if (!is_watched) watch();
        },
        asio::use_awaitable);
  }

  /// Returns the holder whose caller gets the next connection; end if there is none.
  typename Holders::iterator next_holder() {
    auto next = holders_.end();
    for (auto entry = holders_.begin(); entry != holders_.end(); ++entry) {
      if (entry->second.waiting.empty() || !may_take(entry->first)) continue;
      if (entry->first.is_nil()) return entry;
      const auto rank = [](const Holder& holder) {
        return std::pair(holder.held, holder.waiting.front().deadline);
      };
      if (next == holders_.end() || rank(entry->second) < rank(next->second)) next = entry;
    }
    return next;
  }

  /// Assigns free connections, the most recently used one first.
  void serve() {
    while (!free_.empty()) {
      const auto next = next_holder();
      if (next == holders_.end()) return;
      ++next->second.held;
      complete(next->second.waiting.front(), nullptr, std::exchange(free_.back(), nullptr));
      next->second.waiting.pop_front();
      free_.pop_back();
    }
  }

  // The handler is posted and not called here, because destructors give connections back.
  void complete(Waiter& waiter, const std::exception_ptr& error, Connection* connection) {
    asio::post(io_, [handler = std::move(waiter.handler), error, connection]() mutable {
      handler(error, connection);
    });
  }

  std::optional<SteadyTime> first_deadline() const {
    std::optional<SteadyTime> first;
    for (const auto& [guid, holder] : holders_) {
      if (holder.waiting.empty()) continue;
      const SteadyTime deadline = holder.waiting.front().deadline;
      if (!first || deadline < *first) first = deadline;
    }
    return first;
  }

  std::exception_ptr timeout_error(const Guid& guid, const Holder& holder) const {
    if (!guid.is_nil() && holder.held >= options_.share) {
      return std::make_exception_ptr(
          Failure(ErrorCode::unavailable,
                  "Other requests of this business use all of its database connections; try again later.")
              .with_retry_after(std::chrono::ceil<std::chrono::seconds>(options_.wait_limit)));
    }
    return std::make_exception_ptr(
        DatabaseUnavailable("no " + options_.description + " became free in time"));
  }

  // One timer for all callers.
  void watch() {
    const auto first = first_deadline();
    if (!first) return;
    timer_.expires_at(*first);
    timer_.async_wait([weak = this->weak_from_this()](const boost::system::error_code& error) {
      const auto self = weak.lock();
      if (error || !self || self->shut_down_) return;
      self->refuse_overdue();
      self->watch();
    });
  }

  void refuse_overdue() {
    const auto now = std::chrono::steady_clock::now();
    for (auto entry = holders_.begin(); entry != holders_.end();) {
      const auto current = entry++;
      auto& waiting = current->second.waiting;
      while (!waiting.empty() && waiting.front().deadline <= now) {
        complete(waiting.front(), timeout_error(current->first, current->second), nullptr);
        waiting.pop_front();
      }
      forget_if_idle(current);
    }
  }

  asio::io_context& io_;
  const Options options_;
  std::vector<Connection*> free_;
  Holders holders_;  // only those that hold or wait
  asio::steady_timer timer_;
  bool shut_down_ = false;
};

}  // namespace waybill::storage::pq
