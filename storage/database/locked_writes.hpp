#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string_view>

#include "storage/pq/steady_time.hpp"

namespace waybill::storage::pq {

/// The statements of writes that wait for a table which another session has locked, by name. One transaction
/// at a time tries whether such a statement gets its locks, and few try any; the others leave the connections
/// to writes of other tables. Pure; one thread.
class LockedWrites {
 public:
  /// A write outlasts a lock that is held for a shorter time, such as that of a migration.
  static constexpr auto patience = std::chrono::seconds(1);

  /// The pause between two trials of a statement, in which others have their turn.
  static constexpr auto trial_pause = std::chrono::milliseconds(50);

  explicit LockedWrites(std::size_t most_trials) : most_trials_(most_trials) {}

  enum class Admission : std::uint8_t {
    free,    // the statement is not held
    trial,   // the caller tries it, and must call `tried`
    wait,    // another caller tries it, or has just tried it; ask again later
    refuse,  // as for `wait`, and the statement is held for longer than `patience`
  };

  bool empty() const { return held_.empty(); }
  bool holds(std::string_view statement) const { return held_.contains(statement); }

  Admission admit(std::string_view statement, SteadyTime now) {
    const auto held = held_.find(statement);
    if (held == held_.end()) return Admission::free;
    if (!held->second.is_tried && trials_ < most_trials_ && now >= held->second.next_trial) {
      held->second.is_tried = true;
      held->second.next_trial = now + trial_pause;
      ++trials_;
      return Admission::trial;
    }
    return now - held->second.since < patience ? Admission::wait : Admission::refuse;
  }

  /// Ends a trial, which its caller began. A statement that got its locks is no longer held.
  void tried(std::string_view statement, bool is_locked) {
    const auto held = held_.find(statement);
    --trials_;
    held->second.is_tried = false;
    if (!is_locked) held_.erase(held);
  }

  /// Holds a statement. Returns true if it has been held for less than `patience`.
  bool hold(std::string_view statement, SteadyTime now) {
    return now - held_.try_emplace(statement, Held{.since = now}).first->second.since < patience;
  }

 private:
  struct Held {
    SteadyTime since;
    SteadyTime next_trial{};
    bool is_tried = false;
  };

  const std::size_t most_trials_;
  std::size_t trials_ = 0;
  std::map<std::string_view, Held> held_;  // names are constants
};

}  // namespace waybill::storage::pq
