#include "worker/delivery/destinations.hpp"

#include <algorithm>

#include "base/observe.hpp"

namespace waybill::worker {
namespace {

// The bounds of the extra wait of the workflow that failed last, which is half the breaker's pause.
constexpr Duration min_extra_wait = std::chrono::milliseconds(500);
constexpr Duration max_extra_wait = std::chrono::seconds(5);

}  // namespace

bool Destinations::try_start(const storage::RunKey& run, std::size_t limit, Time now) {
  return may_probe(run, now) && breaker_.try_start(run.destination, now, limit);
}

bool Destinations::may_probe(const storage::RunKey& run, Time now) const {
  const auto open = open_.find(run.destination);
  return open == open_.end() || open->second.workflow != run.workflow_id || now >= open->second.not_before;
}

bool Destinations::is_open(const std::string& destination) const {
  return breaker_.state(destination) == net::CircuitBreaker::State::open;
}

bool Destinations::ended(const storage::RunKey& run, bool failed, Time now) {
  const std::string& destination = run.destination;
  const bool was_open = open_.contains(destination);
  failed ? breaker_.failed(destination, now) : breaker_.succeeded(destination, now);
  const bool is_open_now = is_open(destination);
  if (is_open_now) {  // The attempt failed, because a success closes the breaker.
    const Time next = breaker_.retry_at(destination, now);
    open_[destination] = {run.workflow_id,
                          next + std::clamp((next - now) / 2, min_extra_wait, max_extra_wait)};
  } else {
    open_.erase(destination);
  }
  if (is_open_now == was_open) return false;
  observe(is_open_now ? Observable::breaker_opened : Observable::breaker_closed,
          {{"destination", destination}});
  set_gauge(Gauge::breakers_open, static_cast<double>(open_.size()));
  return is_open_now;
}

Time Destinations::next_attempt_at(const storage::RunKey& run, Time now, Time otherwise) const {
  const Time until = is_open(run.destination) ? breaker_.retry_at(run.destination, now) : otherwise;
  return may_probe(run, until) ? until : open_.at(run.destination).not_before;
}

std::vector<std::string> Destinations::awaiting_probe(Time now) const {
  std::vector<std::string> destinations;
  for (const auto& [destination, probe] : open_) {
    if (breaker_.retry_at(destination, now) > now) destinations.push_back(destination);
  }
  return destinations;
}

Time Destinations::next_probe(Time now) const {
  Time next = Time::max();
  for (const auto& [destination, probe] : open_) {
    const Time at = breaker_.retry_at(destination, now);
    if (at > now) next = std::min(next, at);
  }
  return next;
}

}  // namespace waybill::worker
