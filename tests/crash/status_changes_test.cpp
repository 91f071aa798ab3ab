#include <algorithm>
#include <array>
#include <csignal>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <random>

#include <gtest/gtest.h>

#include "tests/harness/eventually.hpp"
#include "tests/workflows/tenant.hpp"

namespace waybill::tests {
namespace {

using namespace std::chrono_literals;

constexpr Deadline heals_within = 60s;

std::int64_t from_environment(const char* name, std::int64_t otherwise) {
  const char* given = std::getenv(name);
  return given == nullptr ? otherwise : std::stoll(given);
}

/// An API and two workers on one database. Either worker can be killed or stopped for a while.
class TwoWorkers {
 public:
  TwoWorkers() : api_(database_.url(), Waybill::Options{.command = "api"}) {
    for (auto& worker : workers_) worker = start();
  }

  const Waybill& api() const { return api_; }
  TestDatabase& database() { return database_; }

  void kill(std::size_t which) {
    workers_.at(which)->process().kill(SIGKILL);
    workers_.at(which)->process().wait_exit();
    workers_.at(which) = start();
  }
  void stop(std::size_t which) { workers_.at(which)->process().kill(SIGSTOP); }
  void go_on(std::size_t which) { workers_.at(which)->process().kill(SIGCONT); }

 private:
  std::unique_ptr<Waybill> start() {
    Waybill::Options options;
    options.command = "worker";
    options.retry_schedule = "1s,1s,1s,1s,1s,1s,1s,1s,1s,1s";
    options.secret_key_file = api_.secret_key_file();
    return std::make_unique<Waybill>(database_.url(), options);
  }

  TestDatabase database_;
  Waybill api_;
  std::array<std::unique_ptr<Waybill>, 2> workers_;
};

class CrashDuringStatusChanges : public testing::Test {
 protected:
  std::int64_t moved() {
    return stack.database().number("select count(*) from orders where status = 'delivered'");
  }

  /// Every order has gone from pending to ready, shipped and delivered, once each, by one run each.
  void check(std::int64_t orders) {
    TestDatabase& database = stack.database();
    EXPECT_EQ(moved(), orders);
    EXPECT_EQ(database.number("select count(*) from pending_events"), 0);
    EXPECT_EQ(database.number("select count(*) from run_queue"), 0);
    for (const char* status : {"ready", "shipped", "delivered"}) {
      const auto transitions = [&](const std::string& count) {
        return database.number(
            "select " + count +
                " from events where (order_after).status = $1 and "
                "(order_before).status is distinct from $1 and cause #>> '{by,type}' = 'workflow'",
            {status});
      };
      EXPECT_EQ(transitions("count(*)"), orders) << status << ": none twice, none missing";
      EXPECT_EQ(transitions("count(distinct entity_id)"), orders) << status;
      EXPECT_EQ(database.number("select count(*) from all_runs where status = 'succeeded' and "
                                "request::json ->> 'status' = $1",
                                {status}),
                orders);
    }
    EXPECT_EQ(database.number("select count(*) from all_runs where status <> 'succeeded'"), 0);
    EXPECT_EQ(database.number("select count(distinct (event_id, workflow_id)) from all_runs"), 3 * orders);
  }

  TwoWorkers stack;
  Tenant tenant{stack.api(), "moving"};
};

// WAYBILL_CRASH_ORDERS makes it longer.
TEST_F(CrashDuringStatusChanges, AreMadeExactlyOnceThoughWorkersAreKilledAndStopped) {
  const std::int64_t orders = from_environment("WAYBILL_CRASH_ORDERS", 200);
  const std::uint64_t seed = std::random_device{}();
  std::mt19937_64 random(seed);
  for (const char* status : {"ready", "shipped", "delivered"}) {
    tenant.update_status("order_updated", "", status);
  }
  int faults = 0;
  Session writer = stack.database().connect();
  const std::int64_t step = std::max<std::int64_t>(20, orders / 50);
  for (std::int64_t order = 0; order < orders; order += step) {
    writer.exec("insert into orders (business_id, order_number) select '" + tenant.id + "', 'C-' || n from " +
                "generate_series(" + std::to_string(order + 1) + ", " + std::to_string(order + step) + ") n");
    writer.exec("update orders set notes = 'go' where notes is null and business_id = '" + tenant.id + "'");
    const std::int64_t until =
        moved() + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(step));
    eventually([&] { return moved() >= until; }, 2s);
    const std::size_t which = random() % 2;
    if (random() % 4 == 0) {
      stack.stop(which);
      eventually([&] { return moved() >= order + step; }, 3s);
      stack.go_on(which);
    } else {
      stack.kill(which);
    }
    ++faults;
  }
  EXPECT_TRUE(eventually([&] { return moved() == orders; }, heals_within));
  EXPECT_TRUE(eventually([&] { return stack.database().number("select count(*) from pending_events") == 0; },
                         heals_within));
  EXPECT_TRUE(eventually([&] { return stack.database().number("select count(*) from run_queue") == 0; },
                         heals_within));
  std::cout << orders << " orders, " << faults << " faults, seed " << seed << "\n";
  check(orders);
}

}  // namespace
}  // namespace waybill::tests
