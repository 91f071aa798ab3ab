// Totals of lists by own data: kept for frequent values, and exact at every moment.
#include <atomic>
#include <random>
#include <thread>

#include <gmock/gmock.h>

#include "base/ascii.hpp"
#include "storage/blocking/connection.hpp"
#include "storage/sql/duties.sql.hpp"
#include "tests/api/fixtures/shipments_fixture.hpp"
#include "worker/duties/duties.hpp"

namespace waybill::tests {
namespace {

using namespace std::chrono_literals;

class OwnDataTotals : public ShipmentsFixture {
 protected:
  void fold() {
    storage::blocking::Connection session(world.database.url(), "test");
    const SecretBox secrets{SecretBox::Key{}};
    const worker::DutyOptions options{.database_url = world.database.url(), .secrets = secrets, .turn = 10s};
    while (worker::fold_counts(session, options)) continue;
  }

  /// Runs a statement in which BUSINESS stands for the guid.
  void sql(std::string statement) const {
    Session(world.database.url()).exec(replaced(std::move(statement), "BUSINESS", "'" + tenant.id + "'"));
  }

  void insert_orders(int from, int to) const {
    sql("insert into orders (business_id, order_number, external_reference, tags, metadata) select BUSINESS, "
        "'N-' || n, 'shared', '[\"Hot\", \"hOT\"]', '{\"channel\": \"web\", \"n\": 1.0, \"gift\": true}' "
        "from generate_series(" +
        std::to_string(from) + ", " + std::to_string(to) + ") n");
  }

  std::int64_t total(const std::string& target) {
    const auto response = http.get(target);
    EXPECT_EQ(response.status, 200) << response.text;
    return at(response.body, "totalCount").to_number<std::int64_t>();
  }

  static std::string orders_where(const std::string& filter) {
    return "/api/v1/Orders?PageSize=2&$filter=" + url_encode(filter);
  }

  /// The total of each filter that a kept total answers, and of those that subtract it.
  void expect_totals(std::int64_t found, std::int64_t others, const char* after) {
    for (const std::string field :
         {"tags", "externalReference", "metadata/channel", "metadata/n", "metadata/gift"}) {
      const std::string value = field == "tags"                ? "'HOT'"
                                : field == "externalReference" ? "'shared'"
                                : field == "metadata/channel"  ? "'web'"
                                : field == "metadata/n"        ? "1.00"
                                                               : "true";
      for (int i = 0; i < 2; ++i) {
        EXPECT_EQ(total(orders_where(field + " eq " + value)), found) << field << " after " << after;
        EXPECT_EQ(total(orders_where(field + " ne " + value)), others) << field << " after " << after;
      }
    }
  }

