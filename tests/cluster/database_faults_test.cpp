#include <functional>
#include <iostream>

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
  /// may still take writes and is not the new primary, if there is one.
  void repeat(std::uint64_t times, const std::string& name,
              const std::function<std::optional<std::size_t>(std::uint64_t)>& fault) {
    Sample writable, webhook, api;
    times = from_environment("WAYBILL_CLUSTER_REPETITIONS", times);
    for (std::uint64_t i = 0; i < times; ++i) {
      const auto except = fault(i);
      const Recovery recovery = watch_recovery(except);
      writable.add(recovery.writable);
      webhook.add(recovery.webhook);
      api.add(recovery.api);
      postgres->repair();
      ASSERT_TRUE(ledger.wait_for_progress(200, 60s)) << "not healed";
    }
    std::cout << name << "\n  new primary writable: " << writable.text()
              << "\n  its first change's webhook: " << webhook.text() << "\n  API writes: " << api.text()
              << "\n";
    slowest_webhook = webhook.percentile(1);
  }

  void check_without_loss() {
    Session database = finish_load();
    check_everything(database);
    EXPECT_LT(slowest_webhook, 2s);
  }

  Milliseconds slowest_webhook{};
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

// Every second time, nothing restarts the killed server, so another one takes over.
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
  repeat(5, "primary cut from etcd", [&](std::uint64_t) { return postgres->cut_primary_from_etcd(); });
  check_without_loss();
}

// Shows what is lost: acknowledged changes that no standby had, and with them their events.
TEST_F(DatabaseFaults, AnAsynchronousStandbyLosesTheLastChangesOfAKilledPrimary) {
  start_load();
  postgres->set_synchronous(false);
  repeat(5, "primary killed, asynchronous standbys", [&](std::uint64_t) {
    postgres->kill_primary(true);
    return std::nullopt;
  });
  Session database = finish_load();
  const Ledger::Losses losses = ledger.losses(database);
  print_answers();
  std::cout << "acknowledged changes " << losses.acknowledged << ", lost " << losses.lost.size()
            << ", webhooks of lost changes " << losses.unfounded.size() << "\n";
}

}  // namespace
}  // namespace waybill::tests
