// Changes of many clients at the same time, which share statements.
#include <atomic>
#include <cstddef>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "tests/harness/eventually.hpp"
#include "tests/workflows/fixtures/workflow_fixture.hpp"

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

TEST_F(SharedReads, ReadsOfEditedOrdersShareAStatement) {
  // Changes of one order would wait for each other and rarely begin in one turn.
  std::vector<std::string> paths;
  for (int i = 0; i < 64; ++i) paths.push_back("/api/v1/Orders/" + tenant.create_order());
  std::atomic<std::size_t> next = 0;
  expect_shared(world.waybill, "orders/values.sql", [&](Http& http) {
    return http.put(paths[next++ % paths.size()], {{"currency", "EUR"}}).status;
  });
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

/// Changes of one kind by many clients, which share transactions.
class SharedChanges : public WorkflowTest {
 protected:
  static constexpr int clients = 16;

  /// Lets each client repeat a change until one transaction has several of these events, each of another
  /// record.
  template <typename Change>
  void expect_shared(const std::string& events, Change change) {
    std::atomic<bool> done = false;
    std::vector<std::jthread> threads;
    for (int client = 0; client < clients; ++client) {
      threads.emplace_back([&, client, http = world.waybill.http(tenant.http.token())]() mutable {
        for (int n = 0; !done; ++n) change(http, client, n);
      });
    }
    EXPECT_TRUE(eventually([&] {
      return tenant.sql.number("select count(*) from (select xid from events where business_id = $1 and " +
                                   events + " group by xid having count(distinct entity_id) > 1) t",
                               {tenant.id}) > 0;
    }));
    done = true;
  }

  /// Creates a record for each client and returns the guids.
  std::vector<std::string> create_each(const std::string& path, const std::string& unique_field) {
    std::vector<std::string> guids;
    for (int client = 0; client < clients; ++client) {
      const Response created = tenant.http.post(
          path, {{"name", "Old"}, {unique_field, "e" + std::to_string(client) + "@example.com"}});
      EXPECT_EQ(created.status, 201) << created.text;
      guids.push_back(text_at(created.data(), "guid"));
    }
    return guids;
  }
};

TEST_F(SharedChanges, NewCustomersShareATransaction) {
  expect_shared("entity_type = 2 and customer_before is null", [](Http& http, int client, int n) {
    const std::string email = "c" + std::to_string(client) + "-" + std::to_string(n) + "@example.com";
    const Response created = http.post("/api/v1/Customers", {{"name", "Ann"}, {"email", email}});
    EXPECT_EQ(created.status, 201) << created.text;
    EXPECT_EQ(text_at(created.data(), "email"), email);
  });
}

TEST_F(SharedChanges, EditsOfCustomersShareATransaction) {
  const auto guids = create_each("/api/v1/Customers", "email");
  expect_shared("entity_type = 2 and not (customer_before is null)", [&](Http& http, int client, int n) {
    const std::string& guid = guids[static_cast<std::size_t>(client)];
    const std::string name = std::to_string(client) + "-" + std::to_string(n);
    const Response changed = http.put("/api/v1/Customers/" + guid, {{"name", name}});
    EXPECT_EQ(changed.status, 200) << changed.text;
    EXPECT_EQ(text_at(changed.data(), "guid"), guid);
    EXPECT_EQ(text_at(changed.data(), "name"), name);
  });
}

TEST_F(SharedChanges, NewProductsShareATransactionAndHaveDifferentNumbers) {
  ASSERT_EQ(tenant.http.patch("/api/v1/Products/settings", {{"autoGenerateSku", true}}).status, 200);
  expect_shared("entity_type = 3 and product_before is null", [](Http& http, int client, int n) {
    const std::string name = std::to_string(client) + "-" + std::to_string(n);
    const Response created = http.post("/api/v1/Products", {{"name", name}});
    EXPECT_EQ(created.status, 201) << created.text;
    EXPECT_EQ(text_at(created.data(), "name"), name);
  });
  EXPECT_EQ(tenant.sql.number("select count(*) - count(distinct sku) from products where business_id = $1",
                              {tenant.id}),
            0);
}

TEST_F(SharedChanges, EditsOfProductsShareATransaction) {
  const auto guids = create_each("/api/v1/Products", "sku");
  expect_shared("entity_type = 3 and not (product_before is null)", [&](Http& http, int client, int n) {
    const std::string& guid = guids[static_cast<std::size_t>(client)];
    const Response changed = http.put("/api/v1/Products/" + guid, {{"price", n % 100}});
    EXPECT_EQ(changed.status, 200) << changed.text;
    EXPECT_EQ(text_at(changed.data(), "guid"), guid);
  });
}

TEST_F(SharedChanges, NewShipmentsShareATransaction) {
  const json::object sender{{"name", "S"},       {"street", "1 Quay"}, {"city", "Cork"}, {"state", "C"},
                            {"postalCode", "1"}, {"country", "IE"},    {"phone", "1"}};
  expect_shared("entity_type = 1 and shipment_before is null", [&](Http& http, int client, int) {
    const json::object recipient{
        {"name", "R" + std::to_string(client)}, {"street", "1 Quay"}, {"city", "Cork"}};
    const Response created =
        http.post("/api/v1/shipments", {{"sender", sender},
                                        {"recipient", recipient},
                                        {"packages", json::array{json::object{{"length", 1}}}}});
    EXPECT_EQ(created.status, 201) << created.text;
  });
}

TEST_F(SharedChanges, EditsOfShipmentsShareATransaction) {
  std::vector<std::string> guids;
  for (int client = 0; client < clients; ++client) guids.push_back(tenant.insert_shipment(""));
  expect_shared("entity_type = 1 and not (shipment_before is null)", [&](Http& http, int client, int n) {
    const std::string& guid = guids[static_cast<std::size_t>(client)];
    const Response changed =
        http.put("/api/v1/shipments/" + guid, {{"instructions", "ring " + std::to_string(n)}});
    EXPECT_EQ(changed.status, 200) << changed.text;
    EXPECT_EQ(text_at(changed.data(), "guid"), guid);
  });
}

TEST_F(SharedChanges, ThatFailDoNotFailOthers) {
  const auto customers = create_each("/api/v1/Customers", "email");
  const auto products = create_each("/api/v1/Products", "sku");
  const std::string missing = "00000000-0000-4000-8000-000000000001";
  std::vector<std::jthread> threads;
  for (int client = 0; client < clients; ++client) {
    threads.emplace_back([&, client, http = world.waybill.http(tenant.http.token())]() mutable {
      const auto index = static_cast<std::size_t>(client);
      for (int n = 0; n < 10; ++n) {
        const std::string name = std::to_string(client) + "-" + std::to_string(n);
        const json::object taken{{"name", name}, {"email", "e0@example.com"}};
        const json::object taken_sku{{"name", name}, {"sku", "e0@example.com"}};
        if (client == 1) {
          EXPECT_EQ(http.put("/api/v1/Customers/" + missing, {{"name", name}}).status, 404);
          EXPECT_EQ(http.put("/api/v1/Products/" + missing, {{"name", name}}).status, 404);
        } else if (client == 2) {
          EXPECT_EQ(http.put("/api/v1/Customers/" + customers[index], taken).status, 409);
          EXPECT_EQ(http.put("/api/v1/Products/" + products[index], taken_sku).status, 409);
        } else if (client == 3) {
          EXPECT_EQ(http.post("/api/v1/Customers", taken).status, 409);
          EXPECT_EQ(http.post("/api/v1/Products", taken_sku).status, 409);
        } else if (client == 4) {
          EXPECT_EQ(http.put("/api/v1/Products/" + products[index], {{"sku", nullptr}}).status, 400);
        } else if (client % 2 == 0) {
          EXPECT_EQ(http.put("/api/v1/Customers/" + customers[index], {{"name", name}}).status, 200);
          EXPECT_EQ(http.put("/api/v1/Products/" + products[index], {{"name", name}}).status, 200);
        } else {
          EXPECT_EQ(http.post("/api/v1/Customers", {{"name", name}}).status, 201);
          EXPECT_EQ(http.post("/api/v1/Products", {{"name", name}, {"sku", name}}).status, 201);
        }
      }
    });
  }
  threads.clear();
  EXPECT_EQ(text_at(tenant.http.get("/api/v1/Customers/" + customers[2]).data(), "name"), "Old");
  EXPECT_EQ(text_at(tenant.http.get("/api/v1/Customers/" + customers[6]).data(), "name"), "6-9");
  EXPECT_EQ(text_at(tenant.http.get("/api/v1/Products/" + products[4]).data(), "sku"), "e4@example.com");
}

TEST_F(ConcurrentChanges, AnEditOfALockedShipmentKeepsTheOtherChange) {
  const std::string shipment = tenant.insert_shipment("");
  Session other = world.database.connect();
  other.exec("begin");
  other.exec("update shipments set instructions = 'by hand' where guid = '" + shipment + "'");
  std::jthread client([&, http = world.waybill.http(tenant.http.token())]() mutable {
    EXPECT_EQ(http.put("/api/v1/shipments/" + shipment, {{"externalReference", "R-1"}}).status, 200);
  });
  ASSERT_TRUE(eventually([&] {
    return tenant.sql.number(
               "select count(*) from pg_stat_activity where wait_event_type = 'Lock'"
               " and datname = current_database() and query like '%Locks a shipment%'") > 0;
  }));
  other.exec("commit");
  client.join();
  const json::value changed = tenant.http.get("/api/v1/shipments/" + shipment).data();
  EXPECT_EQ(at(changed, "instructions"), "by hand");
  EXPECT_EQ(at(changed, "externalReference"), "R-1");
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
