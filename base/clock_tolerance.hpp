#pragma once

#include <chrono>

namespace waybill {

/// The maximum by which a reported time can be in the future.
inline constexpr auto clock_tolerance = std::chrono::minutes(5);

}  // namespace waybill
