#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "storage/blocking/connection.hpp"
#include "storage/statement/errors.hpp"
#include "tests/harness/postgres.hpp"
#include "worker/duties/duties.hpp"

namespace waybill::tests {
namespace {

using testing::ElementsAre;

const std::string business = "00000000-0000-4000-8000-000000000001";
const std::string workflow = "00000000-0000-4000-8000-000000000002";

/// A database with a business and a workflow whose history the test writes.
class Retention : public testing::Test {
 protected:
  Retention() {
    database.exec(
        "insert into businesses (guid, name) values ('" + business + "', 'one');" +
        "insert into workflows (business_id, guid, name, entity_type, trigger_code, action) values ('" +
        business + "', '" + workflow + "', 'w', 0, 'order_created', '{}');" +
        "delete from workflow_switches");
  }

  /// Creates versions 1 to `last`, a minute apart; the last is that many days old.
  void make_versions(int last, int days_ago) {
    database.rows(
        "with w as (update workflows set version = $2 where guid = $1)"
        " insert into workflow_versions (business_id, workflow_id, version, definition, created_at)"
        " select $4::uuid, $1::uuid, v, '{}', now() - $3::int * interval '1 day' - ($2::int - v) * interval "
        "'1 minute'"
        " from generate_series(1, $2::int) v",
        {workflow, std::to_string(last), std::to_string(days_ago), business});
  }
  void add_switch(double days_ago) {
    database.rows(
        "insert into workflow_switches (business_id, workflow_id, at, is_active)"
        " values ($1, $2, now() - $3::float8 * interval '1 day', true)",
        {business, workflow, std::to_string(days_ago)});
  }
  void expire() {
    const SecretBox secrets(SecretBox::Key{});
    storage::blocking::Connection session(database.url(), "duties");
    while (worker::expire_history(session, {.database_url = {}, .retention_days = 30, .secrets = secrets}))
      continue;
  }
  /// "first to last" of the remaining versions.
  std::string versions() {
    return database.value(
        "select min(version) || ' to ' || max(version) from workflow_versions where workflow_id = $1",
        {workflow});
  }

