#include <csignal>
#include <iostream>
#include <memory>
#include <mutex>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "tests/crash/faults.hpp"
#include "tests/harness/eventually.hpp"
#include "tests/workflows/fixtures/workflow_fixture.hpp"

namespace waybill::tests {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t workflows = 260;  // some of each event's runs are rendered from the queue
constexpr const char* schedule = "1s,1s,1s,1s,1s,1s,1s,1s,1s,1s,1s,1s,1s,1s,1s,1s,1s,1s,1s,1s";

/// An API that keeps running, and a worker that is killed.
class CrashDuringFanOut : public testing::Test {
 protected:
  static Waybill::Options api_options() {
    Waybill::Options options;
    options.command = "api";
    options.arguments = {"--workflows-per-business", "1000", "--workflows-per-trigger", "1000"};
    return options;
  }
  std::unique_ptr<Waybill> start_worker() {
    Waybill::Options options;
    options.command = "worker";
    options.retry_schedule = schedule;
    options.arguments = {"--blast-guard-factor", "0"};
    options.secret_key_file = api.secret_key_file();
    return std::make_unique<Waybill>(database.url(), options);
  }

  TestDatabase database;
  Waybill api{database.url(), api_options()};
  Tenant tenant{api, "fan out"};
};

// WAYBILL_CRASH_FAN_OUTS makes the test longer.
TEST_F(CrashDuringFanOut, EveryRunOfAnEventIsDeliveredAfterItsWorkersAreKilled) {
  const std::uint64_t events = from_environment("WAYBILL_CRASH_FAN_OUTS", 3);
  std::mutex mutex;
  std::multiset<std::string> ids;
  const auto received = [&] {
    const std::lock_guard lock(mutex);
    return ids.size();
  };
  Receiver receiver;
  receiver.on_request([&](const Received& request) {
    const std::lock_guard lock(mutex);
    ids.insert(request.header("webhook-id"));
    return Reply::with_status(200);
  });
  for (std::size_t i = 0; i < workflows; ++i) tenant.webhook(receiver.url(), "order_created");

  std::unique_ptr<Waybill> worker = start_worker();
  for (std::uint64_t event = 0; event < events; ++event) {
    const std::size_t before = received();
    tenant.insert_order();
    // One kill during the runs that were rendered at once, one during those from the queue.
    for (const std::size_t count : {100UL, 230UL}) {
      eventually([&] { return received() >= before + count; }, 5s);
      worker->process().kill(SIGKILL);
      worker->process().wait_exit();
      worker = start_worker();
    }
  }
  const auto runs = static_cast<std::int64_t>(events * workflows);
  EXPECT_TRUE(eventually(
      [&] { return database.number("select count(*) from runs where status = 'succeeded'") == runs; }, 60s));
  EXPECT_EQ(database.number("select count(*) from all_runs"), runs);
  EXPECT_EQ(database.number("select count(*) from pending_events"), 0);
  const std::lock_guard lock(mutex);
  const std::size_t distinct = std::set<std::string>(ids.begin(), ids.end()).size();
  EXPECT_EQ(distinct, events * workflows);
  std::cout << runs << " runs of " << events << " events; " << 2 * events << " workers killed; "
            << ids.size() - distinct << " webhooks sent again\n";
}

}  // namespace
}  // namespace waybill::tests
