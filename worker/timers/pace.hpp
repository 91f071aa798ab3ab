#pragma once

#include <chrono>
#include <cstddef>

#include "base/clock.hpp"

/// How often and how much the looks for timers, digests and schedules read.
namespace waybill::worker {

constexpr Duration look_every = std::chrono::seconds(1);
constexpr Duration due_again_after = std::chrono::milliseconds(100);  // after a look that left some
constexpr Duration catalogue_delay = std::chrono::milliseconds(250);  // until a new version is read
constexpr std::size_t most_record_bytes = 4UL * 1024 * 1024;          // of the records of one transaction

}  // namespace waybill::worker
