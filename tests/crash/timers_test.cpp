#include <array>
#include <csignal>
#include <iostream>
#include <memory>
#include <random>
#include <string>

#include <gtest/gtest.h>

#include "tests/crash/faults.hpp"
#include "tests/harness/eventually.hpp"
#include "tests/workflows/fixtures/tenant.hpp"

namespace waybill::tests {
namespace {

using namespace std::chrono_literals;

/// An API and two workers on one database, which are killed and stopped.
class CrashDuringTimers : public testing::Test {
 protected:
  CrashDuringTimers() {
    for (auto& worker : workers) worker = start();
    tenant.configure({{"name", "a day later"},
                      {"entityType", "Order"},
                      {"timer", {{"field", "createdAt"}, {"offset", "P1D"}}},
                      {"action", {{"type", "update_record"}, {"set", {{"notes", "{{orderNumber}}"}}}}}});
    // move_clock moves the timers instead of the clock, so the workflow must have been active long before,
    // and no scan of the records may set the timers again.
    tenant.sql.exec("update workflows set active_since = now() - interval '9 days'");
    EXPECT_TRUE(becomes("timer_scans", 0));
  }

  static Waybill::Options options(const char* command) {
    Waybill::Options options;
    options.command = command;
    options.arguments = {"--blast-guard-factor", "0"};
    return options;
  }
  std::unique_ptr<Waybill> start() {
    Waybill::Options worker = options("worker");
    worker.secret_key_file = api.secret_key_file();
    return std::make_unique<Waybill>(database.url(), worker);
  }
  void kill(std::size_t which) {
    workers.at(which)->process().kill(SIGKILL);
    workers.at(which)->process().wait_exit();
    workers.at(which) = start();
  }

  std::int64_t count(const std::string& from_where) {
    return tenant.sql.number("select count(*) from " + from_where);
  }
  bool becomes(const std::string& from_where, std::int64_t expected) {
    return eventually([&] { return count(from_where) == expected; }, recovery_limit);
  }
  /// The work that is left and the leases, for the message of a failure.
  std::string left() {
    std::string text;
    for (const std::string& line :
         tenant.sql.column("select 'timer ' || t::text from timers t union all "
                           "select 'run ' || q::text from run_queue q union all "
                           "select 'event ' || p::text from pending_events p union all "
                           "select 'shard ' || s::text from shards s limit 60"))
      text += "\n" + line;
    return text;
  }
  void insert_orders(std::int64_t first, std::int64_t last) {
    tenant.sql.exec("insert into orders (business_id, order_number) select '" + tenant.id +
                    "', 'T-' || n from generate_series(" + std::to_string(first) + ", " +
                    std::to_string(last) + ") n");
  }
  /// Simulates that the clock moves by `by`: moves the times of all waiting timers the other way.
  void move_clock(const std::string& by) {
    tenant.sql.exec("update timers set due_at = due_at - interval '" + by +
                    "', check_at = due_at - interval '" + by + "'");
  }
  /// Checks that each order was changed once, by one run.
  void check(std::int64_t orders) {
    EXPECT_TRUE(becomes("orders where notes = order_number", orders));
    EXPECT_TRUE(becomes("run_queue", 0));
    EXPECT_TRUE(becomes("pending_events", 0));
    EXPECT_EQ(count("timers"), 0);
    EXPECT_EQ(count("runs"), orders);
    EXPECT_EQ(count("runs where status <> 'succeeded'"), 0);
    EXPECT_EQ(tenant.sql.number("select count(distinct entity_id) from runs"), orders)
        << "none twice, none missing";
    EXPECT_EQ(count("timer_results where run_id is not null"), orders);
    EXPECT_EQ(count("events where (order_after).notes is not null"), orders);
  }

