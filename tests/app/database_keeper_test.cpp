#include <chrono>
#include <csignal>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>

#include <gtest/gtest.h>

#include "tests/harness/eventually.hpp"
#include "tests/workflows/fixtures/workflow_fixture.hpp"

namespace waybill::tests {
namespace {

/// A database with API processes, and the pending entries of its search indexes.
class SearchIndexes : public testing::Test {
 protected:
  SearchIndexes() {
    database.exec("create extension pgstattuple");
    database.exec(
        "insert into businesses (guid, name) values ('00000000-0000-4000-8000-000000000001', 'one')");
  }

  std::unique_ptr<Waybill> start_api() {
    Waybill::Options options;
    options.command = "api";
    options.secret_key_file = secret_key_file;
    auto api = std::make_unique<Waybill>(database.url(), options);
    secret_key_file = api->secret_key_file();
    return api;
  }

  /// Adds a record to each table with search indexes.
  void add_records() {
    database.exec(
        "insert into orders (business_id, order_number, tags, metadata, delivery_name)"
        " select guid, gen_random_uuid(), '[\"a\"]', '{\"b\": 1}', 'Ann' from businesses;"
        "insert into shipments (business_id, tracking_number, tags)"
        " select guid, gen_random_uuid(), '[\"a\"]' from businesses;"
        "insert into customers (business_id, name, tags, metadata)"
        " select guid, 'Ann', '[\"a\"]', '{\"b\": 1}' from businesses;"
        "insert into products (business_id, name, tags, metadata)"
        " select guid, 'Lamp', '[\"a\"]', '{\"b\": 1}' from businesses");
  }

  /// The number of pending entries of all search indexes.
  std::int64_t pending() {
    return session.number(
        "select sum((pgstatginindex(c.oid)).pending_tuples) from pg_class c"
        " join pg_am a on a.oid = c.relam where a.amname = 'gin'");
  }

  bool merger_lives() {
    return session.number(
               "select count(*) from duty_turns where duty = 'merge_search_entries' and "
               "session_lives(session_pid, session_start)") == 1;
  }

