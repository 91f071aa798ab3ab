#include "base/backoff.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <utility>

#include "base/crypto.hpp"

namespace waybill {

Duration Backoff::next() { return spread(std::exchange(next_, std::min(2 * next_, longest_))); }

Duration spread(Duration longest) {
  std::array<std::uint8_t, sizeof(std::uint64_t)> bytes{};
  fill_random(bytes);
  std::uint64_t number = 0;
  std::memcpy(&number, bytes.data(), sizeof number);
  const Duration::rep least = longest.count() / 2;
  const auto choices = static_cast<std::uint64_t>(longest.count() - least) + 1;
  return Duration(least + static_cast<Duration::rep>(number % choices));
}

}  // namespace waybill
