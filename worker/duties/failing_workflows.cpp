#include <algorithm>

#include "storage/fields.hpp"
#include "storage/sql.hpp"
#include "worker/duties/duties.hpp"
#include "worker/guard/pauses.hpp"

namespace waybill::worker {
namespace {

constexpr Duration failing_period = std::chrono::days(5);
constexpr Duration longest_duration = std::chrono::days(366);  // the longest that format_duration can write

}  // namespace

void pause_failing(storage::Session& session, const DutyOptions& options) {
  enum Column { business, workflow, epoch, name, business_name, contacts };
  const storage::Rows rows = session.run(storage::sql::duties::find_failing, format_duration(failing_period),
                                         format_duration(std::min(options.longest_run, longest_duration)));
  std::vector<PauseNotice> notices;
  storage::for_each_row(rows, [&](const storage::RowView& row) {
    notices.push_back({.business_id = row.guid(business),
                       .workflow_id = row.guid(workflow),
                       .epoch = row.number<std::uint64_t>(epoch),
                       .workflow_name = row.string(name),
                       .business_name = row.string(business_name),
                       .contacts = row.maybe_string(contacts).value_or(""),
                       .reason = "every run failed for 5 days"});
  });
  pause_and_mail(session, options.secrets, notices);
}

}  // namespace waybill::worker
