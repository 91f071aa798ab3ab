#include <atomic>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>

#include <gmock/gmock.h>

#include "domain/filter/filter.hpp"
#include "storage/sql/duties.sql.hpp"
#include "tests/api/fixtures/shipments_fixture.hpp"

namespace waybill::tests {
namespace {

using testing::HasSubstr;

class ListTotals : public ShipmentsFixture {
 protected:
  static constexpr const char* order_states[] = {"draft",   "pending",   "processing", "ready",
                                                 "shipped", "delivered", "cancelled"};
  static constexpr const char* shipment_states[] = {"created",          "collected", "in_transit",
                                                    "out_for_delivery", "delivered", "exception",
                                                    "returned",         "cancelled"};

  static std::int64_t total(Http& client, const std::string& target) {
    const auto response = client.get(target);
    EXPECT_EQ(response.status, 200) << response.text;
    return at(response.body, "totalCount").to_number<std::int64_t>();
  }
  std::int64_t total(const std::string& target) { return total(http, target); }

  static std::string orders_where(const std::string& filter) {
    return "/api/v1/Orders?$filter=" + url_encode(filter);
  }

  std::int64_t count(const std::string& table, const std::string& condition) {
    return tenant.sql.number(
        "select count(*) from " + table + " where business_id = $1 and deleted_at is null and " + condition,
        {tenant.id});
  }

  void expect_exact_totals(const char* after) {
    for (const std::string state : order_states) {
      EXPECT_EQ(total(orders_where("status eq '" + state + "'")), count("orders", "status = '" + state + "'"))
          << state << " after " << after;
    }
    for (const auto& [filter, condition] : {
             std::pair("status ne 'ready'", "status <> 'ready'"),
             std::pair("status in ('ready','delivered','lost')", "status in ('ready', 'delivered')"),
             std::pair("not (status eq 'ready' or startswith(status,'p'))", "status !~ '^(ready$|p)'"),
             std::pair("status eq null", "false"),
         }) {
      EXPECT_EQ(total(orders_where(filter)), count("orders", condition)) << filter << " after " << after;
    }
    for (const std::string state : shipment_states) {
      EXPECT_EQ(total("/api/v1/shipments?status=" + state), count("shipments", "status = '" + state + "'"))
          << state << " after " << after;
    }
  }

  /// Runs a statement in which BUSINESS stands for the guid.
  void sql(std::string statement) {
    constexpr std::string_view name = "BUSINESS";
    for (std::size_t at = 0; (at = statement.find(name, at)) != std::string::npos;) {
      statement.replace(at, name.size(), "'" + tenant.id + "'");
    }
    tenant.sql.exec(statement);
  }

