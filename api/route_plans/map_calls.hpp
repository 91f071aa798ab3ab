#pragma once

#include <chrono>
#include <vector>

#include "api/threads/shared_places.hpp"
#include "base/guid.hpp"
#include "base/thread/mutex.hpp"
#include "net/http/http_client.hpp"

namespace waybill::api {

/// The calls to one map server: a few at a time, of which a business has all but one. Others wait, and
/// businesses take turns. Thread-safe.
class MapCalls {
 public:
  using Done = net::HttpSender::Done;
  using Moment = std::chrono::steady_clock::time_point;

  static constexpr std::size_t most_at_a_time = 8;

  /// `sender` may not call `done` within `send`, and must outlive its calls.
  explicit MapCalls(net::HttpSender& sender) : sender_(sender) {}

  /// Calls `done` once, on any thread, with the answer or a failure; it must not block or throw. The time
  /// for the call, its turn included, ends at `until`.
  void send(const Guid& business, net::HttpRequest request, Moment until, Done done);
  /// Ends the calls whose time is over before their turn. Call it at the `until` of each call.
  void expire();
  /// Ends all waiting calls as cancelled, and all later ones at once.
  void close();

 private:
  struct Call {
    Guid business;
    net::HttpRequest request;
    Moment until;
    Done done;
  };
  using Places = SharedPlaces<Call>;

  void serve() REQUIRES(mutex_);
  void begin(Call call) REQUIRES(mutex_);
  void end(const Guid& business);

  net::HttpSender& sender_;
  Mutex mutex_;
  // A server cannot answer more calls of one business within their time.
  Places places_ GUARDED_BY(mutex_){
      {.places = most_at_a_time, .most = std::size_t{16} * 1024, .most_of_one = std::size_t{4} * 1024}};
  bool is_closed_ GUARDED_BY(mutex_) = false;
};

}  // namespace waybill::api
