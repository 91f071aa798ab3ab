#include <algorithm>

#include "storage/sql/duties.sql.hpp"
#include "worker/duties/duties.hpp"
#include "worker/guard/pauses.hpp"

namespace waybill::worker {
namespace {

constexpr Duration failing_period = std::chrono::days(5);

}  // namespace

void pause_failing(storage::blocking::Connection& session, const DutyOptions& options) {
  const auto failing = session.run(storage::sql::duties::FindFailing{
      .period = format_duration(failing_period),
      .longest_run = format_duration(std::min(options.longest_run, longest_duration))});
  std::vector<PauseNotice> notices;
  for (const auto& row : failing) {
    notices.push_back({.business_id = row.business_id,
                       .workflow_id = row.guid,
                       .epoch = static_cast<std::uint64_t>(row.epoch),
                       .workflow_name = std::string(row.name),
                       .business_name = std::string(row.business_name),
                       .contacts = std::string(row.contacts.value_or("")),
                       .reason = "every run failed for 5 days"});
  }
  pause_and_mail(session, options.secrets, notices);
}

}  // namespace waybill::worker
