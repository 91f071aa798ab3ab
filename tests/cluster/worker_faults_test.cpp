#include <algorithm>
#include <csignal>
#include <functional>
#include <iostream>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tests/cluster/fixture.hpp"
#include "tests/crash/faults.hpp"

namespace waybill::tests {
namespace {

using namespace std::chrono_literals;
using std::chrono::steady_clock;

// The run ($1) of a webhook and those for which it waited, directly or not, the earliest first: the time in
// milliseconds from its beginning to that of the run, and a description.
constexpr const char* waited_runs = R"(
  with recursive waited as (
    select r.* from runs r where 'msg_' || guid = $1
    union
    select e.* from waited w join runs e using (business_id, entity_id, workflow_id)
    where e.event_id < w.event_id and e.finished_at > w.created_at
  )
  select (extract(epoch from max(created_at) over () - min(created_at) over ()) * 1000)::bigint,
         concat_ws(' ', event_id, created_at, finished_at, attempts, tries)
  from waited order by event_id)";

class WorkerFaults : public LoadedCluster {
 protected:
  /// Lets the load run for a time. `evaluate` later adds the delays of this period to the samples of this
  /// name.
  void measure(const std::string& name, Milliseconds time) {
    const auto from = steady_clock::now();
    let_load_run(time);
    periods_.push_back({.name = name, .from = from, .until = steady_clock::now()});
  }

  /// Adds the delays of all periods to the samples. Call it after the load has ended.
  void evaluate(Session& database) {
    for (std::size_t i = 0; i < periods_.size(); ++i) {
      const Period& period = periods_[i];
      const bool stop_follows = i + 1 < periods_.size() && periods_[i + 1].name == "stopped";
      all[period.name].add(ledger.delays(period.from, period.last_change()));
      worst[period.name].add(longest_delay(database, period, stop_follows));
    }
    for (const auto& [name, sample] : worst) {
      std::cout << name << "\n  longest delay of each: " << sample.text()
                << "\n  all changes: " << all[name].text() << "\n";
    }
    std::cout << "behind changes of an earlier period: " << behind.text() << "\n";
  }

  struct Period {
    std::string name;
    steady_clock::time_point from;
    steady_clock::time_point until;

    /// The webhooks of later changes may be in flight when the next fault begins.
    steady_clock::time_point last_change() const { return until - 500ms; }
  };

  /// The longest delay of the changes in a period. Left out are those that waited for changes of their record
  /// from before the period: runs of a record are in order, so these belong to the earlier fault. A change
  /// whose webhook has not been received when a worker is stopped belongs to the period of the stop.
  Milliseconds longest_delay(Session& database, const Period& period, bool stop_follows) {
    auto slow = ledger.slow(period.from, period.last_change(), 1s);
    std::ranges::sort(slow, std::ranges::greater(), &Ledger::SlowChange::delay);
    const Milliseconds from_before = std::exchange(at_stop_, 0ms);
    for (const auto& change : slow) {
      const auto waited = database.rows(waited_runs, {change.webhook_id});
      const auto behind_for = Milliseconds(std::stoll(waited.front().front().value()));
      if (change.written - behind_for < period.from) {
        behind.add(change.delay);
        continue;
      }
      if (change.delay > 2s) {
        std::cout << period.name << ": " << change.delay.count() << " ms, after\n";
        for (const auto& run : waited) std::cout << "  " << run.back().value() << "\n";
      }
      if (stop_follows && change.written + change.delay > period.until) {
        at_stop_ = std::max(at_stop_, change.delay);
        continue;
      }
      return std::max(change.delay, from_before);
    }
    if (from_before > 0ms) return from_before;
    Sample others;
    for (const Milliseconds delay : ledger.delays(period.from, period.last_change())) {
      if (delay <= 1s) others.add(delay);
    }
    return others.percentile(1);
  }

  /// Prints the logs of the workers that run, if the test has failed.
  void print_logs() const {
    if (!HasFailure()) return;
    for (std::size_t i = 0; i < Service::workers; ++i)
      std::cout << "worker " << i << "\n" << service->worker(i).process().standard_error();
  }

  void print_hand_over(const std::string& fault, const std::string& name) {
    print_row(
        fault, worst[name].size(), "0",
        "99 % of the changes within " + all[name].seconds(0.99) + ", all within " + all[name].seconds(1));
  }

  std::map<std::string, Sample> all;    // the delays of all changes, by name
  std::map<std::string, Sample> worst;  // the result of longest_delay for each period, by name
  Sample behind;                        // the delays that longest_delay leaves out

 private:
  std::vector<Period> periods_;
  Milliseconds at_stop_{};  // the longest delay from the period before the one that is evaluated
};

// Runs for ten minutes, or for WAYBILL_CLUSTER_SECONDS. There is a fault every five seconds, and its worker
// is back after half of that time.
TEST_F(WorkerFaults, AKilledStoppedOrDrainedWorkerHandsOverItsWork) {
  constexpr Milliseconds half = 2500ms;
  start_load();
  measure("no fault", 10s);
  const auto end =
      steady_clock::now() + std::chrono::seconds(from_environment("WAYBILL_CLUSTER_SECONDS", 600));
  for (std::size_t turn = 0; steady_clock::now() < end; ++turn) {
    const std::size_t which = turn % Service::workers;
    Process& process = service->worker(which).process();
    switch (turn % 3) {
      case 0:
        process.kill(SIGKILL);
        process.wait_exit();
        measure("killed", half);
        service->start_worker(which);
        measure("joins", half);
        break;
      case 1:
        process.kill(SIGSTOP);
        measure("stopped", 2 * half);
        process.kill(SIGCONT);
        measure("resumes", half);
        break;
      default:
        process.kill(SIGTERM);
        measure("drained", half);
        ASSERT_EQ(process.wait_exit(), 0);
        service->start_worker(which);
        measure("joins", half);
    }
  }
  Session database = finish_load();
  evaluate(database);
  check_everything(database);
  // The limits are beyond the delay without a fault, which is long: all machines share one disk.
  const Milliseconds usual = worst["no fault"].percentile(1);
  EXPECT_LT(worst["killed"].percentile(0.99), usual + 1s);
  EXPECT_LT(worst["drained"].percentile(0.99), usual + 1s);
  EXPECT_LT(worst["stopped"].percentile(0.99), usual + 10s);
  EXPECT_LT(worst["joins"].percentile(0.99), usual + 1s);
  for (const char* const name : {"killed", "drained", "joins"})
    EXPECT_LT(all[name].percentile(0.99), 2s) << name;
  print_logs();
  print_hand_over("worker killed", "killed");
  print_hand_over("worker drained", "drained");
  print_hand_over("worker stopped for 5 s", "stopped");
}

// The packets of the worker are dropped, so neither side gets an error.
TEST_F(WorkerFaults, AWorkerWithACutLinkHandsOverItsWork) {
  start_load();
  const auto times = from_environment("WAYBILL_CLUSTER_REPETITIONS", 5);
  for (std::uint64_t i = 0; i < times; ++i) {
    Machine& machine = service->machine_of_worker(i % Service::workers);
    machine.cut();
    measure("link cut", 15s);
    machine.mend();
    measure("link back", 10s);
  }
  Session database = finish_load();
  evaluate(database);
  check_everything(database);
  EXPECT_LT(worst["link cut"].percentile(1), 10s);
  print_hand_over("link of a worker cut", "link cut");
}

}  // namespace
}  // namespace waybill::tests
