#include <algorithm>

#include "storage/sql.hpp"
#include "worker/duties/duties.hpp"
#include "worker/guard/pauses.hpp"

namespace waybill::worker {
namespace {

constexpr Duration failing_period = std::chrono::days(5);
constexpr Duration longest_duration = std::chrono::days(366);  // the longest that format_duration can write

}  // namespace

void pause_failing(storage::blocking::Connection& session, const DutyOptions& options) {
  const pqxx::result rows = session.run(storage::sql::duties::find_failing, format_duration(failing_period),
                                        format_duration(std::min(options.longest_run, longest_duration)));
  std::vector<PauseNotice> notices;
  for (const auto& row : rows) {
    notices.push_back({.business_id = row["business_id"].as<Guid>(),
                       .workflow_id = row["guid"].as<Guid>(),
                       .epoch = row["epoch"].as<std::uint64_t>(),
                       .workflow_name = row["name"].as<std::string>(),
                       .business_name = row["business_name"].as<std::string>(),
                       .contacts = row["contacts"].as<std::string>(""),
                       .reason = "every run failed for 5 days"});
  }
  pause_and_mail(session, options.secrets, notices);
}

}  // namespace waybill::worker
