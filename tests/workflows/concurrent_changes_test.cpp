// Changes of many clients at the same time, which share statements.
#include <atomic>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "tests/harness/eventually.hpp"
#include "tests/workflows/workflow_test.hpp"

namespace waybill::tests {
namespace {

using ConcurrentChanges = WorkflowTest;

TEST_F(ConcurrentChanges, ManyClientsAllTakeEffect) {
  constexpr std::size_t clients = 24;
  std::vector<std::string> orders(clients);
  std::vector<std::jthread> threads;
  for (std::size_t i = 0; i < clients; ++i) {
    threads.emplace_back([&, i, http = world.waybill.http(tenant.http.token())]() mutable {
      const json::object body{{"items", {{{"description", "Lamp"}, {"quantity", 1}, {"price", 1}}}},
                              {"customer", {{"name", "Ann"}, {"email", "ann@example.com"}}},
                              {"deliveryAddress", {{"street", "1 Quay"}, {"city", "Cork"}}}};
      const Response created = http.post("/api/v1/Orders", body);
      EXPECT_EQ(created.status, 201) << created.text;
      orders[i] = text_at(created.data(), "guid");
      const std::string path = "/api/v1/Orders/" + orders[i];
      for (const char* const status : {"processing", "ready"})
        EXPECT_EQ(http.patch(path + "/status", {{"status", status}}).status, 200);
      EXPECT_EQ(http.put(path, {{"notes", std::to_string(i)}}).status, 200);
    });
  }
  threads.clear();
  for (std::size_t i = 0; i < clients; ++i) {
    const json::value order = tenant.http.get("/api/v1/Orders/" + orders[i]).data();
    EXPECT_EQ(at(order, "status"), "ready");
    EXPECT_EQ(text_at(order, "notes"), std::to_string(i));
    EXPECT_EQ(tenant.history_of_order(orders[i]).size(), 3U);
  }
  EXPECT_EQ(tenant.sql.number("select count(distinct order_number) from orders where business_id = $1",
                              {tenant.id}),
            static_cast<std::int64_t>(clients));
  EXPECT_EQ(tenant.sql.number("select count(*) from customers where business_id = $1", {tenant.id}), 1);
}

/// Requests of many clients that read in one turn of the event loop share a statement.
class SharedReads : public WorkflowTest {
 protected:
  /// Lets clients repeat a request until the statement for several callers of `statement` is seen.
  template <typename Request>
  void expect_shared(const Waybill& api, const std::string& statement, Request request) {
    std::atomic<bool> done = false;
    std::vector<std::jthread> threads;
    for (int i = 0; i < 16; ++i) {
      threads.emplace_back([&, http = api.http(tenant.http.token())]() mutable {
        while (!done) EXPECT_EQ(request(http), 200);
      });
    }
    EXPECT_TRUE(eventually([&] {
      return tenant.sql.number(
                 "select count(*) from pg_stat_activity where datname = current_database() "
                 "and query like '%several callers of ' || $1 || '%'",
                 {statement}) > 0;
    })) << statement;
    done = true;
  }
};

TEST_F(SharedReads, ReadsOfAnOrderShareAStatement) {
  const std::string path = "/api/v1/Orders/" + tenant.create_order();
  expect_shared(world.waybill, "orders/get.sql", [&](Http& http) { return http.get(path).status; });
}

TEST_F(SharedReads, ReadsOfAnEditedOrderShareAStatement) {
  const std::string path = "/api/v1/Orders/" + tenant.create_order();
  expect_shared(world.waybill, "orders/values.sql",
                [&](Http& http) { return http.put(path, {{"notes", "x"}}).status; });
}

TEST_F(SharedReads, ReadsOfATrackingPageShareAStatement) {
  const std::string order = tenant.create_order();
  const std::string shipment =
      text_at(tenant.http.post("/api/v1/Orders/" + order + "/shipment", json::object{}).data(), "guid");
  const std::string url = text_at(tenant.http.get("/api/v1/shipments/" + shipment).data(), "trackingUrl");
  const std::string path = url.substr(url.find("/track/"));
  // An address may see 120 pages a minute.
  const Waybill api(world.database.url(), {.command = "api",
                                           .arguments = {"--trusted-proxy", "127.0.0.1"},
                                           .secret_key_file = world.waybill.secret_key_file()});
  std::atomic<int> viewers = 0;
  expect_shared(api, "tracking_pages/get.sql", [&](Http& http) {
    const int viewer = ++viewers;
    const std::string address = "10." + std::to_string(viewer / 65536) + '.' +
                                std::to_string(viewer / 256 % 256) + '.' + std::to_string(viewer % 256);
    return http.get(path, {{"X-Forwarded-For", address}}).status;
  });
}

TEST_F(ConcurrentChanges, AnEditOfALockedOrderKeepsTheOtherChange) {
  const std::string order = tenant.create_order();
  Session other = world.database.connect();
  other.exec("begin");
  other.exec("update orders set notes = 'by hand' where guid = '" + order + "'");
  std::jthread client([&, http = world.waybill.http(tenant.http.token())]() mutable {
    EXPECT_EQ(http.put("/api/v1/Orders/" + order, {{"externalReference", "R-1"}}).status, 200);
  });
  ASSERT_TRUE(eventually([&] {
    return tenant.sql.number(
               "select count(*) from pg_stat_activity where wait_event_type = 'Lock'"
               " and datname = current_database() and query like '%Locks an order%'") > 0;
  }));
  other.exec("commit");
  client.join();
  const json::value changed = tenant.http.get("/api/v1/Orders/" + order).data();
  EXPECT_EQ(at(changed, "notes"), "by hand");
  EXPECT_EQ(at(changed, "externalReference"), "R-1");
}

}  // namespace
}  // namespace waybill::tests
