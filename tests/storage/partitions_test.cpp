#include "storage/schema/partitions.hpp"

#include <atomic>
#include <exception>
#include <future>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/harness/eventually.hpp"
#include "tests/harness/postgres.hpp"
#include "tests/harness/server.hpp"
#include "worker/duties/duties.hpp"

namespace waybill::tests {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr storage::Retention retention{.days = 30, .positions_days = 90};

/// A migrated database with one business.
class Partitions : public testing::Test {
 protected:
  Partitions() {
    database.exec("insert into businesses (guid, name) values ('" + business + "', 'one')");
    storage::make_partitions(session);  // the database may have been made before midnight
  }

  /// The partition of `table` for the day that many days from today.
  std::string name(std::string_view table, int days) {
    return database.value("select $1 || to_char((now() at time zone 'UTC')::date + $2::int, '_YYYYMMDD')",
                          {std::string(table), std::to_string(days)});
  }
  bool exists(const std::string& partition) {
    return database.value("select count(*) from pg_inherits where inhrelid = to_regclass($1)", {partition}) ==
           "1";
  }
  void drop(const std::string& partition) { database.exec("drop table " + partition); }
  std::int64_t count(const std::string& table) {
    return database.number("select count(*) from only " + table);
  }

  std::string insert_order(const std::string& number) {
    return database.value("insert into orders (business_id, order_number) values ($1, $2) returning guid",
                          {business, number});
  }
  /// An event of an order, dated by a clock that is that many days ahead.
  void insert_event(int days, std::string_view status = "ready", int rows = 1) {
    database.rows(
        "insert into events (at, business_id, entity_type, entity_id, order_before, order_after)"
        " select now() + $2::int * interval '1 day', $1::uuid, 0, gen_random_uuid(), null, o"
        " from generate_series(1, $4::int),"
        " jsonb_populate_record(null::orders, jsonb_build_object('guid', $1::text, 'status', $3::text)) o",
        {business, std::to_string(days), std::string(status), std::to_string(rows)});
  }
  /// A partition of past days.
  void make(std::string_view table, int days) {
    database.rows("select make_partition($1, (now() at time zone 'UTC')::date + $2::int)",
                  {std::string(table), std::to_string(days)});
  }

