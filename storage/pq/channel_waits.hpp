#pragma once

#include <cstdint>
#include <utility>

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>

#include "storage/pq/steady_time.hpp"

namespace waybill::storage::pq {

namespace asio = boost::asio;

/// The waits of a channel for the socket of its connection, for a time and for the next turn of the
/// io_context. `end` ends those of the current connection: none of their handlers is called afterwards, not
/// even one that is already queued. A handler is called from the io_context, without arguments, and must keep
/// this object alive. The socket belongs to libpq and is never closed here. One thread.
class ChannelWaits {
 public:
  using Direction = asio::posix::stream_descriptor::wait_type;

  explicit ChannelWaits(asio::io_context& io) : io_(io), socket_(io), timer_(io) {}

  /// The number of the current connection.
  std::uint64_t epoch() const { return epoch_; }

  template <typename Handler>
  void for_turn(Handler handler) {
    asio::post(io_, [this, epoch = epoch_, handler = std::move(handler)] {
      if (epoch == epoch_) handler();
    });
  }

  /// Waits for the socket `descriptor`, which stays the same until `release_socket`. Fails if it cannot be
  /// watched; the handler is then not called.
  template <typename Handler>
  boost::system::error_code for_socket(int descriptor, Direction direction, Handler handler) {
    boost::system::error_code failure;
    if (!socket_.is_open()) socket_.assign(descriptor, failure);
    if (failure) return failure;
    socket_.async_wait(direction, [this, epoch = epoch_,
                                   handler = std::move(handler)](const boost::system::error_code& error) {
      if (!error && epoch == epoch_) handler();
    });
    return failure;
  }
  void release_socket() {
    if (socket_.is_open()) socket_.release();
  }

  /// Replaces the last wait for a time.
  template <typename Handler>
  void until(SteadyTime time, Handler handler) {
    awaits_time_ = true;
    timer_.expires_at(time);
    timer_.async_wait(
        [this, epoch = epoch_, handler = std::move(handler)](const boost::system::error_code& error) {
          if (error || epoch != epoch_) return;
          awaits_time_ = false;
          handler();
        });
  }
  bool awaits_time() const { return awaits_time_; }
  void stop_timer() {
    timer_.cancel();
    awaits_time_ = false;
  }

  /// Ends the waits of the current connection. Call `release_socket` before the socket is closed.
  void end() {
    ++epoch_;
    stop_timer();
  }

 private:
  asio::io_context& io_;
  asio::posix::stream_descriptor socket_;
  asio::steady_timer timer_;
  std::uint64_t epoch_ = 0;  // completions of waits of an earlier one are ignored
  bool awaits_time_ = false;
};

}  // namespace waybill::storage::pq