  TestDatabase database;
  Session session = database.connect();
  std::string secret_key_file;
};

TEST_F(SearchIndexes, AreMergedByTheApiAndNotByWriters) {
  add_records();
  EXPECT_GT(pending(), 0) << "writers leave entries";
  const auto api = start_api();
  EXPECT_TRUE(eventually([&] { return pending() == 0; })) << pending();
  add_records();
  EXPECT_TRUE(eventually([&] { return pending() == 0; })) << pending();
}

TEST_F(SearchIndexes, AreMergedByAnotherApiAfterTheDeathOfTheFirst) {
  const auto first = start_api();
  EXPECT_TRUE(eventually([&] { return merger_lives(); }));
  const auto second = start_api();
  first->process().kill(SIGKILL);
  add_records();
  constexpr auto takeover = std::chrono::seconds(15);
  EXPECT_TRUE(eventually([&] { return pending() == 0; }, 2 * takeover)) << pending();
}

TEST_F(SearchIndexes, AreMergedAfterOneWasRebuiltAndAnotherDropped) {
  const auto api = start_api();
  EXPECT_TRUE(eventually([&] { return merger_lives(); }));
  database.exec("drop index orders_by_tag");
  database.exec("reindex index concurrently orders_by_text");
  add_records();
  EXPECT_TRUE(eventually([&] { return pending() == 0; })) << pending();
  EXPECT_EQ(api->process().standard_error().find("duty.failed"), std::string::npos)
      << api->process().standard_error();
}

TEST_F(SearchIndexes, ThatVanishWhileAMergeWaitsForThemAreNothingToDo) {
  const std::int64_t dropped = session.number("select 'orders_by_tag'::regclass::oid::bigint");
  Session dropper = database.connect(), merger = database.connect();
  dropper.exec("begin; drop index orders_by_tag");
  std::int64_t pages = -1;
  std::thread merge([&] {
    pages = merger.number("select merge_pending_entries($1::bigint::oid)", {std::to_string(dropped)});
  });
  const bool waits = eventually([&] {
    return session.number("select count(*) from pg_locks where not granted and pid = " +
                          std::to_string(merger.backend_pid())) == 1;
  });
  dropper.exec("commit");
  merge.join();
  EXPECT_TRUE(waits);
  EXPECT_EQ(pages, 0);
  EXPECT_ANY_THROW(session.number("select merge_pending_entries('orders_pkey'::regclass)"))
      << "other errors stay errors";
}

/// A merge calls the function that compares keys, so this index takes half a minute. Long keys fill many
/// pages, because PostgreSQL cancels a merge between two pages only.
TEST_F(SearchIndexes, AreMergedForFiveSecondsAtMost) {
  database.exec(
      "create function compare_slowly(a text, b text) returns integer language plpgsql immutable as"
      " $$ begin perform pg_sleep(0.05); return case when a < b then -1 when a > b then 1 else 0 end; end $$;"
      "create operator class slow for type text[] using gin as operator 1 &&(anyarray, anyarray),"
      " function 1 compare_slowly(text, text),"
      " function 2 ginarrayextract(anyarray, internal, internal),"
      " function 3 ginqueryarrayextract(anyarray, internal, smallint, internal, internal, internal,"
      " internal),"
      " function 4 ginarrayconsistent(internal, smallint, anyarray, integer, internal, internal, internal,"
      " internal), storage text;"
      "create table slow (keys text[]);"
      "create index slow_keys on slow using gin (keys slow);"
      "insert into slow select array[(select string_agg(md5(i || '-' || j), '') from generate_series(1, 50)"
      " j)] from generate_series(1, 100) i");
  const auto api = start_api();
  EXPECT_TRUE(eventually([&] {
    const std::string log = api->process().standard_error();
    return log.find("duty.failed") != std::string::npos &&
           log.find("merge_search_entries") != std::string::npos &&
           log.find("statement timeout") != std::string::npos;
  })) << api->process().standard_error();
}

/// A database with an API process, in which PostgreSQL itself analyzes nothing.
class GrownTables : public SearchIndexes {
 protected:
  GrownTables() {
    database.exec(
        "alter table customers set (autovacuum_enabled = off);"
        "alter table products set (autovacuum_enabled = off)");
  }

  /// Adds records. A session reports them at once if it is told to, else within ten seconds.
  static std::string add(const std::string& table, int count) {
    return "select pg_stat_force_next_flush(); insert into " + table +
           " (business_id, name) select guid, 'name' from businesses, generate_series(1, " +
           std::to_string(count) + ")";
  }
  bool has_rows(const std::string& table, std::int64_t rows) {
    return eventually([&] {
      return session.number("select greatest(reltuples, 0)::bigint from pg_class where relname = '" + table +
                            "'") >= rows;
    });
  }
  std::int64_t analyses(const std::string& table) {
    return session.number("select analyze_count from pg_stat_user_tables where relname = '" + table + "'");
  }
};

TEST_F(GrownTables, AreAnalyzedByTheApi) {
  const auto api = start_api();
  for (const int more : {3000, 20000}) {
    database.exec(add("customers", more));
    EXPECT_TRUE(has_rows("customers", more)) << more;
  }
  EXPECT_EQ(analyses("customers"), 2);
}

TEST_F(GrownTables, AreNotAnalyzedAgainUntilTheyHaveGrownMuch) {
  const auto api = start_api();
  database.exec(add("customers", 3000));
  ASSERT_TRUE(has_rows("customers", 3000));
  database.exec(add("customers", 3000));
  database.exec(add("products", 3000));
  ASSERT_TRUE(has_rows("products", 3000));
  EXPECT_EQ(analyses("customers"), 1);
}

/// ANALYZE counts committed rows, so a plan would be made for an empty table of many pages.
TEST_F(GrownTables, AreAnalyzedOnceTheirRowsAreCommitted) {
  const auto api = start_api();
  Session writer = database.connect();
  writer.exec("begin");
  writer.exec(add("customers", 3000));
  database.exec(add("products", 3000));
  ASSERT_TRUE(has_rows("products", 3000));
  EXPECT_EQ(analyses("customers"), 0);
  writer.exec("commit");
  EXPECT_TRUE(has_rows("customers", 3000));
}

}  // namespace
}  // namespace waybill::tests
