#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "base/clock.hpp"

namespace waybill::domain {

/// The days of the week as the API names them, in the order of ISO 8601.
inline constexpr std::array<std::string_view, 7> weekday_names = {"mon", "tue", "wed", "thu",
                                                                  "fri", "sat", "sun"};

inline constexpr int most_working_days = 20;
inline constexpr std::size_t most_holidays = 366;
/// The n-th working day is looked for among so many days. storage/migrations/0074_working_days.sql has the
/// same number.
inline constexpr Duration farthest_working_day = std::chrono::days(60);

/// The reason for which a duration is refused that counts working days.
inline constexpr const char* working_days_problem =
    "must be 1 to 20 whole days, such as P2D, because it counts working days";

/// Reads a number of working days, an ISO 8601 duration of 1 to 20 whole days with an optional sign: `P2D`,
/// `-P1D`. nullopt if it is another.
std::optional<int> parse_working_days(std::string_view text);
/// `P2D` for 2, `-P1D` for -1.
std::string format_working_days(int count);

/// The time for which a number of working days counts where a wait must end within a time.
Duration longest_working_days(int count);

}  // namespace waybill::domain
