#include "storage/schema/migrate.hpp"

#include <algorithm>
#include <array>
#include <future>
#include <thread>

#include <gmock/gmock.h>

#include "storage/schema/released_migrations.hpp"
#include "storage/statement/statement_list.hpp"
#include "tests/harness/eventually.hpp"
#include "tests/harness/postgres.hpp"

namespace waybill::tests {
namespace {

using storage::migrate;
using storage::MigrationError;
using storage::Statement;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::IsSupersetOf;

constexpr Statement first{"0001_first", "create table a (id int); create table b (id int);"};
constexpr Statement second{"0002_second", "insert into a values (1)"};
constexpr Statement third{"0003_third", "insert into a values (2); select 1 / 0;"};

class Migrate : public testing::Test {
 protected:
  std::string error_of(std::span<const Statement> migrations) {
    try {
      migrate(database_.url(), migrations);
      return "";
    } catch (const MigrationError& error) {
      return error.what();
    }
  }

  /// True if a statement waits for a lock and began at least `since` ago.
  bool waits_for_a_lock(const std::string& statement, const std::string& since = "0") {
    return database_.number(
               "select count(*) from pg_stat_activity where datname = current_database() and query like $1 "
               "and wait_event_type = 'Lock' and query_start <= now() - $2::interval",
               {statement, since}) > 0;
  }

  TestDatabase database_{TestDatabase::Content::empty};
};

TEST_F(Migrate, AppliesMissingMigrationsInOrder) {
  const Statement one[] = {first};
  const Statement two[] = {first, second};
  EXPECT_THAT(migrate(database_.url(), one), ElementsAre("0001_first"));
  EXPECT_THAT(migrate(database_.url(), two), ElementsAre("0002_second"));
  EXPECT_THAT(migrate(database_.url(), two), IsEmpty());
  EXPECT_EQ(database_.number("select count(*) from a"), 1);
}

TEST_F(Migrate, MayRunConcurrently) {
  const Statement two[] = {first, second};
  std::vector<std::future<std::vector<std::string>>> all;
  all.reserve(6);
  for (int i = 0; i < 6; ++i)
    all.push_back(std::async(std::launch::async, [&] { return migrate(database_.url(), two); }));
  std::vector<std::string> applied;
  for (auto& one : all) {
    for (auto& name : one.get()) applied.push_back(std::move(name));
  }
  EXPECT_THAT(applied, ElementsAre("0001_first", "0002_second"));
  EXPECT_EQ(database_.number("select count(*) from a"), 1);
}

TEST_F(Migrate, AFailedMigrationLeavesNoChanges) {
  const Statement all[] = {first, second, third};
  EXPECT_THAT(error_of(all),
              testing::AllOf(HasSubstr("0003_third"), HasSubstr("division by zero"), HasSubstr("22012")));
  EXPECT_EQ(database_.number("select count(*) from a"), 1);
  EXPECT_EQ(database_.number("select count(*) from schema_migrations"), 2);
}

TEST_F(Migrate, RefusesAMigrationThatChangedAfterItWasApplied) {
  const Statement before[] = {first};
  const Statement changed[] = {{"0001_first", "create table c (id int)"}};
  migrate(database_.url(), before);
  EXPECT_THAT(error_of(changed), HasSubstr("0001_first was changed"));
}

TEST_F(Migrate, RefusesANewerSchema) {
  const Statement newer[] = {first, second};
  const Statement older[] = {first};
  migrate(database_.url(), newer);
  EXPECT_THAT(error_of(older), testing::AllOf(HasSubstr("0002_second"), HasSubstr("newer")));
}

TEST_F(Migrate, RefusesToApplyAMigrationAfterALaterOne) {
  const Statement gap[] = {second};
  const Statement whole[] = {first, second};
  database_.exec("create table a (id int)");
  migrate(database_.url(), gap);
  EXPECT_THAT(error_of(whole), HasSubstr("0001_first is missing"));
}

TEST_F(Migrate, RefusesTheSchemaOfAnUnreleasedVersion) {
  const std::string said = "an unreleased version of waybill made the schema";
  database_.exec("create table schema_migrations (name text primary key, checksum text not null)");
  storage::blocking::Connection session(database_.url(), "test");
  EXPECT_NO_THROW(storage::refuse_unreleased_schema(session));
  database_.exec("insert into schema_migrations values ('0001_businesses', repeat('0', 64))");
  EXPECT_THAT(error_of(storage::migrations()), HasSubstr(said));
  EXPECT_THROW(storage::refuse_unreleased_schema(session), MigrationError);
  EXPECT_EQ(database_.number("select count(*) from schema_migrations"), 1);
}

constexpr Statement of_both{"0002_of_both", "alter table a add x int; alter table b add x int"};

// A database without the second migration, and a session that has begun a transaction.
class MigrateBesideATransaction : public Migrate {
 protected:
  MigrateBesideATransaction() {
    migrate(database_.url(), std::span(both_).first(1));
    other_.exec("begin");
  }

