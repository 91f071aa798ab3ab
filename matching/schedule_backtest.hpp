#pragma once

#include <chrono>

#include "matching/backtest.hpp"

namespace waybill::matching {

/// The longest range of a backtest of a schedule.
inline constexpr Duration longest_schedule_backtest = std::chrono::days(366);

/// Counts the runs that the ticks of a schedule would have made in a range, if its query had always found
/// what it finds now. The sample has the records of the last ticks if there is a run for each record. Throws
/// DatabaseUnavailable or StatementError.
Backtest backtest_schedule(storage::Session& session, const Rule& rule,
                           const storage::PastEvents::Range& range,
                           std::chrono::steady_clock::time_point deadline);

}  // namespace waybill::matching
