#include "matching/due_times.hpp"

#include <vector>

#include "storage/runs/working_days.hpp"

namespace waybill::matching {

std::optional<Time> DueTimes::of(const domain::Timer& timer, Time value) {
  if (!timer.workdays) return shifted(value, timer.offset);
  read(timer, {&value, 1});
  return known_.at({timer.working_days(), value});
}

void DueTimes::read(const domain::Timer& timer, std::span<const Time> values) {
  if (!timer.workdays) return;
  std::vector<storage::WorkingDays> wanted;
  for (const Time value : values) {
    if (known_.try_emplace({timer.working_days(), value}).second)
      wanted.push_back({business_, value, timer.working_days()});
  }
  const auto moments = storage::working_day_moments(session_, wanted);
  for (std::size_t i = 0; i < wanted.size(); ++i) known_[{wanted[i].count, wanted[i].start}] = moments[i];
}

}  // namespace waybill::matching
