#pragma once

#include "base/clock.hpp"

namespace waybill {

/// The pauses between attempts at something that fails: each twice as long as the last up to a limit, and
/// drawn at random from the upper half of that, so that processes which failed together do not try together.
/// One thread.
class Backoff {
 public:
  Backoff(Duration first, Duration longest) : first_(first), longest_(longest), next_(first) {}

  /// The pause before the next attempt.
  Duration next();
  /// An attempt succeeded.
  void reset() { next_ = first_; }

 private:
  Duration first_;
  Duration longest_;
  Duration next_;
};

/// A random duration of at least the half of `longest`, and at most `longest`.
Duration spread(Duration longest);

}  // namespace waybill
