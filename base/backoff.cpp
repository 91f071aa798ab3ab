#include "base/backoff.hpp"

#include <algorithm>
#include <random>
#include <utility>

namespace waybill {

Duration Backoff::next() { return spread(std::exchange(next_, std::min(2 * next_, longest_))); }

Duration spread(Duration longest) {
  thread_local std::minstd_rand random(std::random_device{}());
  return Duration(std::uniform_int_distribution<Duration::rep>(longest.count() / 2, longest.count())(random));
}

}  // namespace waybill
