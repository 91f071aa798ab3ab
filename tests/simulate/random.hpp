#pragma once

#include <cstdint>

#include "base/clock.hpp"

namespace waybill::simulate {

/// Numbers that follow from a seed: SplitMix64 (Steele, Lea and Flood, OOPSLA 2014).
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    std::uint64_t mixed = state_ += 0x9e3779b97f4a7c15U;
    mixed = (mixed ^ (mixed >> 30U)) * 0xbf58476d1ce4e5b9U;
    mixed = (mixed ^ (mixed >> 27U)) * 0x94d049bb133111ebU;
    return mixed ^ (mixed >> 31U);
  }
  /// A number below `count`, which is not 0.
  std::size_t below(std::size_t count) { return next() % count; }
  bool chance(unsigned percent) { return below(100) < percent; }
  Duration between(Duration least, Duration most) {
    return least +
           Duration(static_cast<Duration::rep>(below(static_cast<std::size_t>((most - least).count()) + 1)));
  }

 private:
  std::uint64_t state_;
};

}  // namespace waybill::simulate
