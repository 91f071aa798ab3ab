#include <algorithm>
#include <functional>
#include <iostream>
#include <vector>

#include <gtest/gtest.h>

#include "tests/cluster/fixture.hpp"
#include "tests/crash/faults.hpp"

namespace waybill::tests {
namespace {

using namespace std::chrono_literals;

/// Faults of PostgreSQL under load. WAYBILL_CLUSTER_REPETITIONS replaces the number of repetitions.
class DatabaseFaults : public LoadedCluster {
 protected:
  /// Repeats a fault and prints how long the parts of the recovery took. The fault returns the server that
  /// may still take writes and is not the new primary, if there is one. `name` is that of the row in the
  /// documents.
  void repeat(std::uint64_t times, const std::string& name,
              const std::function<std::optional<std::size_t>(std::uint64_t)>& fault) {
    Sample writable, api;
    name_ = name;
    times = from_environment("WAYBILL_CLUSTER_REPETITIONS", times);
    for (std::uint64_t i = 0; i < times; ++i) {
      const auto except = fault(i);
      faults_.push_back(std::chrono::steady_clock::now());
      const Recovery recovery = watch_recovery(except);
      writable.add(recovery.writable);
      webhook_.add(recovery.webhook);
      api.add(recovery.api);
      postgres->repair();
      ASSERT_TRUE(ledger.wait_for_progress(200, 60s)) << "the deliveries did not go on";
    }
    std::cout << name << "\n  new primary writable: " << writable.text()
              << "\n  its first change's webhook: " << webhook_.text() << "\n  API writes: " << api.text()
              << "\n";
    EXPECT_EQ(webhook_.size(), times);
  }

  void check_without_loss() {
    Session database = finish_load();
    check_everything(database);
    EXPECT_LT(webhook_.percentile(1), 2s);
    print_delays("0");
  }

  void print_delays(const std::string& lost) const {
    print_row(name_, webhook_.size(), lost,
              "median " + webhook_.seconds(0.5) + ", at most " + webhook_.seconds(1) +
                  " after the new primary takes writes");
  }

  /// The number of lost changes for each fault: those that were acknowledged in the seconds before it. The
  /// others are failures of the test.
  std::vector<std::size_t> losses_by_fault(const Ledger::Losses& losses) const {
    std::vector<std::size_t> counts(faults_.size());
    for (const auto& [mark, acknowledged] : losses.lost) {
      // A response may arrive a moment after the fault.
      const auto next = std::ranges::lower_bound(faults_, acknowledged - 1s);
      if (next == faults_.end() || *next - acknowledged > 10s)
        ADD_FAILURE() << mark << " was acknowledged long before a fault, and is lost";
      else
        ++counts.at(static_cast<std::size_t>(next - faults_.begin()));
    }
    return counts;
  }

 private:
  std::string name_;
  Sample webhook_;
  std::vector<std::chrono::steady_clock::time_point> faults_;
};

TEST_F(DatabaseFaults, ASwitchOverLosesNothing) {
  start_load();
  repeat(20, "switch-over", [&](std::uint64_t) {
    const std::size_t before = postgres->primary();
    postgres->switch_over();
    return before;
  });
  check_without_loss();
}

// Every second time, Patroni is killed as well. Then nothing restarts the server, and another one takes over.
TEST_F(DatabaseFaults, AKilledPrimaryLosesNothing) {
  start_load();
  repeat(20, "primary killed", [&](std::uint64_t i) {
    postgres->kill_primary(i % 2 == 1);
    return std::nullopt;
  });
  check_without_loss();
}

TEST_F(DatabaseFaults, APrimaryCutFromEtcdLosesNothing) {
  start_load();
  repeat(5, "primary cut from etcd; the link is mended once its successor takes writes",
         [&](std::uint64_t) { return postgres->cut_primary_from_etcd(); });
  check_without_loss();
}

// Shows what is lost: changes acknowledged just before the fault that no standby had, and with them their
// events. Nothing else is.
TEST_F(DatabaseFaults, AnAsynchronousStandbyLosesOnlyTheLastChangesOfAKilledPrimary) {
  start_load();
  postgres->set_synchronous(false);
  repeat(20, "primary killed, asynchronous standbys", [&](std::uint64_t) {
    postgres->kill_primary(true);
    return std::nullopt;
  });
  Session database = finish_load();
  const Ledger::Losses losses = ledger.losses(database);
  print_answers();
  EXPECT_EQ(ledger.answers()[500], 0U);
  EXPECT_TRUE(losses.undelivered.empty())
      << losses.undelivered.size() << " matching changes were never received";
  std::cout << "acknowledged changes " << losses.acknowledged << ", webhooks of lost changes "
            << losses.unfounded.size() << ", lost at each fault:";
  for (const std::size_t count : losses_by_fault(losses)) std::cout << " " << count;
  std::cout << "\n";
  print_delays(std::to_string(losses.lost.size()) + " of " + std::to_string(losses.acknowledged) +
               " acknowledged changes; more where a standby lags");
}

}  // namespace
}  // namespace waybill::tests
