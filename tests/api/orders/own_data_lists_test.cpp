// Lists of orders by own data, whose values may have any distribution.
#include <memory>
#include <string>
#include <tuple>

#include "tests/api/fixtures/api_fixture.hpp"
#include "tests/api/fixtures/prepared_business.hpp"
#include "tests/harness/postgres.hpp"
#include "tests/harness/server.hpp"
#include "tests/workflows/fixtures/tenant.hpp"

namespace waybill::tests {
namespace {

/// A business with 20 000 orders, of which nearly all have a frequent tag and a frequent reference, and five,
/// the oldest, have rare ones. The database counts how often it computes the tags of a row.
struct ManyOrders {
  ManyOrders() {
    // An analysis in the background computes the tags of all rows.
    database.exec(
        "alter table orders set (autovacuum_enabled = off); "
        "alter table shipments set (autovacuum_enabled = off)");
    database.exec(
        "do $$ begin execute replace(pg_get_functiondef('lower_tags'::regproc), 'lower_tags', "
        "'tags_in_lower_case'); end $$");
    database.exec(
        "create or replace function lower_tags(tags jsonb) returns text[] language plpgsql immutable strict "
        "as $$ begin "
        "perform pg_stat_force_next_flush(); return tags_in_lower_case(tags); end $$");
    tenant.sql.rows(
        "insert into orders (business_id, order_number, items, delivery_street, delivery_city, tags, "
        "external_reference, metadata, created_at) "
        "select $1, 'N-' || n, '[]', 'S', 'C', case when n <= 5 then '[\"rare\"]'::jsonb "
        "when n % 3 = 0 then '[\"a\", \"b\"]' else '[\"a\"]' end, case when n <= 5 then 'R-rare' else "
        "'R-most' end, "
        "jsonb_build_object('k', case when n <= 5 then 'rare' else 'most' end), "
        "now() - interval '1 day' + n * interval '1 second' from generate_series(1, 20000) n",
        {tenant.id});
    database.exec("analyze orders");
  }

  static std::string counting_calls(TestDatabase& database) {
    database.exec(
        "do $$ begin execute format('alter database %I set track_functions = pl', "
        "current_database()); end $$");
    return database.url();
  }

  TestDatabase database;
  Waybill waybill{counting_calls(database), {.command = "api"}};  // the duties of a worker compute tags, too
  Tenant tenant{waybill, "shop"};
};

/// Lists of these orders, which no test changes.
class OwnDataLists : public testing::Test {
 protected:
  static void SetUpTestSuite() { orders_ = std::make_unique<ManyOrders>(); }
  static void TearDownTestSuite() { orders_.reset(); }

  std::int64_t calls() {
    return database.number("select sum(calls) from pg_stat_user_functions where funcname = 'lower_tags'");
  }

  json::array numbers(std::string_view query) {
    const auto response = tenant.http.get("/api/v1/Orders?" + std::string(query));
    EXPECT_EQ(response.status, 200) << response.text;
    total = response.body.at("totalCount").to_number<std::int64_t>();
    json::array numbers;
    for (const auto& order : response.data().as_array()) numbers.push_back(order.at("orderNumber"));
    return numbers;
  }

  TestDatabase& database = orders_->database;
  Tenant& tenant = orders_->tenant;
  std::int64_t total = 0;

