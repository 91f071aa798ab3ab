#pragma once

#include <optional>
#include <span>
#include <vector>

#include "base/clock.hpp"
#include "base/guid.hpp"
#include "storage/session/session.hpp"

namespace waybill::storage {

/// A number of working days of a business, counted from a moment; negative: before it.
struct WorkingDays {
  Guid business_id;
  Time start;
  int count = 0;
};

/// The moments of the n-th working days by the present calendars and time zones of their businesses, in the
/// same order; nullopt if there is no such day within domain::farthest_working_day. Throws
/// DatabaseUnavailable or StatementError.
std::vector<std::optional<Time>> working_day_moments(Session& session, std::span<const WorkingDays> wanted);

}  // namespace waybill::storage
