#include <string>
#include <vector>

#include "base/observe.hpp"
#include "storage/carriers/purchases.hpp"
#include "storage/sql/duties.sql.hpp"
#include "worker/delivery/claimed_run.hpp"
#include "worker/duties/duties.hpp"
#include "worker/duties/parts.hpp"

namespace waybill::worker {
namespace {

/// Runs the statement and reports how many rows it has moved.
template <typename Statement>
void move_back(storage::blocking::Connection& session, const Statement& statement, std::string_view rows) {
  const auto moved = session.run(statement).front().moved;
  if (moved > 0) observe(Observable::times_brought_back, {{"rows", rows}, {"number", moved}});
}

std::vector<std::string> texts_of(const std::vector<Duration>& durations) {
  std::vector<std::string> texts;
  texts.reserve(durations.size());
  for (const Duration duration : durations) texts.push_back(format_duration(duration));
  return texts;
}

}  // namespace

// A clock that was ahead, even for a second, has stored times that are later than their own rules allow. What
// they hold up would wait until the right clock reaches them.
void bring_back_runs(storage::blocking::Connection& session, const DutyOptions& options) {
  const auto delays = texts_of(options.retry_delays);
  Parts parts;
  parts.perform([&] { move_back(session, sql::duties::BringBackRetries{.delays = delays}, "retries"); });
  parts.perform([&] { move_back(session, sql::duties::BringBackWaits{}, "waits"); });
  parts.perform(
      [&] { move_back(session, sql::duties::BringBackDue{.lease = format_duration(claim_lease)}, "runs"); });
  parts.perform([&] { move_back(session, sql::duties::BringBackDigests{}, "digests"); });
  parts.perform(
      [&] { move_back(session, sql::duties::BringBackMails{.delays = delays}, "mails and alerts"); });
  parts.perform([&] { move_back(session, sql::duties::BringBackImports{}, "imports"); });
  parts.perform([&] { move_back(session, sql::duties::BringBackWatches{}, "watches for silences"); });
  parts.perform([&] { move_back(session, sql::duties::BringBackJobs{}, "jobs"); });
  parts.perform(
      [&] { move_back(session, sql::duties::BringBackPostponed{}, "timers, digests and schedules"); });
  parts.perform([&] { move_back(session, sql::duties::BringBackPulls{}, "pulls of scans"); });
  parts.perform([&] {
    move_back(session, sql::duties::BringBackPurchases{.lease = format_duration(storage::purchase_lease)},
              "purchases");
  });
  parts.finish();
}

void bring_back_counts(storage::blocking::Connection& session, const DutyOptions&) {
  Parts parts;
  parts.perform([&] { move_back(session, sql::duties::BringBackLimitedRuns{}, "limited runs"); });
  parts.perform([&] { move_back(session, sql::duties::BringBackAccounts{}, "sessions, tokens and keys"); });
  parts.perform([&] { move_back(session, sql::duties::BringBackWorkflows{}, "workflows"); });
  parts.finish();
}

}  // namespace waybill::worker