  std::int64_t kept() {
    return tenant.sql.number(
        "select count(*) from own_data_totals where business_id = $1 and total is not null", {tenant.id});
  }
};

TEST_F(OwnDataTotals, AreKeptForFrequentValuesAndExactAfterEachKindOfChange) {
  insert_orders(1, 4100);
  expect_totals(4100, 0, "an insert");  // the duty may have folded it
  fold();
  EXPECT_EQ(kept(), 5);
  expect_totals(4100, 0, "folding");
  EXPECT_EQ(http.get(orders_where("tags ne 'hot'")).body.at("data").as_array().size(), 0U);
  sql("insert into orders (business_id, order_number, tags) values (BUSINESS, 'other', '[\"cold\", null]')");
  expect_totals(4100, 1, "an order without the values");
  EXPECT_EQ(http.get(orders_where("tags ne 'hot'")).body.at("data").as_array().size(), 1U);
  sql("update orders set deleted_at = now() where business_id = BUSINESS and order_number in ('N-1', 'N-2')");
  expect_totals(4098, 1, "soft deletion");
  sql("delete from orders where business_id = BUSINESS and order_number in ('N-1', 'N-3')");
  expect_totals(4097, 1, "deletion of a deleted order and of another one");
  sql("update orders set deleted_at = null where business_id = BUSINESS and order_number = 'N-2'");
  fold();
  expect_totals(4098, 1, "restoring and folding");
  sql("update orders set tags = '[\"HOT\"]', metadata = metadata || '{\"n\": 1}' where business_id = "
      "BUSINESS "
      "and order_number = 'N-5'");
  sql("update orders set status = 'ready' where business_id = BUSINESS and order_number = 'N-5'");
  expect_totals(4098, 1, "other spellings of the same values");
  sql("update orders set tags = null, external_reference = null, metadata = null where business_id = "
      "BUSINESS "
      "and order_number = 'N-5'");
  expect_totals(4097, 2, "removal of all values");
  sql("begin; delete from orders where business_id = BUSINESS; rollback");
  expect_totals(4097, 2, "a rollback");
  http.post("/api/v1/Orders", order_body({{"tags", {"hot"}},
                                          {"externalReference", "shared"},
                                          {"metadata", {{"channel", "web"}, {"n", 1}, {"gift", true}}}}));
  expect_totals(4098, 2, "an order through the API");
  sql("copy orders (business_id, order_number, tags, metadata, external_reference) from program $$printf "
      R"('%s\tC-1\t["hot"]\t{"channel":"web","n":1,"gift":true}\tshared\n')" +
      std::string(" ") + "'" + tenant.id + "'$$");
  expect_totals(4099, 2, "COPY");
}

TEST_F(OwnDataTotals, AreReadInsteadOfCounted) {
  insert_orders(1, 4000);
  fold();
  sql("update own_data_totals set total = total + 7 where business_id = BUSINESS");
  sql("insert into record_counts (business_id, entity_type, delta) values (BUSINESS, 0, 7)");
  expect_totals(4007, 0, "a wrong total");
}

TEST_F(OwnDataTotals, AreKeptFromFourThousandRecordsUntilHalfOfThem) {
  insert_orders(1, 3999);
  const auto announce = [&] {
    sql("insert into own_data_totals (business_id, entity_type, value) values (BUSINESS, 0, 'thot') "
        "on conflict do nothing");
  };
  announce();
  const auto of_tag = [&] {
    return tenant.sql.number(
        "select coalesce(sum(total), 0)::bigint from own_data_totals where business_id = $1 and "
        "value = 'thot'",
        {tenant.id});
  };
  // The insert may have announced the value by chance, too.
  fold();
  EXPECT_EQ(of_tag(), 0);
  EXPECT_EQ(kept(), 0);
  insert_orders(4000, 4000);
  announce();
  fold();
  EXPECT_EQ(of_tag(), 4000);
  sql("delete from orders where business_id = BUSINESS and substr(order_number, 3)::int > 2000");
  fold();
  EXPECT_EQ(of_tag(), 2000);
  sql("delete from orders where business_id = BUSINESS and order_number = 'N-2000'");
  expect_totals(1999, 0, "the last deletion");
  fold();
  EXPECT_EQ(of_tag(), 0);
  expect_totals(1999, 0, "the total is given up");
}

TEST_F(OwnDataTotals, OfShipmentsCustomersAndProductsAreKeptToo) {
  sql("insert into shipments (business_id, tracking_number, tags) select BUSINESS, 'S' || n, '[\"hot\"]' "
      "from "
      "generate_series(1, 4000) n");
  sql("insert into customers (business_id, name, tags) select BUSINESS, 'C' || n, '[\"hot\"]' from "
      "generate_series(1, 4000) n");
  sql("insert into products (business_id, name, sku, tags) select BUSINESS, 'P', 'P' || n, '[\"hot\"]' from "
      "generate_series(1, 4000) n");
  fold();
  EXPECT_EQ(kept(), 3);
  sql("update own_data_totals set total = total + entity_type where business_id = BUSINESS");
  EXPECT_EQ(total("/api/v1/shipments?tag=Hot"), 4001);
  EXPECT_EQ(total("/api/v1/Customers?$filter=" + url_encode("tags eq 'Hot'")), 4002);
  EXPECT_EQ(total("/api/v1/Products?$filter=" + url_encode("tags eq 'Hot'")), 4003);
  EXPECT_EQ(total("/api/v1/shipments?tag=Hot&status=created"), 4000) << "another condition is counted";
  EXPECT_EQ(total("/api/v1/shipments?tag=Hot&search=S399"), 11) << "a search is counted";
  EXPECT_EQ(total("/api/v1/shipments?tag=Hot&search=S399&page=9"), 11) << "behind its last page, too";
  EXPECT_EQ(total("/api/v1/shipments?search=S399&$filter=" + url_encode("tags ne 'hot'")), 0);
}

TEST_F(OwnDataTotals, AreExactAfterAnErasureWhichForgetsTheChanges) {
  sql("insert into customers (business_id, name, tags, external_reference) select BUSINESS, 'C' || n, "
      "'[\"hot\"]', "
      "'r' || n from generate_series(1, 4000) n");
  fold();
  const auto guid =
      tenant.sql.value("select guid from customers where business_id = $1 and name = 'C7'", {tenant.id});
  sql("insert into own_data_totals (business_id, entity_type, value) values (BUSINESS, 2, 'rr7')");
  ASSERT_EQ(http.post("/api/v1/Customers/" + guid + "/erase").status, 200);
  EXPECT_EQ(total("/api/v1/Customers?$filter=" + url_encode("tags eq 'Hot'")), 3999);
  EXPECT_EQ(tenant.sql.number("select count(*) from own_data_changes where business_id = $1", {tenant.id}),
            0);
  EXPECT_EQ(tenant.sql.value(
                "select string_agg(value || ' ' || total, ', ') from own_data_totals where business_id = $1",
                {tenant.id}),
            "thot 3999");
}

// Page 1 of a value that only old records have begins at the newest of them.
TEST_F(OwnDataTotals, APageOfOldRecordsBeginsAtTheNewestOfThem) {
  insert_orders(1, 4200);
  sql("update orders set created_at = timestamptz '2020-01-01' + substr(order_number, 3)::int * interval '1 "
      "minute' "
      "where business_id = BUSINESS");
  sql("insert into orders (business_id, order_number, created_at) select BUSINESS, 'M-' || n, timestamptz "
      "'2021-01-01' + n * interval '1 minute' from generate_series(1, 4500) n");
  // The first request tells that there are many.
  total(orders_where("tags eq 'hot'"));
  total(orders_where("metadata/n eq 1"));
  const auto expect_newest = [&](const std::string& first, const std::string& second, const char* after) {
    for (const std::string filter : {"tags eq 'hot'", "metadata/n eq 1"}) {
      EXPECT_THAT(texts(http.get(orders_where(filter)), "orderNumber"), testing::ElementsAre(first, second))
          << filter << " after " << after;
    }
  };
  expect_newest("N-4200", "N-4199", "an insert that is not folded");
  fold();
  expect_newest("N-4200", "N-4199", "folding");
  sql("update orders set created_at = '2020-06-01' where business_id = BUSINESS and order_number = 'N-7'");
  expect_newest("N-7", "N-4200", "a change of the time of creation");
  fold();
  expect_newest("N-7", "N-4200", "folding the change");
  sql("update orders set deleted_at = now(), created_at = '2020-07-01' where business_id = BUSINESS and "
      "order_number = 'N-9'");
  sql("update orders set deleted_at = null where business_id = BUSINESS and order_number = 'N-9'");
  expect_newest("N-9", "N-7", "restoring");
  sql("update own_data_totals set newest_at = '2020-01-01 00:05' where business_id = BUSINESS");
  sql("delete from own_data_changes where business_id = BUSINESS");
  expect_newest("N-5", "N-4", "a wrong bound, which shows that it is read");
}

/// Writes random changes of the orders of a business, in transactions of which some are rolled back.
void write_randomly(const std::string& url, const std::string& business, unsigned seed) {
  Session session(url);
  std::mt19937 random(seed);
  const auto one_of = [&](int count) { return std::to_string(random() % static_cast<unsigned>(count)); };
  const auto values = [&] {
    return "external_reference = nullif('r" + one_of(3) + "', 'r0'), tags = nullif('[\"t" + one_of(3) +
           "\", \"T" + one_of(3) +
           "\"]', '[\"t0\", \"T0\"]')::jsonb, metadata = nullif('{\"k\": " + one_of(3) +
           ".0}', '{\"k\": 0.0}')::jsonb";
  };
  const auto some = " where guid in (select guid from orders where business_id = '" + business +
                    "' order by random() limit 3 for update skip locked)";
  for (int i = 0; i < 120; ++i) {
    session.exec("begin");
    for (auto left = random() % 3; left < 3; ++left) {
      const auto kind = random() % 7;
      if (kind == 0) {
        session.exec("delete from orders" + some);
      } else if (kind == 1) {
        session.exec("update orders set deleted_at = case when deleted_at is null then now() end" + some);
      } else if (kind == 2) {
        session.exec("savepoint s");
        session.exec("update orders set " + values() + some);
        session.exec("rollback to savepoint s");
      } else if (kind == 3) {
        session.exec("insert into orders (business_id, order_number, tags, metadata) select '" + business +
                     "', gen_random_uuid(), '[\"t" + one_of(3) + "\"]', '{\"k\": " + one_of(3) +
                     "}' from generate_series(1, 3)");
      } else if (kind == 4) {
        session.exec("update orders set created_at = created_at + interval '1 day' * " + one_of(9) + some);
      } else {
        session.exec("update orders set " + values() + some);
      }
    }
    session.exec(random() % 5 == 0 ? "rollback" : "commit");
  }
}

// Totals begin to be kept, are folded and are counted again while several sessions write. Every snapshot has
// exact ones.
TEST_F(OwnDataTotals, EqualTheCountedRecordsAtEveryMomentOfRandomWrites) {
  std::atomic<int> writing = 3;
  std::vector<std::jthread> writers;  // joined also after a failed assertion
  for (unsigned seed = 1; seed <= 3; ++seed) {
    writers.emplace_back([&, seed] {
      write_randomly(world.database.url(), tenant.id, seed);
      --writing;
    });
  }
  storage::blocking::Connection duty(world.database.url(), "test");
  Session reader(world.database.url());
  const auto alone = [&](const auto& statement) {
    duty.transact([&](storage::blocking::Transaction& transaction) {
      transaction.execute("lock table own_data_totals in share row exclusive mode");
      transaction.run(statement);
    });
  };
  std::int64_t compared = 0;
  do {
    sql("insert into own_data_totals (business_id, entity_type, value) select BUSINESS, 0, v from "
        "unnest(array['r1', 'r2', 'tt0', 'tt1', 'tt2', 'm{\"k\": 0}', 'm{\"k\": 1}', 'm{\"k\": 2}']) v "
        "on conflict do nothing");
    sql("update own_data_totals set total = null where business_id = BUSINESS and random() < 0.2");
    for (int i = 0; i < 4; ++i) {
      alone(storage::sql::duties::CountOwnData{.least = 0});
      alone(storage::sql::duties::FoldOwnData{.limit = 5, .least = -1'000'000});
      const auto rows = reader.rows(
          "select t.value, t.total + coalesce(c.difference, 0), n.records, n.newest_at > "
          "greatest(t.newest_at, "
          "c.newest_at) from own_data_totals t cross join lateral own_data_count(t.business_id, 0::smallint, "
          "t.value) n left join lateral (select sum((t.value = any(c.added))::int - (t.value = "
          "any(c.removed))::int) as difference, max(c.created_at) filter (where t.value = any(c.added)) as "
          "newest_at from own_data_changes c where c.business_id = t.business_id and c.entity_type = 0) c on "
          "true "
          "where t.business_id = '" +
          tenant.id + "' and t.total is not null");
      for (const auto& row : rows) {
        ASSERT_EQ(row.at(1).value(), row.at(2).value()) << row.at(0).value();
        ASSERT_NE(row.at(3).value_or("f"), "t") << row.at(0).value() << " of a later record";
        ++compared;
      }
    }
  } while (writing > 0);
  EXPECT_GT(compared, 8);
}

}  // namespace
}  // namespace waybill::tests