  /// Inserts orders by SQL, in one transaction.
  void insert_orders(int from, int to) {
    sql("insert into orders (business_id, order_number, status, total_value, created_at) select BUSINESS, "
        "'N-' || n, "
        "(array['pending', 'ready', 'shipped'])[1 + n % 3], n, timestamptz '2026-01-01' + n * interval '1 "
        "minute' "
        "from generate_series(" +
        std::to_string(from) + ", " + std::to_string(to) + ") n");
  }
};

TEST_F(ListTotals, TheTotalOfAStatusIsExactAfterEachKindOfChange) {
  insert_orders(1, 30);
  expect_exact_totals("an insert of many");
  const auto order = text_at(http.post("/api/v1/Orders", order_body()).data(), "guid");
  ASSERT_EQ(http.patch("/api/v1/Orders/" + order + "/status", {{"status", "ready"}}).status, 200);
  create();
  expect_exact_totals("changes through the API");
  world.database.rows(storage::sql::duties::FoldStatusCounts::statement.text, {"1000000"});
  expect_exact_totals("folding");
  sql("update orders set status = 'delivered' where business_id = BUSINESS and status = 'shipped'");
  sql("update shipments set status = 'in_transit' where business_id = BUSINESS");
  expect_exact_totals("changes of many by SQL");
  sql("update orders set deleted_at = now() where business_id = BUSINESS and status = 'ready'");
  expect_exact_totals("soft deletion");
  sql("update orders set deleted_at = null, status = 'processing' where business_id = BUSINESS and "
      "deleted_at is not null");
  expect_exact_totals("restoring with another status");
  sql("update orders set deleted_at = now() where business_id = BUSINESS and status = 'processing'");
  sql("delete from orders where business_id = BUSINESS and deleted_at is not null");
  sql("delete from orders where business_id = BUSINESS and status = 'pending'");
  sql("delete from shipments where business_id = BUSINESS");
  expect_exact_totals("deletion of rows");
  world.database.rows(storage::sql::duties::FoldStatusCounts::statement.text, {"1000000"});
  world.database.rows(storage::sql::duties::FoldStatusCounts::statement.text, {"1000000"});
  expect_exact_totals("folding again");
  EXPECT_EQ(tenant.sql.number("select count(*) from status_counts where business_id = $1", {tenant.id}), 1);
}

TEST_F(ListTotals, TheTotalOfAStatusStaysExactWhenACustomerIsErased) {
  const auto ada = customer("ada");
  http.post("/api/v1/Orders", order_body({{"customerId", ada}, {"customer", nullptr}}));
  create({{"customerId", ada}});
  ASSERT_EQ(http.post("/api/v1/Customers/" + ada + "/erase").status, 200);
  expect_exact_totals("an erasure");
}

TEST_F(ListTotals, ARolledBackChangeIsNotCounted) {
  insert_orders(1, 3);
  tenant.sql.exec("begin");
  sql("update orders set status = 'cancelled' where business_id = BUSINESS");
  tenant.sql.exec("rollback");
  expect_exact_totals("a rollback");
}

TEST_F(ListTotals, TheTotalsOfAStatusAreOfOneMomentWhileOrdersMove) {
  insert_orders(1, 30);
  std::atomic<bool> done = false;
  // Each transaction moves one order to `ready` and another one back, so the number stays.
  std::thread writer([&] {
    Session session(world.database.url());
    for (int i = 0; !done; ++i) {
      session.exec(
          "update orders set status = case status when 'ready' then 'pending' else 'ready' end where "
          "business_id = '" +
          tenant.id + "' and order_number in ('N-1', 'N-3')");
      if (i % 20 == 0) session.rows(storage::sql::duties::FoldStatusCounts::statement.text, {"1000000"});
    }
  });
  for (int i = 0; i < 100; ++i) EXPECT_EQ(total(orders_where("status eq 'ready'")), 10);
  done = true;
  writer.join();
  expect_exact_totals("moves");
}

// From the second request on, a total of more than a thousand is counted by a statement of its own.
TEST_F(ListTotals, LargeSelectionsCountTheCallersOwnChanges) {
  insert_orders(1, 1200);
  const auto target = orders_where("createdAt ge 2026-01-01 and createdAt lt 2026-02-01");
  for (int i = 0; i < 3; ++i) EXPECT_EQ(total(target), 1200);
  std::vector<std::thread> readers;
  std::atomic<bool> done = false;
  for (int i = 0; i < 4; ++i) {
    readers.emplace_back([&] {
      Http client = http.with_token(http.token());
      while (!done) total(client, target);
    });
  }
  for (int n = 1201; n <= 1260; ++n) {
    insert_orders(n, n);
    EXPECT_EQ(total(target), n);
  }
  done = true;
  for (auto& reader : readers) reader.join();
  EXPECT_EQ(total(target + "&Page=100"), 1260);
  EXPECT_EQ(at(http.get(target + "&Page=100").body, "data").as_array().size(), 0U);
}

TEST_F(ListTotals, ASelectionThatBecomesSmallStaysExact) {
  insert_orders(1, 1100);
  const auto target = orders_where("createdAt ge 2026-01-01");
  for (int i = 0; i < 2; ++i) EXPECT_EQ(total(target), 1100);
  sql("delete from orders where business_id = BUSINESS and total_value > 7");
  for (int i = 0; i < 3; ++i) EXPECT_EQ(total(target), 7);
  sql("delete from orders where business_id = BUSINESS");
  for (int i = 0; i < 3; ++i) EXPECT_EQ(total(target), 0);
}

TEST_F(ListTotals, AnUnknownStatusHasATotalOfZero) {
  insert_orders(1, 3);
  EXPECT_EQ(total(orders_where("status eq 'lost'")), 0);
}

TEST_F(ListTotals, PagesOfAFilteredListNeitherOverlapNorEnd) {
  insert_orders(1, 60);
  for (const std::string filter : {"status eq 'ready'", "createdAt ge 2026-01-01"}) {
    std::set<std::string> seen;
    const auto expected = static_cast<std::size_t>(total(orders_where(filter)));
    for (int page = 1; page <= 7; ++page) {
      const auto response = http.get(orders_where(filter) + "&PageSize=9&Page=" + std::to_string(page));
      for (const auto& guid : texts(response, "guid")) EXPECT_TRUE(seen.insert(guid).second) << guid;
    }
    EXPECT_EQ(seen.size(), expected) << filter;
  }
}

class ListPlans : public testing::Test {
 protected:
  // Two thousand customers have ten orders each.
  ListPlans() {
    database.exec(
        "set session_replication_role = replica; "
        "insert into businesses (guid, name) values ('" +
        business +
        "', 'one');"
        "insert into orders (business_id, order_number, status, customer_id, integration_id, external_id, "
        "external_reference, delivery_name, created_at) "
        "select '" +
        business +
        "', n, (array['pending', 'ready', 'shipped', 'delivered'])[1 + n % 4], "
        "('00000000-0000-4000-9000-' || 100000000000 + n % 2000)::uuid, "
        "case when n % 10 = 0 then '00000000-0000-4000-9000-000000000000'::uuid end, case when n % 10 = 0 "
        "then 'x' || n end, "
        "case when n % 5 = 0 then 'r' || n end, case when n % 20 = 0 then 'Receiver ' || n end, timestamptz "
        "'2026-01-01' + n * interval '1 minute' "
        "from generate_series(1, 20000) n;"
        "analyze orders");
  }

