#include <algorithm>
#include <array>
#include <csignal>
#include <functional>
#include <iostream>
#include <memory>
#include <optional>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "tests/crash/faults.hpp"
#include "tests/harness/eventually.hpp"
#include "tests/workflows/fixtures/tenant.hpp"

namespace waybill::tests {
namespace {

using namespace std::chrono_literals;

/// `waybill up` on its own cluster, with a worker, and two further workers that are killed and stopped.
class ThreeWorkers {
 public:
  ThreeWorkers() {
    Waybill::Options options;
    options.retry_schedule = schedule;
    options.arguments = {"--blast-guard-factor", "0"};
    options.data_dir = directory_ / "data";
    up_ = std::make_unique<Waybill>("", options);
    for (auto& worker : workers_) worker = start();
  }

  const Waybill& up() const { return *up_; }

  void kill(std::size_t which) {
    workers_.at(which)->process().kill(SIGKILL);
    workers_.at(which)->process().wait_exit();
    workers_.at(which) = start();
  }
  void stop(std::size_t which) { workers_.at(which)->process().kill(SIGSTOP); }
  void go_on(std::size_t which) { workers_.at(which)->process().kill(SIGCONT); }

  /// Does the same as `pg_ctl stop -m immediate`; `up` restarts PostgreSQL.
  void crash_postgres() {
    if (!signal_postgres(directory_ / "data", SIGQUIT)) throw std::runtime_error("PostgreSQL does not run");
  }

 private:
  static constexpr const char* schedule = "1s,1s,1s,1s,1s,1s,1s,1s,1s,1s,1s,1s,1s,1s,1s,1s,1s,1s,1s,1s";

  std::unique_ptr<Waybill> start() {
    Waybill::Options options;
    options.command = "worker";
    options.retry_schedule = schedule;
    options.arguments = {"--blast-guard-factor", "0"};
    options.secret_key_file = up_->secret_key_file();
    return std::make_unique<Waybill>(up_->database_url(), options);
  }

  TempDirectory directory_;
  std::unique_ptr<Waybill> up_;
  std::array<std::unique_ptr<Waybill>, 2> workers_;
};

/// A session that reconnects until the database is back; its statements may run twice.
class PatientSession {
 public:
  explicit PatientSession(std::string url) : url_(std::move(url)) {}

  std::int64_t number(const std::string& sql, const std::vector<std::optional<std::string>>& params = {}) {
    return patiently([&](Session& session) { return session.number(sql, params); });
  }
  void exec(const std::string& sql) {
    patiently([&](Session& session) {
      session.exec(sql);
      return 0;
    });
  }

 private:
  std::int64_t patiently(const std::function<std::int64_t(Session&)>& work) {
    std::optional<std::int64_t> result;
    std::string problem;
    eventually(
        [&] {
          try {
            if (!session_) session_.emplace(url_);
            result = work(*session_);
          } catch (const std::runtime_error& error) {
            problem = error.what();
            session_.reset();
          }
          return result.has_value();
        },
        recovery_limit);
    if (!result) throw std::runtime_error("the database does not come back: " + problem);
    return *result;
  }

  std::string url_;
  std::optional<Session> session_;
};

class CrashDuringStatusChanges : public testing::Test {
 protected:
  std::int64_t moved() { return database.number("select count(*) from orders where status = 'delivered'"); }

