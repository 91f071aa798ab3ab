#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/observe.hpp"

namespace waybill::storage {

/// Logs when a standby begins to be used and when it begins to be passed over, once for all threads of the
/// process. Any thread.
class StandbyLog {
 public:
  explicit StandbyLog(std::size_t standbys) : states_(standbys) {}

  void in_use(std::size_t standby, std::string_view name) {
    if (states_[standby].exchange(State::in_use) != State::in_use)
      observe(Observable::standby_in_use, {{"server", name}});
  }
  /// `detail` is the server's message; it may be empty. A server that was a primary from the beginning is not
  /// logged: the URL may name all servers, whatever their role.
  void passed_over(std::size_t standby, std::string_view name, Observable reason, std::string_view detail) {
    const State before = states_[standby].exchange(State::passed_over);
    if (before == State::passed_over) return;
    if (before == State::unknown && reason == Observable::standby_promoted) return;
    observe(Observable::standby_passed_over,
            {{"server", name}, {"reason", observable_name(reason)}, {"detail", detail}});
  }

 private:
  enum class State : std::uint8_t { unknown, in_use, passed_over };
  std::vector<std::atomic<State>> states_;
};

}  // namespace waybill::storage