  std::string plan(const std::string& filter) {
    const auto compiled = domain::compile_filter(filter, domain::record_type(domain::EntityType::order), 2);
    const auto& fragment = std::get<domain::SqlFragment>(compiled);
    std::string arguments = "'" + business + "'";
    for (const auto& param : fragment.params) arguments += ", '" + param + "'";
    database.exec(
        "prepare page as select r.guid from orders r where r.business_id = $1 and r.deleted_at is null and " +
        fragment.text + " order by r.created_at desc, r.guid desc limit 50");
    std::string text;
    for (const auto& row : database.rows("explain (costs off) execute page(" + arguments + ")"))
      text += row.at(0).value() + "\n";
    database.exec("deallocate page");
    return text;
  }

  const std::string business = "00000000-0000-4000-b000-000000000001";
  TestDatabase database;
};

TEST_F(ListPlans, AFilterReadsItsIndex) {
  EXPECT_THAT(plan("status eq 'pending'"), HasSubstr("orders_by_status"));
  EXPECT_THAT(plan("customer/guid eq 00000000-0000-4000-9000-100000000007"), HasSubstr("orders_by_customer"));
  EXPECT_THAT(plan("createdAt ge 2026-01-03 and createdAt lt 2026-01-04"), HasSubstr("orders_by_creation"));
  EXPECT_THAT(plan("externalReference eq 'r5'"), HasSubstr("orders_by_reference"));
  EXPECT_THAT(plan("source/externalId eq 'x10'"), HasSubstr("orders_external_unique"));
  EXPECT_THAT(plan("deliveryAddress/name eq 'Receiver 40'"), HasSubstr("orders_by_recipient"));
}

TEST_F(ListTotals, EachMoveOfAStatementAddsARow) {
  insert_orders(1, 30);
  const std::int64_t ready = count("orders", "status = 'ready'");
  ASSERT_GT(ready, 1);
  const auto rows = [&] {
    return tenant.sql.number(
        "select count(*) from status_counts where business_id = $1 and status_before = 'ready'", {tenant.id});
  };
  tenant.sql.exec("begin");
  sql("update orders set status = 'cancelled' where business_id = BUSINESS and status = 'ready'");
  EXPECT_EQ(rows(), ready);
  sql("update orders set notes = 'x' where business_id = BUSINESS");
  EXPECT_EQ(rows(), ready);
  tenant.sql.exec("commit");
}

/// The SQL in docs/operations.md that counts again.
std::string documented_recount() {
  const auto root = std::filesystem::path(__FILE__).parent_path().parent_path().parent_path().parent_path();
  std::ifstream file(root / "docs" / "operations.md");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const std::string begin = "```sql\n";
  const std::size_t section = text.find("### Counting again");
  const std::size_t at = text.find(begin, section) + begin.size();
  return text.substr(at, text.find("```", at) - at);
}

TEST_F(ListTotals, AreAtLeastWhatAPageShowsOfUncountedRowsAndExactAfterTheDocumentedRecount) {
  insert_orders(1, 5);
  tenant.sql.exec("set session_replication_role = replica");
  insert_orders(6, 30);
  tenant.sql.exec("reset session_replication_role");
  const auto all = http.get("/api/v1/Orders");
  EXPECT_EQ(at(all.body, "totalCount"), 30);
  EXPECT_EQ(at(all.body, "totalPages"), 1);
  int shown = 0;
  for (int page = 1, pages = 1; page <= pages; ++page) {
    const auto response = http.get("/api/v1/Orders?PageSize=10&Page=" + std::to_string(page));
    shown += static_cast<int>(at(response.body, "data").as_array().size());
    pages = static_cast<int>(at(response.body, "totalPages").to_number<int>());
    ASSERT_LE(pages, 4);
  }
  EXPECT_EQ(shown, 30) << "a client that follows totalPages reads all";
  tenant.sql.exec(documented_recount());
  EXPECT_EQ(total("/api/v1/Orders?PageSize=1"), 30);
  expect_exact_totals("the recount");
  tenant.sql.exec(documented_recount());
  expect_exact_totals("another recount");
}

class ShipmentSearch : public ListTotals {};

TEST_F(ShipmentSearch, FindsRecipientsAndNumbersButNotSendersAndStreets) {
  const auto guid = create({{"recipient",
                             {{"name", "Grace Hopper"},
                              {"company", "Navy Yard"},
                              {"street", "Compiler Road 1"},
                              {"city", "Arlington"}}},
                            {"carrierTrackingNumber", "CN-77-XYZ"}});
  const auto number = text_at(get(guid), "trackingNumber");
  for (const std::string word : {"hopper", "NAVY", "arling", "cn-77-xyz", number.c_str()}) {
    EXPECT_EQ(total("/api/v1/shipments?search=" + url_encode(word)), 1) << word;
  }
  EXPECT_EQ(total("/api/v1/shipments?search=grace%20arlington%20cn-77"), 1);
  EXPECT_EQ(total("/api/v1/shipments?search=grace%20lisbon"), 0);
  EXPECT_EQ(total("/api/v1/shipments?search=engines"), 0);
  EXPECT_EQ(total("/api/v1/shipments?search=compiler"), 0);
}

}  // namespace
}  // namespace waybill::tests
