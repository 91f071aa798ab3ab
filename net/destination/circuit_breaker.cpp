#include "net/destination/circuit_breaker.hpp"

#include <algorithm>
#include <vector>

#include "base/check.hpp"

namespace waybill::net {
namespace {

// The wait for a free place at a busy destination whose breaker is closed.
constexpr Duration busy_wait = std::chrono::milliseconds(50);

}  // namespace

CircuitBreaker::CircuitBreaker(Options options) : options_(options) {
  options_.max_in_flight = std::max<std::size_t>(options_.max_in_flight, 1);
  options_.open_after = std::max<std::size_t>(options_.open_after, 1);
}

bool CircuitBreaker::is_open(const Entry& entry) const { return entry.failures >= options_.open_after; }

CircuitBreaker::Entry& CircuitBreaker::entry(std::string_view destination, Time now) {
  const auto found = entries_.find(destination);
  if (found != entries_.end()) {
    found->second.last_used = now;
    return found->second;
  }
  if (entries_.size() >= options_.max_destinations) forget_unused();
  Entry& fresh = entries_[std::string(destination)];
  fresh.limit = options_.max_in_flight;
  fresh.last_used = now;
  return fresh;
}

void CircuitBreaker::forget_unused() {
  // Removes a tenth at a time, so that many insertions share the cost of a scan; healthy entries first.
  std::vector<decltype(entries_)::iterator> idle;
  for (auto it = entries_.begin(); it != entries_.end(); ++it) {
    if (it->second.in_flight == 0) idle.push_back(it);
  }
  const std::size_t count = std::min(idle.size(), options_.max_destinations / 10 + 1);
  std::ranges::partial_sort(idle, idle.begin() + static_cast<std::ptrdiff_t>(count), {}, [](const auto& it) {
    return std::pair(it->second.failures > 0, it->second.last_used);
  });
  idle.resize(count);
  for (const auto& it : idle) entries_.erase(it);
}

bool CircuitBreaker::try_start(std::string_view destination, Time now, std::size_t most) {
  Entry& e = entry(destination, now);
  const bool free =
      is_open(e) ? e.in_flight == 0 && now >= e.open_until : e.in_flight < std::min(e.limit, most);
  if (free) ++e.in_flight;
  return free;
}

void CircuitBreaker::give_back(Entry& entry) {
  if (check(entry.in_flight > 0, "a destination gets back no more places than were taken")) --entry.in_flight;
}

void CircuitBreaker::succeeded(std::string_view destination, Time now) {
  Entry& e = entry(destination, now);
  give_back(e);
  e.failures = 0;
  e.pause = {};
  e.limit = std::min(e.limit * 2, options_.max_in_flight);
}

void CircuitBreaker::failed(std::string_view destination, Time now) {
  Entry& e = entry(destination, now);
  give_back(e);
  // Failures of requests that were in flight when the breaker opened do not count.
  if (is_open(e) && now < e.open_until) return;
  ++e.failures;
  e.limit = std::max<std::size_t>(e.limit / 2, 1);
  if (!is_open(e)) return;
  e.pause = e.pause == Duration{} ? options_.first_pause : std::min(e.pause * 2, options_.max_pause);
  e.open_until = now + e.pause;
}

void CircuitBreaker::released(std::string_view destination, Time now) {
  Entry& e = entry(destination, now);
  give_back(e);
}

CircuitBreaker::State CircuitBreaker::state(std::string_view destination) const {
  const auto found = entries_.find(destination);
  return found != entries_.end() && is_open(found->second) ? State::open : State::closed;
}

CircuitBreaker::Health CircuitBreaker::health(std::string_view destination) const {
  const auto found = entries_.find(destination);
  if (found == entries_.end()) return {.places = options_.max_in_flight};
  const Entry& e = found->second;
  if (!is_open(e)) return {.places = e.limit};
  return {.state = State::open, .places = 1, .next_probe = e.open_until};
}

bool CircuitBreaker::is_probing(std::string_view destination, Time now) const {
  const auto found = entries_.find(destination);
  return found != entries_.end() && is_open(found->second) && now >= found->second.open_until &&
         found->second.in_flight > 0;
}

Time CircuitBreaker::retry_at(std::string_view destination, Time now) const {
  const auto found = entries_.find(destination);
  if (found == entries_.end()) return now;
  const Entry& e = found->second;
  if (!is_open(e)) return e.in_flight < e.limit ? now : now + busy_wait;
  if (now < e.open_until) return e.open_until;
  return e.in_flight == 0 ? now : now + options_.first_pause;
}

std::size_t CircuitBreaker::open_count() const {
  return static_cast<std::size_t>(
      std::ranges::count_if(entries_, [this](const auto& item) { return is_open(item.second); }));
}

}  // namespace waybill::net