  const std::string business = "00000000-0000-4000-8000-000000000001";
  TestDatabase database;
  storage::blocking::Connection session{database.url(), "partitions"};
};

TEST_F(Partitions, ANewPartitionTakesItsEventsFromTheDefaultPartition) {
  for (int days = -1; days <= 7; ++days) {
    drop(name("events", days));
    drop(name("runs", days));
  }
  insert_order("A1");
  ASSERT_EQ(count("events_other"), 1);
  storage::make_partitions(session);
  EXPECT_EQ(count("events_other"), 0);
  EXPECT_EQ(count(name("events", 0)), 1);
  for (int days = -1; days <= 7; ++days) {
    EXPECT_TRUE(exists(name("events", days))) << days;
    EXPECT_TRUE(exists(name("runs", days))) << days;
  }
}

TEST_F(Partitions, AnEventOfAFastClockPreventsNoPartition) {
  drop(name("events", 4));
  drop(name("runs", 6));
  insert_event(4);
  insert_event(12);
  storage::make_partitions(session);
  EXPECT_EQ(count(name("events", 4)), 1);
  EXPECT_TRUE(exists(name("runs", 6)));
  EXPECT_EQ(count("events_other"), 1) << "the day in 12 days is not due yet";
}

TEST_F(Partitions, OneCallCreatesAllPartitionsAndDropsOne) {
  drop(name("events", 0));
  insert_order("A1");
  database.exec(
      "select make_partitions((now() at time zone 'UTC')::date - 1, (now() at time zone 'UTC')::date + 7)");
  EXPECT_EQ(count(name("events", 0)), 1);
  make("events", -40);
  make("runs", -40);
  const std::string drop_call = "select drop_partitions((now() at time zone 'UTC')::date - 30)";
  EXPECT_EQ(database.value(drop_call), name("events", -40));
  EXPECT_EQ(database.value(drop_call), name("runs", -40));
  EXPECT_EQ(database.rows(drop_call).size(), 0U);
}

// The reference is a partition that PostgreSQL derives from the table, with the settings of each partition.
TEST_F(Partitions, ACreatedPartitionEqualsThatOfCreateTable) {
  const std::string described =
      "select string_agg(x, ' ' order by x) from ("
      "select a.attname || a.attstattarget || a.attstorage::text || a.attnotnull as x from pg_attribute a"
      " where a.attrelid = $1::text::regclass and a.attnum > 0"
      " union all select regexp_replace(indexdef, '_[0-9]{8}', '', 'g') from pg_indexes where tablename = $1"
      " union all select pg_get_expr(d.adbin, d.adrelid) from pg_attrdef d where d.adrelid = "
      "$1::text::regclass"
      " union all select reloptions::text from pg_class where oid = $1::text::regclass"
      " union all select pg_get_constraintdef(oid) from pg_constraint where conrelid = $1::text::regclass) x";
  const auto reference = [&](const std::string& table, const std::string& settings) {
    const std::string partition = table + "_20010101";
    database.exec("create table " + partition + " partition of " + table +
                  " for values from ('2001-01-01Z') to ('2001-01-02Z'); alter table " + partition + settings);
    return database.value(described, {partition});
  };
  EXPECT_EQ(database.value(described, {name("events", 3)}),
            reference("events",
                      " set (autovacuum_vacuum_insert_threshold = -1, autovacuum_analyze_scale_factor = 1),"
                      " alter cause set statistics 0,"
                      " alter order_before set statistics 0, alter order_after set statistics 0,"
                      " alter shipment_before set statistics 0, alter shipment_after set statistics 0,"
                      " alter customer_before set statistics 0, alter customer_after set statistics 0,"
                      " alter product_before set statistics 0, alter product_after set statistics 0"));
  EXPECT_EQ(database.value(described, {name("runs", 3)}),
            reference("runs",
                      " set (autovacuum_analyze_scale_factor = 1),"
                      " alter request set statistics 0, alter body set statistics 0,"
                      " alter tries set statistics 0, alter error set statistics 0"));
}

TEST_F(Partitions, ARoleThatIsAMemberOfTheOwnerMakesPartitionsOfTheOwner) {
  const std::string member = "member_" + database.name();
  drop(name("events", 3));
  drop(name("runs", 3));
  database.exec("create role " + member + " login; grant waybill to " + member);
  std::string url = database.url();
  url.replace(url.find("//waybill@"), 10, "//" + member + "@");
  {
    storage::blocking::Connection connection(url, "member");
    storage::make_partitions(connection);
  }
  for (const char* const table : {"events", "runs"})
    EXPECT_EQ(
        database.value("select relowner::regrole from pg_class where oid = $1::regclass", {name(table, 3)}),
        "waybill");
  database.exec("drop role " + member);
}

// Without it, logical replication of all tables makes PostgreSQL refuse changes and deletions of rows.
TEST_F(Partitions, EachTableAndPartitionHasAnIdentityOfItsRows) {
  EXPECT_EQ(database.value("select string_agg(relname, ', ') from pg_class c where relnamespace = "
                           "'public'::regnamespace and relkind = 'r' and relreplident <> 'f' and not exists "
                           "(select from pg_index where indrelid = c.oid and indisprimary)"),
            "");
}

// A row that cannot be moved stands for every cause of failure for one day.
TEST_F(Partitions, AFailedPartitionPreventsNeitherOthersNorDrops) {
  drop(name("events", 2));
  drop(name("events", 3));
  drop(name("runs", 2));
  insert_event(2, "draft");
  insert_event(3);
  make("events", -40);
  make("runs", -40);
  make("positions", -14 * 7);
  database.exec(
      "create function refuse() returns trigger language plpgsql as $$ begin raise exception 'no'; end $$;"
      "create trigger refuse before delete on events_other for each row when ((old.order_after).status = "
      "'draft')"
      " execute function refuse()");
  const SecretBox secrets(SecretBox::Key{});
  worker::keep_partitions(session, {.database_url = {}, .secrets = secrets});
  EXPECT_FALSE(exists(name("events", 2)));
  EXPECT_TRUE(exists(name("events", 3)));
  EXPECT_TRUE(exists(name("runs", 2)));
  EXPECT_FALSE(exists(name("events", -40)));
  EXPECT_FALSE(exists(name("runs", -40)));
  EXPECT_EQ(database.number(
                "select count(*) from pg_inherits where inhrelid ="
                " to_regclass('positions' || to_char((now() at time zone 'UTC')::date - 98, '_YYYYMMDD'))"),
            0);
  database.exec("drop trigger refuse on events_other");
  worker::keep_partitions(session, {.database_url = {}, .secrets = secrets});
  EXPECT_TRUE(exists(name("events", 2)));
}

TEST_F(Partitions, WritersContinueWhileTheirPartitionIsCreated) {
  std::vector<std::string> orders;
  for (int i = 0; i < 4; ++i) orders.push_back(insert_order("W" + std::to_string(i)));
  std::atomic<bool> done = false;
  std::atomic<int> written = 0;
  std::vector<std::future<void>> writers;
  for (const std::string& order : orders) {
    writers.push_back(std::async(std::launch::async, [&, order] {
      Session writer = database.connect();
      for (; !done; ++written) {
        writer.rows("update orders set notes = notes || 'x' where business_id = $1 and guid = $2",
                    {business, order});
      }
    }));
  }
  for (int round = 0; round < 5; ++round) {
    drop(name("events", 0));
    const int before = written;
    ASSERT_TRUE(eventually([&] { return written > before + 40; }));
    // A writer may hold its locks longer than the creation waits; then the next call creates the partition.
    ASSERT_TRUE(eventually([&] {
      storage::make_partitions(session);
      return exists(name("events", 0));
    }));
    const int made = written;
    ASSERT_TRUE(eventually([&] { return written > made + 40; }));
  }
  done = true;
  for (auto& writer : writers) EXPECT_NO_THROW(writer.get());
  EXPECT_EQ(count("events_other"), 0);
}

TEST_F(Partitions, ALongReaderDelaysNeitherWritersNorOtherDrops) {
  make("events", -41);
  make("events", -40);
  insert_event(-40);
  Session reader = database.connect();
  reader.exec("begin");
  reader.exec("select count(*) from only " + name("events", -41));
  std::atomic<bool> done = false;
  auto longest = std::async(std::launch::async, [&] {
    Session writer = database.connect();
    std::chrono::steady_clock::duration most{};
    for (int i = 0; !done; ++i) {
      const auto began = std::chrono::steady_clock::now();
      writer.rows("insert into orders (business_id, order_number) values ($1, $2)",
                  {business, "L" + std::to_string(i)});
      most = std::max(most, std::chrono::steady_clock::now() - began);
    }
    return most;
  });
  storage::drop_partitions(session, retention);
  done = true;
  EXPECT_LT(longest.get(), 2s) << "the locks are waited for 200 ms";
  EXPECT_TRUE(exists(name("events", -41)));
  EXPECT_FALSE(exists(name("events", -40)));
  EXPECT_EQ(count("status_history"), 1);
  reader.exec("commit");
  storage::drop_partitions(session, retention);
  EXPECT_FALSE(exists(name("events", -41)));
}

TEST_F(Partitions, UnrecordedEventsAreNeitherDroppedNorExpired) {
  make("events", -40);
  insert_event(-40);
  insert_event(-50);
  database.exec(
      "insert into pending_events (shard, id, business_id, at) select shard_of(business_id), id, "
      "business_id, at"
      " from events");
  storage::drop_partitions(session, retention);
  storage::expire_default_partitions(session, retention);
  EXPECT_EQ(count(name("events", -40)), 1);
  EXPECT_EQ(count("events_other"), 1);
  database.exec("delete from pending_events");
  storage::drop_partitions(session, retention);
  storage::expire_default_partitions(session, retention);
  EXPECT_EQ(database.number("select count(*) from events"), 0);
  EXPECT_EQ(count("status_history"), 2);
}

// The writer's transaction is older than the retention, and ends while the drop waits for its lock.
TEST_F(Partitions, AnEventThatIsCommittedDuringADropIsKept) {
  make("events", -40);
  Session writer = database.connect();
  writer.exec("begin");
  writer.rows(
      "insert into events (at, business_id, entity_type, entity_id, order_after)"
      " select now() - interval '40 days', $1::uuid, 0, gen_random_uuid(), o"
      " from jsonb_populate_record(null::orders, jsonb_build_object('guid', $1::text, 'status', 'ready')) o",
      {business});
  writer.exec(
      "insert into pending_events (shard, id, business_id, at) select shard_of(business_id), id, "
      "business_id, at from events");
  auto dropped = std::async(std::launch::async, [&] { storage::drop_partitions(session, retention); });
  // A drop that has given up by then keeps the event as well.
  EXPECT_TRUE(eventually([&] {
    return database.number(
               "select count(*) from pg_locks l join pg_stat_activity a on a.pid = l.pid"
               " where not l.granted and a.application_name = 'partitions'") == 1;
  }));
  writer.exec("commit");
  dropped.get();
  EXPECT_EQ(count(name("events", -40)), 1);
  database.exec("delete from pending_events");
  storage::drop_partitions(session, retention);
  EXPECT_FALSE(exists(name("events", -40)));
  EXPECT_EQ(count("status_history"), 1);
}

TEST_F(Partitions, RowsOfTheDefaultPartitionsExpireInSeveralTransactions) {
  constexpr int more_than_a_transaction = 10'001;
  insert_event(-40, "ready", more_than_a_transaction);
  insert_event(-29);
  database.exec(
      "insert into positions (business_id, device_guid, at, latitude, longitude)"
      " select '" +
      business +
      "', gen_random_uuid(), now() - d * interval '1 day', 1, 1"
      " from unnest(array[89, 100]) d;"
      "insert into runs (business_id, guid, workflow_id, workflow_version, event_id, entity_type, entity_id,"
      " trigger_code, action, status, attempts, created_at, finished_at, origin, destination, request, tries)"
      " select '" +
      business + "', gen_random_uuid(), '" + business + "', 1, 1, 0, '" + business +
      "', 'order_created', 'webhook', 'dead', 1, now() - d * interval '1 day', now(), '" + business +
      "', '', '{}', '[]' from unnest(array[29, 40, 40]) d;"
      "insert into run_counts select business_id, u, date_trunc(u, created_at, 'UTC'), workflow_id, status, 1"
      " from runs, unnest(array['day', 'hour']) u");
  storage::expire_default_partitions(session, retention);
  EXPECT_EQ(count("events_other"), 1);
  EXPECT_EQ(count("status_history"), more_than_a_transaction);
  EXPECT_EQ(count("positions_other"), 1);
  EXPECT_EQ(count("runs_other"), 1);
  EXPECT_EQ(database.number("select sum(runs) from run_counts where unit = 'day'"), 1);
  EXPECT_EQ(database.number("select sum(runs) from run_counts where unit = 'hour'"), 1);
}

TEST_F(Partitions, AreCreatedByTheApiAndByMigrateWithoutAWorker) {
  const auto lose = [&] {
    for (int days = 0; days <= 7; ++days) drop(name("events", days));
    insert_order("lost " + std::to_string(count("orders")));
    ASSERT_EQ(count("events_other"), 1);
  };
  lose();
  migrate_with_binary(database.url());
  EXPECT_TRUE(exists(name("events", 7)));
  EXPECT_EQ(count("events_other"), 0);
  lose();
  Waybill::Options options;
  options.command = "api";
  const Waybill api(database.url(), options);
  EXPECT_TRUE(eventually([&] { return exists(name("events", 7)); }));
  EXPECT_EQ(count("events_other"), 0);
}

}  // namespace
}  // namespace waybill::tests
