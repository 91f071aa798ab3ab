#include "storage/runs/working_days.hpp"

#include "storage/sql/pacing.sql.hpp"
#include "storage/statement/binary.hpp"

namespace waybill::storage {

std::vector<std::optional<Time>> working_day_moments(Session& session, std::span<const WorkingDays> wanted) {
  std::vector<std::optional<Time>> moments(wanted.size());
  if (wanted.empty()) return moments;
  std::vector<Guid> businesses;
  std::vector<Time> starts;
  std::vector<std::int64_t> counts;
  for (const WorkingDays& each : wanted) {
    businesses.push_back(each.business_id);
    starts.push_back(each.start);
    counts.push_back(each.count);
  }
  for (const auto& row : session.run(sql::pacing::WorkingDays{
           .businesses = binary_array(businesses), .starts = binary_array(starts), .counts = counts}))
    moments.at(static_cast<std::size_t>(row.position) - 1) = row.moment;
  return moments;
}

}  // namespace waybill::storage
