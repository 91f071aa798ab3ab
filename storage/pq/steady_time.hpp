#pragma once

#include <chrono>

namespace waybill::storage::pq {

using SteadyTime = std::chrono::steady_clock::time_point;

}  // namespace waybill::storage::pq