 private:
  static inline std::unique_ptr<ManyOrders> orders_;
};

TEST_F(OwnDataLists, ARareValueIsFoundWithoutReadingTheRowsOfFrequentOnes) {
  const json::array rare{"N-5", "N-4", "N-3", "N-2", "N-1"};
  const auto before = calls();
  EXPECT_GE(before, 20'000) << "the index has the tags of each order";
  EXPECT_EQ(numbers("$filter=tags%20eq%20'rare'"), rare);
  EXPECT_EQ(total, 5);
  EXPECT_LT(calls() - before, 5'000);
  EXPECT_EQ(numbers("$filter=tags%20eq%20'RARE'%20and%20status%20eq%20'pending'"), rare);
  EXPECT_LT(calls() - before, 10'000);
  EXPECT_EQ(numbers("$filter=externalReference%20eq%20'R-rare'"), rare);
  EXPECT_EQ(numbers("$filter=metadata/k%20eq%20'rare'"), rare);
  EXPECT_EQ(numbers("$filter=tags%20eq%20'rare'&$orderby=orderNumber"),
            (json::array{"N-1", "N-2", "N-3", "N-4", "N-5"}));
  EXPECT_EQ(numbers("$filter=tags%20eq%20'rare'&PageSize=2&Page=2"), (json::array{"N-3", "N-2"}));
}

TEST_F(OwnDataLists, ARareValueIsSortedWithoutReadingTheRowsOfFrequentOnes) {
  const auto rows_read = [this] {
    return database.number(
        "select seq_tup_read + idx_tup_fetch from pg_stat_user_tables where relname = 'orders'");
  };
  const auto before = rows_read();
  EXPECT_EQ(numbers("$filter=tags%20eq%20'rare'&$orderby=notes,orderNumber"),
            (json::array{"N-1", "N-2", "N-3", "N-4", "N-5"}));
  EXPECT_LT(rows_read() - before, 5'000);
}

TEST_F(OwnDataLists, AFrequentTagIsCountedWithoutReadingTheTagsOfAllRows) {
  const auto before = calls();
  EXPECT_EQ(numbers("$filter=tags%20eq%20'a'&PageSize=1"), json::array{"N-20000"});
  EXPECT_EQ(total, 19'995);
  EXPECT_LT(calls() - before, 5'000);
  EXPECT_EQ(numbers("$filter=tags%20eq%20'a'%20and%20status%20eq%20'pending'&PageSize=1"),
            json::array{"N-20000"});
  EXPECT_EQ(total, 19'995);
  EXPECT_LT(calls() - before, 10'000);
}

TEST_F(OwnDataLists, RowsWithoutARareTagAreCountedByThoseThatHaveIt) {
  const auto before = calls();
  EXPECT_EQ(numbers("$filter=tags%20ne%20'rare'&PageSize=1"), json::array{"N-20000"});
  EXPECT_EQ(total, 19'995);
  EXPECT_EQ(numbers("$filter=not%20(tags%20eq%20'RARE')&PageSize=1&Page=2"), json::array{"N-19999"});
  EXPECT_EQ(total, 19'995);
  EXPECT_LT(calls() - before, 10'000);
}

TEST_F(OwnDataLists, ARareTagOfShipmentsIsFoundWithoutReadingTheRowsOfFrequentOnes) {
  const auto insert = [this](int first, int last, const std::string& tags) {
    tenant.sql.rows(
        "insert into shipments (business_id, tracking_number, tags, created_at) select $1, 'WB' || n, "
        "$2::jsonb, "
        "now() - interval '1 day' + n * interval '1 second' from generate_series($3::int, $4::int) n",
        {tenant.id, tags, std::to_string(first), std::to_string(last)});
  };
  insert(6, 20'000, R"(["a"])");
  database.exec("analyze shipments");
  insert(1, 5, R"(["rare"])");
  const auto before = calls();
  for (const auto& [query, found, rows] : {std::tuple("tag=RARE&perPage=1", 5, 1U),
                                           {"tag=rare&perPage=2&page=3", 5, 1U},
                                           {"tag=nobody&perPage=1", 0, 0U},
                                           {"tag=nobody&page=2", 0, 0U}}) {
    const auto response = tenant.http.get(std::string("/api/v1/shipments?") + query);
    ASSERT_EQ(response.status, 200) << response.text;
    EXPECT_EQ(response.data().as_array().size(), rows) << query;
    EXPECT_EQ(response.body.at("totalCount").to_number<std::int64_t>(), found) << query;
  }
  EXPECT_LT(calls() - before, 20'000) << "of four lists";
}

TEST_F(OwnDataLists, PagesOfAFrequentValueFollowTheOrder) {
  EXPECT_EQ(numbers("$filter=tags%20eq%20'a'&PageSize=2"), (json::array{"N-20000", "N-19999"}));
  EXPECT_EQ(total, 19'995);
  EXPECT_EQ(numbers("$filter=externalReference%20eq%20'R-most'&PageSize=2&Page=2"),
            (json::array{"N-19998", "N-19997"}));
  EXPECT_EQ(numbers("$filter=tags%20eq%20'a'&PageSize=2&Page=600"), (json::array{"N-18802", "N-18801"}));
  EXPECT_EQ(numbers("$filter=status%20eq%20'pending'&PageSize=1"), (json::array{"N-20000"}));
}

TEST_F(OwnDataLists, TheSearchCoversReferences) {
  EXPECT_EQ(numbers("$search=r-RARE").size(), 5U);
  EXPECT_EQ(numbers("$search=rare%20N-5"), (json::array{"N-5"}));
  EXPECT_EQ(numbers("$filter=contains(tolower(externalReference),'rare')").size(), 5U);
  for (const std::string path : {"Customers", "Products"}) {
    json::object body{{"name", "x"}, {"externalReference", "CRM-4711"}};
    if (path == "Products") body["sku"] = "S";
    ASSERT_EQ(tenant.http.post("/api/v1/" + path, body).status, 201);
    EXPECT_EQ(tenant.http.get("/api/v1/" + path + "?$search=crm-47").data().as_array().size(), 1U) << path;
    EXPECT_EQ(tenant.http.get("/api/v1/" + path + "?$search=47x").data().as_array().size(), 0U) << path;
  }
}

}  // namespace
}  // namespace waybill::tests