  /// Checks that every order went from pending to ready, shipped and delivered, once each, by one run each.
  void check(std::int64_t orders) {
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

  bool becomes_count(const std::string& sql, std::int64_t expected) {
    return eventually([&] { return database.number(sql) == expected; }, recovery_limit);
  }

  /// Adds orders with notes, in steps, while workers are killed and stopped and PostgreSQL crashes. `done`
  /// counts the orders that are finished. Returns the number of orders.
  std::int64_t insert_under_faults(const std::function<std::int64_t()>& done) {
    const auto orders = static_cast<std::int64_t>(from_environment("WAYBILL_CRASH_ORDERS", 200));
    const std::uint64_t seed = crash_seed();
    std::mt19937_64 random(seed);
    const std::int64_t step = std::max<std::int64_t>(20, orders / 50);
    const std::int64_t steps = (orders + step - 1) / step;
    int kills = 0;
    int stops = 0;
    int crashes = 0;
    for (std::int64_t at = 0; at < steps; ++at) {
      const std::int64_t order = at * step;
      database.exec(
          "insert into orders (business_id, order_number, delivery_street, delivery_city) select '" +
          tenant.id + "', 'C-' || n, 'Street 1', 'Bonn' from generate_series(" + std::to_string(order + 1) +
          ", " + std::to_string(order + step) +
          ") n where not exists (select from orders where order_number = 'C-' || n)");
      database.exec("update orders set notes = 'go' where notes is null and business_id = '" + tenant.id +
                    "'");
      const std::int64_t until =
          done() + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(step));
      eventually([&] { return done() >= until; }, 2s);
      const std::size_t which = random() % 2;
      if (at == steps / 4 || at == steps / 2 || at == steps * 3 / 4) {
        stack.crash_postgres();
        ++crashes;
      } else if (random() % 4 == 0) {
        stack.stop(which);
        // If it holds the shard of the business, the others continue after its lease ends.
        eventually([&] { return done() >= order + step; }, 15s);
        stack.go_on(which);
        ++stops;
      } else {
        stack.kill(which);
        ++kills;
      }
    }
    std::cout << steps * step << " orders; " << kills << " workers killed, " << stops
              << " stopped for a while, PostgreSQL crashed " << crashes << " times\n";
    return steps * step;
  }

  ThreeWorkers stack;
  PatientSession database{stack.up().database_url()};
  Tenant tenant{stack.up(), "moving"};
};

// WAYBILL_CRASH_ORDERS makes the tests longer.
TEST_F(CrashDuringStatusChanges, StatusChangesAreMadeExactlyOnceDespiteCrashesAndStops) {
  for (const char* status : {"ready", "shipped", "delivered"}) {
    tenant.update_status("order_updated", "", status);
  }
  const std::int64_t orders = insert_under_faults([&] { return moved(); });
  EXPECT_TRUE(becomes_count("select count(*) from orders where status = 'delivered'", orders));
  EXPECT_TRUE(becomes_count("select count(*) from pending_events", 0));
  EXPECT_TRUE(becomes_count("select count(*) from run_queue", 0));
  check(orders);
}

TEST_F(CrashDuringStatusChanges, FieldsAreSetAndShipmentsMadeExactlyOnce) {
  for (const json::object& action :
       {json::object{
            {"type", "update_record"},
            {"set", {{"metadata", {{"seen", "{{orderNumber}}"}}}, {"tags", {{"add", json::array{"seen"}}}}}}},
        json::object{{"type", "create_shipment"}}}) {
    tenant.configure({{"name", action.at("type")},
                      {"entityType", "Order"},
                      {"triggerId", trigger_guid("order_updated")},
                      {"conditions", {{"notes", {{"changed", true}}}}},
                      {"action", action}});
  }
  const std::string shipments = "select count(*) from shipments where order_id is not null";
  const std::int64_t orders = insert_under_faults([&] { return database.number(shipments); });
  EXPECT_TRUE(becomes_count(shipments, orders));
  EXPECT_TRUE(becomes_count("select count(*) from pending_events", 0));
  EXPECT_TRUE(becomes_count("select count(*) from run_queue", 0));
  EXPECT_EQ(database.number("select count(distinct order_id) from shipments"), orders);
  EXPECT_EQ(
      database.number(
          "select count(*) from orders where metadata ->> 'seen' = order_number and tags = '[\"seen\"]'"),
      orders);
  EXPECT_EQ(database.number("select count(*) from events where (order_after).tags is not null and "
                            "(order_before).tags is null"),
            orders)
      << "none twice, none missing";
  EXPECT_EQ(database.number("select count(*) from all_runs where status = 'succeeded'"), 2 * orders);
  EXPECT_EQ(database.number("select count(*) from all_runs"), 2 * orders);
}

}  // namespace
}  // namespace waybill::tests
