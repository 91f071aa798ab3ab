#pragma once

#include "base/clock.hpp"

namespace waybill {

/// The pauses between failing attempts: each twice as long as the last up to a limit, then drawn at random
/// from the upper half of that, so that processes which failed together do not retry together. Not
/// thread-safe.
class Backoff {
 public:
  Backoff(Duration first, Duration longest) : first_(first), longest_(longest), next_(first) {}

  /// The pause before the next attempt.
  Duration next();
  /// Starts again with the first pause, after a success.
  void reset() { next_ = first_; }

 private:
  Duration first_;
  Duration longest_;
  Duration next_;
};

/// A random duration between half of `longest` and `longest`.
Duration spread(Duration longest);

}  // namespace waybill
