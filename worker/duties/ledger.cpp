#include "base/database_clock.hpp"
#include "base/observe.hpp"
#include "storage/sql/duties.sql.hpp"
#include "worker/duties/duties.hpp"
#include "worker/duties/plans.hpp"

namespace waybill::worker {
namespace {

constexpr std::int64_t slice_seconds = 150;  // the period of the duty
constexpr Duration slice = std::chrono::seconds(slice_seconds);
constexpr std::int64_t earlier_slices = 575;

void check_slice(storage::blocking::Connection& session, Time from, Time to) {
  const auto unbalanced = session.run(storage::sql::duties::CheckLedger{.first_time = from, .end_time = to});
  for (const auto& row : unbalanced) {
    observe(Observable::ledger_unbalanced, {{"business", row.guid.to_string()},
                                            {"from", format_timestamp(from)},
                                            {"to", format_timestamp(to)},
                                            {"runs", row.runs},
                                            {"pairs", row.pairs},
                                            {"counted", row.counted},
                                            {"of_pending_events", row.early},
                                            {"of_no_event", row.baseless},
                                            {"lost", row.lost}});
    session.run(
        storage::sql::duties::NoteUnbalanced{.business = row.guid, .first_time = from, .end_time = to});
  }
}

}  // namespace

// Checks the time since the last check and, in turn, one slice of the preceding day. So each event is
// checked twice, and the cost is proportional to the number of runs.
void check_ledger(storage::blocking::Connection& session, const DutyOptions&) {
  const Time now = database_clock().now();
  const std::int64_t turn = to_unix_seconds(now) / slice_seconds % earlier_slices + 1;
  walk_indexes(session, [&] {
    check_slice(session, now - slice, now + std::chrono::hours(1));  // other machines' clocks may be ahead
    check_slice(session, now - (turn + 1) * slice, now - turn * slice);
  });
}

}  // namespace waybill::worker