  TestDatabase database;
};

TEST_F(Retention, OldVersionsAreDeletedExceptTheNewest20) {
  make_versions(25, 31);
  expire();
  EXPECT_EQ(versions(), "6 to 25");
}

TEST_F(Retention, VersionsWithinTheRetentionAreKeptUpTo1000) {
  make_versions(1001, 0);
  expire();
  EXPECT_EQ(versions(), "2 to 1001");
}

TEST_F(Retention, AVersionThatAQueuedRunNamesIsKept) {
  make_versions(25, 31);
  database.exec(
      "insert into run_queue (business_id, guid, workflow_id, workflow_version, event_id, entity_type, "
      "entity_id,"
      " trigger_code, action, status, created_at, due_at, origin, request) values ('" +
      business + "', '" + business + "', '" + workflow + "', 3, 1, 0, '" + business +
      "', 'order_created', 'webhook', 'waiting', now(), now(), '" + business + "', '{}')");
  expire();
  EXPECT_EQ(versions(), "3 to 25");
  EXPECT_EQ(database.number("select count(*) from workflow_versions where workflow_id = '" + workflow + "'"),
            21);
}

TEST_F(Retention, VersionsOfALongDeletedWorkflowAreDeleted) {
  make_versions(3, 60);
  database.exec("update workflows set deleted_at = now() - interval '29 days' where guid = '" + workflow +
                "'");
  expire();
  EXPECT_EQ(versions(), "1 to 3");
  database.exec("update workflows set deleted_at = now() - interval '31 days' where guid = '" + workflow +
                "'");
  expire();
  EXPECT_EQ(versions(), "");
}

TEST_F(Retention, ALongDeletedWorkflowGoesWithAllThatIsStoredAboutIt) {
  const std::vector<std::string> tables{"workflow_versions", "workflow_switches", "workflow_secrets",
                                        "workflow_health",   "timer_scans",       "schedules"};
  make_versions(3, 60);
  add_switch(50);
  const std::string names = "(business_id, workflow_id";
  const std::string values = " values ('" + business + "', '" + workflow + "'";
  database.exec("insert into workflow_secrets " + names + ", sealed)" + values + ", '\\x00');" +
                "insert into workflow_health " + names + ")" + values + ");" + "insert into timer_scans " +
                names + ", plan)" + values + ", 1);" + "insert into schedules " + names + ", plan)" + values +
                ", 1)");
  const auto remaining = [&] {
    std::int64_t sum = database.number("select count(*) from workflows where guid = $1", {workflow});
    for (const std::string& table : tables)
      sum += database.number("select count(*) from " + table + " where workflow_id = $1", {workflow});
    return sum;
  };
  const auto delete_workflow = [&](int days_ago) {
    database.rows("update workflows set deleted_at = now() - $2::int * interval '1 day' where guid = $1",
                  {workflow, std::to_string(days_ago)});
  };
  delete_workflow(31);
  expire();
  EXPECT_EQ(database.number("select count(*) from workflows where guid = $1", {workflow}), 1);
  EXPECT_EQ(remaining(), 6) << "all but the versions";
  delete_workflow(33);
  expire();
  EXPECT_EQ(remaining(), 0);
  EXPECT_EQ(database.number("select count(*) from audit_log where entity_id = $1 and action = 'deleted'",
                            {workflow}),
            1)
      << "only the deletion itself";
}

TEST_F(Retention, ADeletedWorkflowWithAQueuedRunIsKept) {
  database.exec(
      "insert into run_queue (business_id, guid, workflow_id, workflow_version, event_id, entity_type, "
      "entity_id, trigger_code, action, status, created_at, due_at, origin, request) values ('" +
      business + "', '" + business + "', '" + workflow + "', 1, 1, 0, '" + business +
      "', 'order_created', 'webhook', 'held', now(), now(), '" + business + "', '{}')");
  database.exec("update workflows set deleted_at = now() - interval '60 days' where guid = '" + workflow +
                "'");
  expire();
  EXPECT_EQ(database.number("select count(*) from workflows where guid = $1", {workflow}), 1);
}

TEST_F(Retention, DeletedWorkflowsArePurgedInSeveralTransactions) {
  database.exec(
      "insert into workflows (business_id, name, entity_type, trigger_code, action, deleted_at) select '" +
      business +
      "', 'w', 0, 'order_created', '{}', now() - interval '60 days' from generate_series(1, 2500)");
  expire();
  EXPECT_EQ(database.number("select count(*) from workflows where deleted_at is not null"), 0);
}

TEST_F(Retention, TheLastSwitchBeforeTheRetentionIsKept) {
  for (const double days_ago : {90.0, 60.0, 45.0, 20.0, 10.0}) add_switch(days_ago);
  expire();
  EXPECT_EQ(
      database.value("select string_agg(round(extract(epoch from now() - at) / 86400)::text, ' ' order by at)"
                     " from workflow_switches where workflow_id = '" +
                     workflow + "'"),
      "45 20 10");
}

TEST_F(Retention, AWorkflowKeepsAtMost1000Switches) {
  database.exec("insert into workflow_switches select '" + business + "', '" + workflow +
                "', now() - n * interval '1 minute', true from generate_series(1, 1001) n");
  expire();
  EXPECT_EQ(database.number("select count(*) from workflow_switches where workflow_id = '" + workflow + "'"),
            1000);
}

TEST_F(Retention, OldVersionsOfTemplatesAreDeletedExceptTheNewest20) {
  database.exec(
      "insert into templates (business_id, guid, code, name, entity_type, type, version) values ('" +
      business + "', '" + workflow + "', 'c', 'n', 0, 'webhook', 25);" +
      "insert into template_versions select '" + business + "', '" + workflow +
      "', v, '{}', now() - interval '31 days' from generate_series(1, 25) v");
  expire();
  EXPECT_EQ(database.value("select min(version) || ' to ' || max(version) from template_versions"),
            "6 to 25");
}

TEST_F(Retention, TokensAreListedFor400DaysAfterTheyEnd) {
  database.exec(
      "insert into api_tokens (business_id, name, token_hash, revoked_at, expires_at)"
      " select '" +
      business +
      "', name, sha256(name::bytea), now() - revoked * interval '1 day', now() - expired * interval '1 day'"
      " from (values ('active', null::int, null::int), ('revoked', 399, null), ('revoked long ago', 401, "
      "null),"
      " ('expired', null, 399), ('expired long ago', null, 401), ('expires', null, -1)) t (name, revoked, "
      "expired)");
  expire();
  EXPECT_EQ(database.value("select string_agg(name, ', ' order by name) from api_tokens"),
            "active, expired, expires, revoked");
}

TEST_F(Retention, RowsAreDeletedInSeveralTransactions) {
  make_versions(2'500, 31);
  expire();
  EXPECT_EQ(versions(), "2481 to 2500");
}

/// Records that were deleted, each with the age of its deletion in days.
class PurgeTest : public Retention {
 protected:
  void purge() {
    const SecretBox secrets(SecretBox::Key{});
    storage::blocking::Connection session(database.url(), "duties");
    while (worker::purge_deleted(session,
                                 {.database_url = {}, .deleted_retention_days = 90, .secrets = secrets}))
      continue;
  }
  /// Inserts a record and deletes it softly. Returns its guid.
  std::string deleted(std::string_view table, const std::string& columns, const std::string& values,
                      int days_ago) {
    return database.value("with made as (insert into " + std::string(table) + " (business_id, " + columns +
                              ", deleted_at) values ($1, " + values +
                              ", now() - $2::int * interval '1 day') returning guid) select guid from made",
                          {business, std::to_string(days_ago)});
  }
  std::int64_t count(std::string_view table) {
    return database.number("select count(*) from " + std::string(table) + " where business_id = $1",
                           {business});
  }
};

TEST_F(PurgeTest, RecordsAreRemovedAfterTheRetentionWithoutAnEvent) {
  for (const int days_ago : {89, 91}) {
    const auto number = "'" + std::to_string(days_ago) + "'";
    deleted("orders", "order_number", number, days_ago);
    deleted("shipments", "tracking_number", number, days_ago);
    deleted("customers", "name", number, days_ago);
    deleted("products", "name", number, days_ago);
  }
  database.exec("insert into customers (business_id, name) values ('" + business + "', 'stays')");
  const auto events = count("events");
  EXPECT_EQ(count("shipment_traces"), 2);
  EXPECT_EQ(count("tracking_tokens"), 2);
  purge();
  purge();
  EXPECT_EQ(database.value("select order_number from orders"), "89");
  EXPECT_EQ(database.value("select string_agg(name, ' ' order by name) from customers"), "89 stays");
  for (const auto* const table : {"orders", "shipments", "products", "shipment_traces", "tracking_tokens"})
    EXPECT_EQ(count(table), 1) << table;
  EXPECT_EQ(count("events"), events);
}

TEST_F(PurgeTest, ACustomerStaysWhileAnOrderShowsTheName) {
  const auto customer = deleted("customers", "name", "'Ada'", 100);
  database.exec("insert into orders (business_id, order_number, customer_id) values ('" + business +
                "', '1', '" + customer + "')");
  purge();
  EXPECT_EQ(count("customers"), 1);
  database.exec("update orders set deleted_at = now() - interval '91 days'");
  purge();
  EXPECT_EQ(count("customers"), 0);
  EXPECT_EQ(count("orders"), 0);
}

TEST_F(PurgeTest, AStoresOrderStaysKnownToImports) {
  const auto order =
      deleted("orders", "order_number, integration_id, external_id", "'1', '" + business + "', 'ext-1'", 100);
  purge();
  EXPECT_EQ(count("orders"), 0);
  EXPECT_EQ(database.value("select order_id from imported_orders where external_id = 'ext-1'"), order);
}

/// A session that has locked a row which a duty changes.
class LockedRow : public Retention {
 protected:
  LockedRow() { duties.execute("set lock_timeout = '50ms'"); }

  const SecretBox secrets{SecretBox::Key{}};
  const worker::DutyOptions options{.database_url = {}, .secrets = secrets};
  storage::blocking::Connection duties{database.url(), "duties"};
  Session holder = database.connect();
};

TEST_F(LockedRow, OfAnAccountKeepsNothingElseFromExpiring) {
  database.exec(
      "insert into users (email, password_hash, mail_token_hash, mail_token_expires_at) values "
      "('late@example.com', 'x', sha256('x'), now() - interval '8 days');"
      "insert into worker_beats (worker, expires_at, matched_at) values "
      "(gen_random_uuid(), now() - interval '1 hour', now())");
  holder.exec("begin; select from users for update");
  EXPECT_THROW(worker::expire(duties, options), storage::StatementError) << "the duty is repeated soon";
  EXPECT_EQ(database.number("select count(*) from worker_beats"), 0);
  EXPECT_EQ(database.number("select count(*) from users"), 1);
  holder.exec("rollback");
  worker::expire(duties, options);
  EXPECT_EQ(database.number("select count(*) from users"), 0);
}

TEST_F(LockedRow, OfADeviceKeepsNoOtherDeviceFromGoingOffline) {
  database.exec(
      "insert into tracking_devices (business_id, device_id, type, created_at) "
      "select '" +
      business + "', 'device-' || n, 'gps', now() - interval '1 hour' from generate_series(1, 3) n");
  holder.exec("begin; select from tracking_devices where device_id = 'device-1' for update");
  worker::silence_devices(duties, options);
  const auto offline = [&] {
    return database.number("select count(*) from tracking_devices where status = 'offline'");
  };
  EXPECT_EQ(offline(), 2);
  holder.exec("rollback");
  worker::silence_devices(duties, options);
  EXPECT_EQ(offline(), 3);
}

}  // namespace
}  // namespace waybill::tests
