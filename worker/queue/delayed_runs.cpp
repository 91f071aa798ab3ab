#include "worker/queue/delayed_runs.hpp"

#include <chrono>
#include <utility>

namespace waybill::worker {
namespace {

constexpr Duration check_time = std::chrono::milliseconds(20);  // of a turn of the pump
constexpr std::size_t most_checks = 256;
constexpr auto half_life_of_checks = std::chrono::seconds(1);
// A business with a run that waits for the next turn is full.
constexpr std::size_t most_of_a_business = 1;

}  // namespace

DelayedRuns::DelayedRuns(const Catalogue& catalogue, const Clock& clock)
    : check_(catalogue, clock),
      shares_(half_life_of_checks),
      waiting_(most_of_a_business, shares_),
      batch_(most_checks, most_checks, check_time) {}

DelayedRuns::Runs DelayedRuns::take_all() {
  Runs runs;
  const auto now = std::chrono::steady_clock::now();
  while (!waiting_.empty()) runs.push_back(waiting_.pop(now));
  return runs;
}

DelayedRuns::Runs DelayedRuns::take_some() {
  Runs runs;
  const auto now = std::chrono::steady_clock::now();
  while (!waiting_.empty() && runs.size() < batch_.get()) runs.push_back(waiting_.pop(now));
  return runs;
}

DelayedRuns::Runs DelayedRuns::check(storage::Session& session, Runs& runs) {
  const auto started_at = std::chrono::steady_clock::now();
  Runs left = check_.check(session, runs);
  if (left.empty()) {
    batch_.measured(runs.size(),
                    std::chrono::duration_cast<Duration>(std::chrono::steady_clock::now() - started_at));
  } else {
    batch_.limited_to(runs.size());
  }
  return left;
}

}  // namespace waybill::worker