  TestDatabase database;
  Waybill api{database.url(), options("api")};
  Tenant tenant{api, "timed"};
  std::array<std::unique_ptr<Waybill>, 2> workers;
};

// WAYBILL_CRASH_ORDERS makes the test longer.
TEST_F(CrashDuringTimers, EachFiresOnceDespiteKillsStopsAndJumpsOfTheClock) {
  const auto orders = static_cast<std::int64_t>(from_environment("WAYBILL_CRASH_ORDERS", 400));
  const std::uint64_t seed = crash_seed();
  std::mt19937_64 random(seed);
  const std::int64_t step = orders / 8;
  std::int64_t inserted = 0;
  for (int round = 0; round < 8; ++round) {
    insert_orders(inserted + 1, inserted + step);
    inserted += step;
    if (round % 2 == 0) kill(random() % 2);
    ASSERT_TRUE(becomes("pending_events", 0)) << left();
    // Moves the clock to a minute before the due time, an hour back, and forward again past the due time.
    move_clock("23 hours 59 minutes");
    move_clock("-1 hours");
    move_clock("1 hours");
    move_clock("1 hours");
    const std::size_t which = random() % 2;
    if (round % 4 == 3) {
      workers.at(which)->process().kill(SIGSTOP);
      EXPECT_TRUE(becomes("orders where notes = order_number", inserted))
          << "the other has its shards after its lease" << left();
      workers.at(which)->process().kill(SIGCONT);
    } else {
      const std::int64_t until =
          inserted - static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(step));
      eventually([&] { return count("timer_results") >= until; }, 2s);
      kill(which);
    }
    move_clock("-1 hours");
    move_clock("2 hours");
  }
  std::cout << inserted << " timers\n";
  check(inserted);
}

TEST_F(CrashDuringTimers, AScanOfRecordsGoesOnAfterAKill) {
  constexpr std::int64_t orders = 3'000;
  for (auto& worker : workers) worker->process().kill(SIGKILL);
  insert_orders(1, orders);
  for (auto& worker : workers) worker = start();
  ASSERT_TRUE(becomes("pending_events", 0));
  tenant.sql.exec("delete from timers");
  // Another offset makes the workers go through all orders.
  tenant.sql.exec(
      "update workflows set trigger_code = 'timer:order.createdAt:P2D', version = version + 1 where "
      "trigger_code like 'timer:%'");
  for (int i = 0; i < 3; ++i) {
    const std::int64_t before = count("timers");
    eventually([&] { return count("timers") > before || count("timer_scans") == 0; }, recovery_limit);
    kill(static_cast<std::size_t>(i) % 2);
  }
  EXPECT_TRUE(becomes("timer_scans", 0));
  EXPECT_EQ(count("timers"), orders);
}

TEST_F(CrashDuringTimers, EachTickOfAScheduleRunsOnceDespiteKills) {
  constexpr std::int64_t orders = 50;
  constexpr int ticks = 8;
  tenant.sql.exec("update workflows set deleted_at = now() where trigger_code like 'timer:%'");
  insert_orders(1, orders);
  const std::string workflow = text_at(
      tenant.configure({{"name", "daily"},
                        {"entityType", "Order"},
                        {"schedule", {{"cron", "0 8 * * *"}}},
                        {"each", true},
                        {"action", {{"type", "update_record"}, {"set", {{"notes", "{{orderNumber}}"}}}}}}),
      "guid");
  tenant.sql.exec("update workflows set active_since = now() - interval '9 days' where guid = '" + workflow +
                  "'");
  ASSERT_TRUE(becomes("schedules where next_at > now()", 1));
  for (int i = 0; i < ticks; ++i) {
    tenant.sql.exec("update schedules set next_at = now() - interval '1 minute', check_at = now()");
    if (i % 2 == 0) kill(static_cast<std::size_t>(i) / 2 % 2);
    ASSERT_TRUE(becomes("schedules where next_at > now()", 1)) << "made up after the kill";
  }
  EXPECT_TRUE(becomes("runs", ticks * orders));
  EXPECT_TRUE(becomes("run_queue", 0));
  EXPECT_EQ(tenant.sql.number("select count(distinct (entity_id, created_at)) from runs"), ticks * orders);
}

}  // namespace
}  // namespace waybill::tests
