#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

#include "base/guid.hpp"
#include "base/json.hpp"
#include "worker/threads/thread_session.hpp"

namespace waybill::worker {

/// Finds the conditions for which workflows are silent, in their events. It blocks, for about a second for a
/// workflow, and has a session while it is used. One thread.
class SilenceCauses {
 public:
  explicit SilenceCauses(std::string database_url);

  /// Begins a turn, in which only so much time is spent.
  void begin_turn();
  bool has_time() const;
  /// Ends a turn: closes the session.
  void end_turn() { session_.close(); }

  /// Adds the member `condition` to the silence of a workflow: null if none explains it, or if the events
  /// cannot be read. `triggers` and `conditions` are in their stored forms.
  void explain(const Guid& business, std::string_view triggers, std::string_view conditions,
               json::object& silence);

 private:
  ThreadSession session_;
  std::chrono::steady_clock::time_point until_;  // the end of the turn's time
};

}  // namespace waybill::worker
