#pragma once

namespace waybill::net {

/// Decides if a request is sent again. A server may close a kept connection at the moment at which a request
/// is sent on it. The request is then sent once more, on a new connection; libcurl alone would try one kept
/// connection after another. Pure. One thread.
class Resending {
 public:
  /// True once sending has begun on any connection.
  bool has_sent() const { return times_sent_ > 0; }

  /// Is called when a connection is ready for the request. Returns false if the request must not be sent on
  /// it, because it would be the second kept one.
  bool may_send(bool is_kept_connection) {
    is_held_back_ = has_sent() && is_kept_connection;
    if (!is_held_back_) ++times_sent_;
    return !is_held_back_;
  }

  /// Is called when a transfer without an answer has ended. Returns true if the request must be sent again,
  /// on a new connection.
  bool must_resend(bool kept_connection_broke) {
    if (times_sent_ > 1 || (!is_held_back_ && !kept_connection_broke)) return false;
    is_held_back_ = false;
    return true;
  }

 private:
  int times_sent_ = 0;         // number of times that sending began
  bool is_held_back_ = false;  // not sent on a second kept connection
};

}  // namespace waybill::net
