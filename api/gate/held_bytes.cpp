#include "api/gate/held_bytes.hpp"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "base/free_memory.hpp"
#include "base/observe.hpp"
#include "base/thread/mutex.hpp"

namespace waybill::api {
namespace {

constexpr std::size_t much =
    16UL * 1024 * 1024;  // held in total: from here on, freed memory is returned at once

/// A count of bytes with a limit.
struct Count {
  std::size_t held = 0;
  std::size_t most = 0;

  /// True if the count may grow by `more`, of which `own` bytes belong to the same claim.
  bool allows(std::size_t more, std::size_t own) const { return held == own || held + more <= most; }
};

/// The counts of the keys that hold something, each with the same limit.
template <typename Key>
class Counts {
 public:
  explicit Counts(std::size_t most) : most_(most) {}

  bool allows(const Key& key, std::size_t more, std::size_t own) const {
    const auto found = held_.find(key);
    return Count{.held = found == held_.end() ? 0 : found->second, .most = most_}.allows(more, own);
  }
  void add(const Key& key, std::size_t bytes) {
    if (bytes > 0) held_[key] += bytes;
  }
  void remove(const Key& key, std::size_t bytes) {
    const auto found = held_.find(key);
    if (found != held_.end() && (found->second -= bytes) == 0) held_.erase(found);
  }

 private:
  const std::size_t most_;
  std::unordered_map<Key, std::size_t> held_;  // without zeros
};

}  // namespace

struct ByteLimits::State {
  explicit State(std::size_t most) : networks(most / 4), of_strangers{.most = most / 4}, all{.most = most} {}

  Counts<Guid>& of_business(Kind kind) REQUIRES(mutex) { return kind == Kind::body ? bodies : answers; }

  void hold(std::size_t bytes) REQUIRES(mutex) {
    const bool was_much = all.held >= much;
    all.held += bytes;
    if (!was_much && all.held >= much) return_memory_at_once(true);
    add_to_gauge(Gauge::held_bytes, static_cast<double>(bytes));
  }
  void release(std::size_t bytes) REQUIRES(mutex) {
    const bool was_much = all.held >= much;
    all.held -= bytes;
    if (was_much && all.held < much) return_memory_at_once(false);
    add_to_gauge(Gauge::held_bytes, -static_cast<double>(bytes));
  }

  Mutex mutex;
  Counts<Guid> bodies GUARDED_BY(mutex){most_bodies};
  Counts<Guid> answers GUARDED_BY(mutex){most_answers};
  Counts<std::string> strangers GUARDED_BY(mutex){most_of_stranger};
  Counts<std::string> networks GUARDED_BY(mutex);
  Count of_strangers GUARDED_BY(mutex);
  Count all GUARDED_BY(mutex);
};

ByteLimits::ByteLimits(std::size_t most) : state_(std::make_shared<State>(most)) {}

ByteLimits::Claim ByteLimits::claim(Kind kind, Holder holder) const {
  return {state_, kind, std::move(holder)};
}

ByteLimits::Claim::Claim(std::shared_ptr<State> state, Kind kind, Holder holder)
    : state_(std::move(state)), kind_(kind), holder_(std::move(holder)) {}

ByteLimits::Claim::Claim(Claim&& other) noexcept = default;

std::optional<ByteLimits::Limit> ByteLimits::Claim::raise(std::size_t expected, std::size_t present) {
  const bool is_stranger = holder_.business.is_nil();
  const bool counts_for_holder = is_stranger || expected >= large;
  const std::size_t more_expected = counts_for_holder ? std::max(expected, expected_) - expected_ : 0;
  const std::size_t more_present = std::max(present, present_) - present_;
  if (more_expected + more_present == 0) return std::nullopt;
  State& state = *state_;
  const Lock lock(state.mutex);
  const bool holder_allows =
      more_expected == 0 ||
      (is_stranger ? state.strangers.allows(holder_.network, more_expected, expected_)
                   : state.of_business(kind_).allows(holder_.business, more_expected, expected_));
  if (!holder_allows) return Limit::holder;
  if (!holder_.network.empty() && !state.networks.allows(holder_.network, more_present, present_))
    return Limit::network;
  if (!state.all.allows(more_present, present_) ||
      (is_stranger && !state.of_strangers.allows(more_present, present_)))
    return Limit::process;
  if (is_stranger) {
    state.strangers.add(holder_.network, more_expected);
    state.of_strangers.held += more_present;
  } else {
    state.of_business(kind_).add(holder_.business, more_expected);
  }
  if (!holder_.network.empty()) state.networks.add(holder_.network, more_present);
  state.hold(more_present);
  expected_ += more_expected;
  present_ += more_present;
  return std::nullopt;
}

ByteLimits::Claim::~Claim() {
  if (!state_ || expected_ + present_ == 0) return;
  State& state = *state_;
  const Lock lock(state.mutex);
  if (holder_.business.is_nil()) {
    state.strangers.remove(holder_.network, expected_);
    state.of_strangers.held -= present_;
  } else {
    state.of_business(kind_).remove(holder_.business, expected_);
  }
  if (!holder_.network.empty()) state.networks.remove(holder_.network, present_);
  state.release(present_);
}

}  // namespace waybill::api
