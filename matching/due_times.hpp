#pragma once

#include <map>
#include <optional>
#include <span>
#include <utility>

#include "base/clock.hpp"
#include "base/guid.hpp"
#include "domain/workflows/timer.hpp"
#include "storage/session/session.hpp"

namespace waybill::matching {

/// The times at which timers of a business come due. Working days are those of its present calendar. Methods
/// throw DatabaseUnavailable or StatementError.
class DueTimes {
 public:
  DueTimes(storage::Session& session, const Guid& business) : session_(session), business_(business) {}

  /// The time for a value of the timer's field; nullopt if the calendar has no such day.
  std::optional<Time> of(const domain::Timer& timer, Time value);
  /// Reads the times for several values at once, so that `of` reads none of them.
  void read(const domain::Timer& timer, std::span<const Time> values);

 private:
  storage::Session& session_;
  const Guid business_;
  std::map<std::pair<int, Time>, std::optional<Time>> known_;  // by number of working days and value
};

}  // namespace waybill::matching
