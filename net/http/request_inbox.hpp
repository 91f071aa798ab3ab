#pragma once

#include <utility>
#include <vector>

#include "base/thread/mutex.hpp"
#include "net/http/http_client.hpp"

namespace waybill::net {

/// The requests that any thread hands to the thread of a client, and the state that decides if that thread
/// must be woken.
class RequestInbox {
 public:
  using Incoming = std::pair<HttpRequest, HttpClient::Done>;

  /// Returns true if the client's thread sleeps: the caller must then wake it. One wake-up serves all
  /// requests that arrive while it sleeps. Any thread.
  bool add(HttpRequest&& request, HttpClient::Done&& done);

  /// Makes the next `take` return false, so that the client's thread ends. The caller must wake it. Any
  /// thread.
  void stop();

  /// Moves all requests to `taken`, which must be empty. Returns false after `stop`. On the client's thread.
  bool take(std::vector<Incoming>& taken);

  /// Marks the client's thread as asleep until the next `take`. Returns false if the thread must not sleep,
  /// because requests wait or `stop` was called. On the client's thread.
  bool fall_asleep();

 private:
  Mutex mutex_;
  std::vector<Incoming> requests_ GUARDED_BY(mutex_);
  bool is_asleep_ GUARDED_BY(mutex_) = false;
  bool is_stopping_ GUARDED_BY(mutex_) = false;
};

}  // namespace waybill::net
