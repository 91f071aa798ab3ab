#include <atomic>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/harness/eventually.hpp"
#include "tests/workflows/fixtures/workflow_fixture.hpp"

namespace waybill::tests {
namespace {

using testing::HasSubstr;

Finished start(const std::string& command, const std::string& url, std::vector<std::string> arguments) {
  std::vector<std::string> all{waybill_binary(), command, "--database-url", url, "--metrics-listen", "off"};
  all.insert(all.end(), arguments.begin(), arguments.end());
  return run(all);
}

TEST(DatabaseConnections, AreNeverExceededUnderLoad) {
  constexpr int most = 32;  // the least for `up`
  Waybill::Options options;
  options.arguments = {"--database-connections", std::to_string(most)};
  World world(options);
  Receiver receiver;
  Tenant tenant(world.waybill, "busy");
  tenant.webhook(receiver.url("/hook"), "order_created");
  Session watcher = postgres().admin();
  std::atomic<bool> is_done = false;
  std::atomic<int> served = 0;
  std::vector<std::jthread> clients;
  const std::vector<std::string> reads{
      "/api/v1/Orders?$search=", "/api/workflows/runs?destination=", "/api/v1/Customers?$search="};
  for (int i = 0; i < 24; ++i) {
    clients.emplace_back([&, i] {
      Http http = world.waybill.http(tenant.http.token());
      const json::object order{{"items", json::array{{{"description", "x"}, {"quantity", 1}, {"price", 1}}}},
                               {"customer", {{"name", "Ann"}}},
                               {"deliveryAddress", {{"street", "a"}, {"city", "b"}}}};
      while (!is_done) {
        const Response response =
            i % 2 == 0
                ? http.post("/api/v1/Orders", order)
                : http.get(reads[static_cast<std::size_t>(i / 2) % reads.size()] + std::to_string(10 + i));
        served += response.status < 300 ? 1 : 0;
      }
    });
  }
  const auto connections = [&](const std::string& name) {
    return watcher.number("select count(*) from pg_stat_activity where application_name like '" + name +
                          "' and datname = '" + world.database.name() + "'");
  };
  // Requests that wait for a lock keep their connections, however fast the machine is. Equal requests would
  // share one.
  tenant.sql.exec("begin; lock table orders in access exclusive mode");
  constexpr int least_used = 4;  // one for reads, one for writes, two for long reads
  EXPECT_TRUE(eventually([&] { return connections("waybill api") >= least_used; })) << "each pool is used";
  tenant.sql.exec("commit");
  std::int64_t peak = 0;
  EXPECT_TRUE(eventually(
      [&] {
        peak = std::max(peak, connections("waybill%"));
        return served > 600;
      },
      std::chrono::seconds(60)));
  is_done = true;
  clients.clear();
  EXPECT_LE(peak, most);
}

// Connections of the tests' PostgreSQL server.
struct Offer {
  std::int64_t maximum = 0;
  std::int64_t reserved = 0;
  std::int64_t available() const { return maximum - reserved; }
};

Offer offer_of_the_server() {
  Session sql = postgres().admin();
  return {.maximum = sql.number("select current_setting('max_connections')::int"),
          .reserved = sql.number("select current_setting('superuser_reserved_connections')::int")};
}

TEST(DatabaseConnections, TooFewOrTooManyStopTheStartWithTheNumbers) {
  const TestDatabase database;
  const Offer offer = offer_of_the_server();
  const std::string too_many = std::to_string(offer.available() + 1);
  for (const std::string command : {"up", "api", "worker"}) {
    const Finished few = start(command, database.url(), {"--database-connections", "9"});
    EXPECT_NE(few.status, 0);
    EXPECT_THAT(few.standard_error, HasSubstr("--database-connections 9 is too small"));
    const Finished many = start(command, database.url(), {"--database-connections", too_many});
    EXPECT_NE(many.status, 0);
    EXPECT_THAT(
        many.standard_error,
        HasSubstr("--database-connections " + too_many + " exceeds the " + std::to_string(offer.available()) +
                  " connections that PostgreSQL offers (max_connections " + std::to_string(offer.maximum) +
                  " less " + std::to_string(offer.reserved) + " reserved)"));
  }
}

TEST(DatabaseConnections, TheSumOfAllProcessesGivesAWarning) {
  const TestDatabase database;
  const Offer offer = offer_of_the_server();
  // Each half fits, and both together exceed the offer.
  const std::string half = std::to_string(offer.available() / 2 + 1);
  Waybill::Options options;
  options.command = "api";
  options.arguments = {"--database-connections", half};
  Waybill first(database.url(), options);
  EXPECT_EQ(first.process().standard_error().find("may open"), std::string::npos);
  options.command = "worker";
  options.secret_key_file = first.secret_key_file();
  Waybill second(database.url(), options);
  EXPECT_TRUE(second.process().wait_for_line("the running processes may open " + half +
                                             " connections and this one " + half +
                                             ", but PostgreSQL offers " + std::to_string(offer.available())));
}

}  // namespace
}  // namespace waybill::tests