  // Returns once the migration waits for a lock.
  std::future<std::vector<std::string>> start_migrating() {
    auto migrated = std::async(std::launch::async, [this] { return migrate(database_.url(), both_); });
    EXPECT_TRUE(eventually([this] { return waits_for_a_lock("alter table%"); }));
    return migrated;
  }

  const std::array<Statement, 2> both_{first, of_both};
  Session other_{database_.url()};
};

TEST_F(MigrateBesideATransaction, WritersPassAWaitingMigration) {
  other_.exec("select from a");
  auto migrated = start_migrating();
  Session writer(database_.url());
  writer.exec("set statement_timeout = '10s'");
  EXPECT_NO_THROW(writer.exec("insert into a values (1)"));
  other_.exec("commit");
  EXPECT_THAT(migrated.get(), ElementsAre("0002_of_both"));
}

TEST_F(MigrateBesideATransaction, AWriterInADeadlockWithTheMigrationIsNotEnded) {
  other_.exec("insert into b values (1)");
  auto migrated = start_migrating();
  EXPECT_NO_THROW(other_.exec("insert into a values (1)"));
  other_.exec("commit");
  EXPECT_THAT(migrated.get(), ElementsAre("0002_of_both"));
  EXPECT_EQ(database_.number("select count(*) from a"), 1);
}

TEST_F(MigrateBesideATransaction, TheMigrationEndsIfALockIsKept) {
  other_.exec("select from b");
  try {
    migrate(database_.url(), both_, std::chrono::seconds(1));
    ADD_FAILURE() << "the lock is held";
  } catch (const MigrationError& error) {
    EXPECT_THAT(error.what(), testing::AllOf(HasSubstr("0002_of_both"), HasSubstr("55P03")));
  }
  EXPECT_EQ(database_.number("select count(*) from information_schema.columns where column_name = 'x'"), 0);
}

/// The first statement of a migration, if it locks tables; otherwise empty.
std::string first_lock_of(std::string_view migration) {
  while (migration.starts_with("--")) migration.remove_prefix(migration.find('\n') + 1);
  while (migration.starts_with('\n')) migration.remove_prefix(1);
  if (!migration.starts_with("alter table ") && !migration.starts_with("lock table ")) return {};
  return std::string(migration.substr(0, migration.find(';')));
}

// Without the lists of locks, a migration and a transaction that changes its tables in another order would
// wait for each other.
TEST_F(Migrate, LocksTheTablesThatAMigrationChangesBeforeItChangesOne) {
  const auto all = storage::migrations();
  const auto first_listed = std::ranges::find(all, "0025_cheaper_changes", &Statement::name);
  ASSERT_NE(first_listed, all.end());
  // Returns the locked tables and views that existed before, with `all` if readers and writers wait for the
  // lock, or `writers` if only these do.
  const auto locked_by = [&](const std::string& statements) {
    Session session(database_.url());
    session.exec("begin; " + statements);
    return Session(database_.url())
        .column(
            "select c.relname || case when bool_or(l.mode = 'AccessExclusiveLock') then ' all' else ' "
            "writers' "
            "end "
            "from pg_locks l join pg_class c on c.oid = l.relation "
            "where l.pid = $1::int and c.relkind in ('r', 'p', 'v') and not c.relispartition and l.mode in "
            "('ShareLock', 'ShareRowExclusiveLock', 'ExclusiveLock', 'AccessExclusiveLock') "
            "group by c.relname order by 1",
            {std::to_string(session.backend_pid())});
  };
  for (auto migration = first_listed; migration != all.end(); ++migration) {
    migrate(database_.url(), std::span(all.begin(), migration));
    std::string text = storage::runnable_text(*migration);
    if (text.find("\n-- @step\n") != std::string::npos) continue;
    for (std::size_t at = 0; (at = text.find("@schema@", at)) != std::string::npos;)
      text.replace(at, 8, "public");
    std::string locks(storage::locks_of(migration->name));
    if (locks.empty()) locks = first_lock_of(text);
    // The migration itself takes no lock beyond the listed ones, or beyond that of its first statement.
    EXPECT_EQ(locked_by(locks), locked_by(locks + "; " + text)) << migration->name;
  }
}

// PostgreSQL 15.20 refuses columns with defaults on a table whose row type a stored body names.
TEST_F(Migrate, NoStoredBodyOfAFunctionNamesATableOrItsRowType) {
  migrate(database_.url());
  EXPECT_THAT(database_.connect().column(
                  "select distinct p.oid::regprocedure from pg_proc p "
                  "join pg_depend d on d.classid = 'pg_proc'::regclass and d.objid = p.oid "
                  "left join pg_type t on d.refclassid = 'pg_type'::regclass and d.refobjid in (t.oid, "
                  "t.typarray) "
                  "where p.prosqlbody is not null and (d.refclassid = 'pg_class'::regclass or "
                  "t.typrelid <> 0)"),
              IsEmpty());
}

// The API merges pending entries at about 4 MB. The limit is higher, so that writers do not merge.
TEST_F(Migrate, EveryGinIndexMayKeepEightMegabytesOfPendingEntries) {
  migrate(database_.url());
  auto session = database_.connect();
  const std::string indexes =
      "select c.relname from pg_class c join pg_am a on a.oid = c.relam where a.amname = 'gin'";
  EXPECT_THAT(session.column(indexes), Contains("orders_by_text"));
  EXPECT_THAT(
      session.column(indexes + " and 'gin_pending_list_limit=8192' <> all(coalesce(c.reloptions, '{}'))"),
      IsEmpty());
}

// An analysis reads 30 000 rows of a partition. One that grows all day would be analyzed every few seconds.
TEST_F(Migrate, EveryPartitionIsAnalyzedOnceItHasDoubled) {
  migrate(database_.url());
  auto session = database_.connect();
  const std::string partitions =
      "select c.relname from pg_class c join pg_inherits i on i.inhrelid = c.oid where c.relkind = 'r'";
  EXPECT_THAT(session.column(partitions), IsSupersetOf({"events_other", "runs_other", "positions_other"}));
  EXPECT_THAT(session.column(partitions +
                             " and 'autovacuum_analyze_scale_factor=1' <> all(coalesce(c.reloptions, '{}'))"),
              IsEmpty());
}

constexpr Statement in_steps{"0002_in_steps",
                             "-- Builds an index.\n"
                             "-- @step\ndrop index concurrently if exists @schema@.a_by_id;\n"
                             "-- @step\ncreate index concurrently a_by_id on a (id);\n"
                             "-- @step\nselect 1 / (select count(*) from allowed);\n"};

TEST_F(Migrate, StepsRunOutsideATransactionAndAgainAfterAFailure) {
  database_.exec("create table allowed (id int)");
  const Statement two[] = {first, in_steps};
  EXPECT_THAT(error_of(two), HasSubstr("0002_in_steps"));
  EXPECT_EQ(database_.number("select count(*) from pg_indexes where indexname = 'a_by_id'"), 1);
  EXPECT_EQ(database_.number("select count(*) from schema_migrations"), 1);
  database_.exec("insert into allowed values (1)");
  EXPECT_THAT(migrate(database_.url(), two), ElementsAre("0002_in_steps"));
  EXPECT_EQ(
      database_.number("select count(*) from pg_index where indexrelid = 'a_by_id'::regclass and indisvalid"),
      1);
  EXPECT_THAT(migrate(database_.url(), two), IsEmpty());
}

TEST_F(Migrate, AnIndexIsBuiltWhileOtherProcessesWaitToMigrate) {
  database_.exec("create table allowed (id int); insert into allowed values (1)");
  const Statement two[] = {first, in_steps};
  // The build waits for this transaction, and so the others wait for the build.
  Session writer(database_.url());
  migrate(database_.url(), std::span(two, 1));
  writer.exec("begin");
  writer.exec("insert into a values (1)");
  std::vector<std::future<std::vector<std::string>>> all;
  for (int i = 0; i < 4; ++i)
    all.push_back(std::async(std::launch::async, [&] { return migrate(database_.url(), two); }));
  ASSERT_TRUE(eventually([&] { return waits_for_a_lock("%create index concurrently%", "2 s"); }));
  writer.exec("commit");
  std::vector<std::string> applied;
  for (auto& one : all) {
    for (auto& name : one.get()) applied.push_back(std::move(name));
  }
  EXPECT_THAT(applied, ElementsAre("0002_in_steps"));
}

TEST_F(Migrate, TheRecordsOfAnEarlierReleaseAreCountedByStatusOnce) {
  const auto all = storage::migrations();
  const auto counting = std::ranges::find(all, "0024_lists", &Statement::name) - all.begin();
  ASSERT_LT(counting, std::ssize(all));
  const auto before = static_cast<std::size_t>(counting);
  migrate(database_.url(), all.first(before));
  database_.exec(
      "insert into businesses (guid, name) values ('00000000-0000-4000-8000-000000000001', 'one');"
      "insert into orders (business_id, order_number, status) select guid, n, 'ready' from businesses, "
      "generate_series(1, 5) n;"
      "insert into shipments (business_id, tracking_number) select guid, 'a' from businesses;"
      "update orders set deleted_at = now() where order_number = '1'");
  migrate(database_.url(), all.first(before + 1));
  database_.exec("update orders set status = 'shipped' where order_number = '2'");
  const auto records = [&](const std::string& type, const std::string& status) {
    return database_.number(
        "select coalesce(sum(case when status_after = $2 then records else 0 end - "
        "case when status_before = $2 then records else 0 end), 0)::bigint "
        "from status_counts where entity_type = $1::int",
        {type, status});
  };
  EXPECT_EQ(records("0", "ready"), 3);
  EXPECT_EQ(records("0", "shipped"), 1);
  EXPECT_EQ(records("1", "created"), 1);
}

TEST_F(Migrate, FindsTheFrequentOwnDataOfAnEarlierRelease) {
  const auto all = storage::migrations();
  const auto totals = std::ranges::find(all, "0100_totals_of_own_data", &Statement::name) - all.begin();
  ASSERT_LT(totals, std::ssize(all));
  const auto before = static_cast<std::size_t>(totals);
  migrate(database_.url(), all.first(before));
  // The sample has about 160 of the records; 40 are enough.
  database_.exec(
      "insert into businesses (guid, name) values ('00000000-0000-4000-8000-000000000001', 'one');"
      "set session_replication_role = replica;"
      "insert into products (business_id, name, sku, tags, external_reference, metadata) "
      "select guid, n, n, '[\"Hot\"]', 'r' || n, '{\"a\": 1.0}' from businesses, generate_series(1, 8000) n;"
      "reset session_replication_role");
  migrate(database_.url(), all.first(before + 1));
  EXPECT_EQ(database_.value("select string_agg(value, ' ' order by value) from own_data_totals "
                            "where entity_type = 3 and total is null"),
            R"(m{"a": 1} thot)");
}

TEST_F(Migrate, PlansTimersAndSchedulesThatAnEarlierReleaseHasNotPlanned) {
  const auto all = storage::migrations();
  const auto forms = std::ranges::find(all, "0086_stored_forms", &Statement::name) - all.begin();
  ASSERT_LT(forms, std::ssize(all));
  const auto before = static_cast<std::size_t>(forms);
  migrate(database_.url(), all.first(before));
  database_.exec(
      "insert into businesses (guid, name) values ('00000000-0000-4000-8000-000000000001', 'one');"
      "insert into workflows (business_id, name, entity_type, trigger_code, action, conditions, version, "
      "deleted_at) "
      "select '00000000-0000-4000-8000-000000000001', n, 0, t, '{\"type\": \"webhook\"}', '{}', 3, d from "
      "(values "
      "('timer', '5:timer:order.createdAt:P1D', null::timestamptz), "
      "('deleted', '5:timer:order.createdAt:P1D', now()), "
      "('schedule', '5:4:schedule:order:{}', null), ('event', '5:order_created', null), "
      "('planned', 'timer:order.createdAt:P1D', null)) w (n, t, d)");
  Session session(database_.url());
  const auto planned = [&] {
    return session.column(
        "select name from workflows where timer_plan = 3 and timer_since is not null order by 1");
  };
  EXPECT_THAT(planned(), ElementsAre("planned"));
  database_.exec("delete from timer_scans");
  migrate(database_.url(), all.first(before + 1));
  EXPECT_THAT(planned(), ElementsAre("planned", "schedule", "timer"));
  const auto rows_of = [&](const std::string& table) {
    return session.column("select w.name from " + table +
                          " t join workflows w on w.guid = t.workflow_id and w.timer_plan = t.plan");
  };
  EXPECT_THAT(rows_of("timer_scans"), ElementsAre("timer"));
  EXPECT_THAT(rows_of("schedules"), ElementsAre("schedule"));
}

TEST_F(Migrate, ReplacesTheTokenOfTheSchema) {
  const Statement named[] = {{"0001_named",
                              "create table a (id int); insert into @schema@.a values (1);"
                              "create function b() returns bigint language sql set search_path to '' as"
                              " $$ select count(*) from @schema@.a $$"}};
  database_.exec("create schema \"Other Schema\"; alter database " + database_.name() +
                 " set search_path = \"Other Schema\"");
  migrate(database_.url(), named);
  EXPECT_EQ(database_.number("select \"Other Schema\".b()"), 1);
}

TEST_F(Migrate, BringsAnEmptyDatabaseUpToDate) {
  std::vector<std::string> names;
  for (const auto& migration : storage::migrations()) names.emplace_back(migration.name);
  EXPECT_EQ(migrate(database_.url()), names);
  EXPECT_THAT(migrate(database_.url()), IsEmpty());
}

}  // namespace
}  // namespace waybill::tests
