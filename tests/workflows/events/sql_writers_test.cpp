#include <fstream>
#include <iterator>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/ascii.hpp"
#include "storage/schema/migrate.hpp"
#include "tests/harness/sql_errors.hpp"
#include "tests/workflows/fixtures/workflow_fixture.hpp"

namespace waybill::tests {
namespace {

using testing::HasSubstr;

/// A role of the cluster. The destructor drops it, unless it still has privileges in a database.
class Role {
 public:
  explicit Role(std::string role_name) : name(std::move(role_name)) {
    postgres().admin().exec("drop role if exists " + name + "; create role " + name + " login");
  }
  ~Role() {
    try {
      postgres().admin().exec("drop role " + name);
    } catch (const std::exception&) {  // NOLINT(bugprone-empty-catch): it goes with the cluster
    }
  }
  Role(const Role&) = delete;
  Role& operator=(const Role&) = delete;

  Session connect(const TestDatabase& database) const {
    return Session(replaced(database.url(), "//waybill@", "//" + name + "@"));
  }

  const std::string name;
};

constexpr std::string_view business = "00000000-0000-4000-8000-000000000001";
const std::string sql_cause_of = R"({"by": {"name": "ROLE", "type": "sql"}})";

/// A migrated database with one business, and a role without any privileges.
class SqlWriters : public testing::Test {
 protected:
  SqlWriters() {
    database.exec("insert into businesses (guid, name) values ('" + std::string(business) + "', 'one')");
  }
  ~SqlWriters() override { database.exec("drop owned by " + role.name); }

  void grant(const std::string& tables) {
    database.exec("grant select, insert, update, delete on " + tables + " to " + role.name);
  }
  static std::string insert(const std::string& table) {
    const std::string columns = table == "orders"      ? "order_number) values ('"
                                : table == "shipments" ? "tracking_number) values ('"
                                                       : "name) values ('";
    return "insert into " + table + " (business_id, " +
           replaced(columns, "values (", "values ('" + std::string(business) + "', ") + "N')";
  }
  std::int64_t events() { return database.number("select count(*) from events"); }
  std::string last_cause() { return database.value("select cause from events order by id desc limit 1"); }
  std::string cause() const { return replaced(sql_cause_of, "ROLE", role.name); }

  TestDatabase database;
  Role role{"writer_" + database.name()};
};

TEST_F(SqlWriters, NeedPrivilegesOnlyOnTheirRecordTable) {
  for (const std::string table : {"orders", "shipments", "customers", "products"}) {
    grant(table);
    Session writer = role.connect(database);
    const std::int64_t before = events();
    writer.exec(insert(table));
    writer.exec("update " + table + " set updated_at = now()");
    writer.exec("delete from " + table);
    EXPECT_EQ(events(), before + 3) << table;
    EXPECT_EQ(database.number("select count(*) from pending_events"), before + 3) << table;
    EXPECT_EQ(database.number("select sum(delta) from record_counts"), 0) << table;
    EXPECT_EQ(last_cause(), cause()) << table;
    database.exec("revoke all on " + table + " from " + role.name);
  }
  grant("products");
  role.connect(database).exec("insert into products (business_id, name, sku) values ('" +
                              std::string(business) + "', 'Lamp', 'L1')");
  EXPECT_EQ(database.value("select sku from product_skus"), "L1");
}

TEST_F(SqlWriters, NeedNoFurtherPrivilegesForOwnData) {
  for (const std::string table : {"orders", "shipments", "customers", "products"}) {
    grant(table);
    Session writer = role.connect(database);
    writer.exec(insert(table));
    writer.exec("update " + table +
                R"( set tags = '["vip"]', metadata = '{"a": 1}', external_reference = 'x')");
    EXPECT_EQ(database.value("select array(select unnest(added) order by 1)::text from own_data_changes"),
              R"({"m{\"a\": 1}",rx,tvip})")
        << table;
    writer.exec("delete from " + table);
    EXPECT_EQ(database.number("select sum(cardinality(added) - cardinality(removed)) from own_data_changes"),
              0)
        << table;
    EXPECT_THAT(error_of(writer, "delete from own_data_changes"), HasSubstr("permission denied"));
    EXPECT_THAT(error_of(writer, "update own_data_totals set total = 1"), HasSubstr("permission denied"));
    database.exec("delete from own_data_changes; revoke all on " + table + " from " + role.name);
  }
}

TEST_F(SqlWriters, NeedOnlyTheGrantsOfTheDocument) {
  std::ifstream file("docs/operations.md");
  const std::string document{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  const std::size_t begin = document.rfind("```sql\n", document.find("create role shop login;"));
  ASSERT_NE(begin, std::string::npos);
  std::string grants = document.substr(begin + 7, document.find("```", begin + 7) - begin - 7);
  grants = replaced(grants, "create role shop login;", "");
  ASSERT_THAT(grants, HasSubstr(" to shop;"));
  database.exec(replaced(grants, " to shop;", " to " + role.name + ";"));
  Session writer = role.connect(database);
  for (const std::string table : {"orders", "shipments", "customers", "products"}) writer.exec(insert(table));
  EXPECT_EQ(events(), 4);
}

TEST_F(SqlWriters, ChangeThousandsOfRecordsInOneStatement) {
  const std::vector<std::pair<std::string, std::string>> columns{{"orders", "notes"},
                                                                 {"shipments", "instructions"},
                                                                 {"customers", "company"},
                                                                 {"products", "description"}};
  for (const auto& [table, column] : columns) {
    Session writer = database.connect();
    writer.exec("set session_replication_role = replica");
    writer.exec(replaced(replaced(insert(table), ") values (", ") select "), "'N')",
                         "'N' || n from generate_series(1, 10000) n"));
    writer.exec("reset session_replication_role; set statement_timeout = '8s'");
    const std::int64_t before = events();
    // A session keeps the plan of its first change. One with nested loops would take tens of seconds for the
    // next change.
    const std::string update = "update " + table + " set " + column + " = 'x'";
    for (int change = 0; change < 10; ++change)
      writer.exec(update + " where guid = (select min(guid::text)::uuid from " + table + ")");
    writer.exec(update);
    EXPECT_EQ(events(), before + 10010) << table;
  }
}

TEST_F(SqlWriters, DeleteAndRestoreRecordsByTheirTime) {
  const std::vector<std::pair<std::string, std::string>> kinds{
      {"orders", "order"}, {"shipments", "shipment"}, {"customers", "customer"}, {"products", "product"}};
  std::int64_t type = 0;
  for (const auto& [table, name] : kinds) {
    const auto counted = [&] {
      return database.number("select sum(delta)::bigint from record_counts where entity_type = " +
                             std::to_string(type));
    };
    const auto last_without = [&] {
      return database.value("select concat_ws(' ', case when " + name +
                            "_before is null then 'before' end, case when " + name +
                            "_after is null then 'after' end) from events order by id desc limit 1");
    };
    database.exec(insert(table));
    const std::int64_t before = events();
    database.exec("update " + table + " set deleted_at = now()");
    EXPECT_EQ(last_without(), "after") << table;
    EXPECT_EQ(counted(), 0) << table;
    database.exec("update " + table + " set metadata = '{}'");
    EXPECT_EQ(events(), before + 1) << table;
    database.exec("update " + table + " set deleted_at = null");
    EXPECT_EQ(last_without(), "before") << table;
    EXPECT_EQ(counted(), 1) << table;
    EXPECT_EQ(database.number("select count(*) from pending_events p join events e using (id) "
                              "where e.entity_type = " +
                              std::to_string(type)),
              3)
        << table;
    ++type;
  }
}

TEST_F(SqlWriters, LeaveLongValuesOfBeforeInTheEvent) {
  database.exec(insert("orders"));
  database.exec(R"(set waybill.cause = '{"by": {"type": "sql"}}')");  // the limits do not apply to waybill
  // Random text is not compressed, so PostgreSQL stores it outside the row.
  database.exec(
      "update orders set notes = (select string_agg(md5(n::text), '') from generate_series(1, 1000) n)");
  database.exec("update orders set notes = 'short'; delete from orders");
  database.exec("vacuum orders");
  EXPECT_EQ(
      database.value("select length((order_before).notes)::text || ' ' || (order_after).notes from events "
                     "where order_after is distinct from null order by id desc limit 1"),
      "32000 short");
}

TEST_F(SqlWriters, StoreItemsAsJsonbPrintsThem) {
  const std::string items = R"([{"sku":"b","quantity":1.50,"guid":"1"}])";
  const std::string printed =
      R"([{"sku": "b", "guid": "1", "price": null, "quantity": 1.50, "productId": null, )"
      R"("dimensions": null, "description": null}])";
  const auto stored = [&] { return database.value("select items from orders"); };
  database.exec(insert("orders"));
  database.exec("update orders set items = '" + items + "'");
  EXPECT_EQ(stored(), printed);
  database.exec("update orders set items = items, notes = 'n'");
  EXPECT_EQ(stored(), printed);
  database.exec("insert into orders (business_id, order_number, items) select business_id, 'n', '" + items +
                "' from orders; delete from orders where order_number <> 'n'");
  EXPECT_EQ(stored(), printed);
}

// An item without a guid gets one, which it keeps when the same items, or the same place, are written again.
TEST_F(SqlWriters, StoreItemsWithGuids) {
  grant("orders");
  Session writer = role.connect(database);
  const auto written = [&](const std::string& items) {
    writer.exec("update orders set items = '" + items + "'");
    return writer.column("select coalesce(i ->> 'guid', '') from orders, json_array_elements(items) i");
  };
  writer.exec(insert("orders"));
  const std::string lamp = R"({"description": "Lamp", "quantity": 1, "price": 2})";
  const std::string bulb = R"({"description": "Bulb", "quantity": 1})";
  const auto first = written("[" + lamp + "," + lamp + "," + bulb + "]");
  EXPECT_EQ(std::set(first.begin(), first.end()).size(), 3U);
  EXPECT_THAT(first, testing::Not(testing::Contains("")));
  const std::string same_lamp = R"({"price": 2.00, "quantity": 1, "sku": null, "description": "Lamp"})";
  EXPECT_EQ(written("[" + bulb + "," + same_lamp + "," + lamp + "]"),
            (std::vector{first[2], first[0], first[1]}));
  const std::string two_bulbs = R"({"description": "Bulb", "quantity": 2})";
  EXPECT_EQ(written("[" + two_bulbs + "," + lamp + "]"), (std::vector{first[2], first[0]})) << "in its place";
  const auto other = written(R"([{"description": "Shade"}, {"guid": "own", "description": "Lamp"}, 5])");
  EXPECT_THAT(first, testing::Not(testing::Contains(other[0]))) << "another item";
  EXPECT_EQ(other[1], "own");
  EXPECT_EQ(written("[]"), std::vector<std::string>{});
}

TEST_F(SqlWriters, CannotStoreAnOrderThatBreaksARule) {
  grant("orders");
  Session writer = role.connect(database);
  writer.exec(insert("orders"));
  const std::vector<std::pair<std::string, std::string>> rules{
      {"status = 'lost'", "orders_status_check"},
      {"order_number = ''", "orders_order_number_check"},
      {"items = '{}'", "orders_items_check"},
      {"total_value = -1", "orders_total_value_check"},
      {"total_value = 'NaN'", "orders_numbers_in_range"},
      {"currency = 'eur'", "orders_currency_check"},
      {"collection_date = 'infinity'", "orders_times_in_range"},
      {"collection_date = '10000-01-01'", "orders_times_in_range"},
      {"created_at = '0001-12-31 BC'", "orders_times_in_range"},
      {"external_id = '7'", "orders_import_whole"},
      {"tags = '{}'", "orders_tags_check"},
      {"metadata = '[]'", "orders_metadata_check"},
      {"source_type = 'mail'", "orders_source_type_check"},
      {"shipping_cost = -1", "orders_shipping_cost_check"},
      {"shipping_cost = 'NaN'", "orders_shipping_cost_check"},
  };
  for (const auto& [change, rule] : rules) {
    EXPECT_THAT(error_of(writer, "update orders set " + change),
                HasSubstr("new row for relation \"orders\" violates check constraint \"" + rule + "\""));
  }
  EXPECT_EQ(events(), 1);
}

TEST_F(SqlWriters, CannotTouchTheOutbox) {
  grant("orders, shipments, customers, products");
  Session writer = role.connect(database);
  const std::string denied = "permission denied";
  EXPECT_THAT(error_of(writer, "insert into events (business_id, entity_id, entity_type) values ('" +
                                   std::string(business) + "', '" + std::string(business) + "', 0)"),
              HasSubstr(denied));
  EXPECT_THAT(error_of(writer, "delete from pending_events"), HasSubstr(denied));
  EXPECT_THAT(error_of(writer, "insert into record_counts values ('" + std::string(business) + "', 0, 9)"),
              HasSubstr(denied));
  EXPECT_THAT(error_of(writer, "create function now(integer) returns integer language sql as 'select 1'"),
              HasSubstr(denied));
  EXPECT_THAT(error_of(writer, "select drop_partitions('2999-01-01')"), HasSubstr(denied));
  EXPECT_THAT(error_of(writer, "select make_partition('events', '2999-01-01')"), HasSubstr(denied));
  EXPECT_THAT(error_of(writer, "select end_dispatch('" + std::string(business) + "', '" +
                                   std::string(business) + "', 'completed')"),
              HasSubstr(denied));
}

TEST_F(SqlWriters, CannotForgeTheSourceOfAnOrderByASetting) {
  grant("orders");
  Session writer = role.connect(database);
  writer.exec(R"(set waybill.cause = '{"by": {"type": "token", "name": "x"}}')");
  writer.exec(insert("orders"));
  EXPECT_EQ(database.value("select source_kind(o) from orders o"), "sql");
}

TEST_F(SqlWriters, CannotForgeAnEventByATriggerOnTheirOwnTable) {
  Session writer = role.connect(database);
  writer.exec("create temp table mine (business_id uuid, guid uuid, deleted_at timestamptz)");
  for (const auto& row :
       database.rows("select distinct tgfoid::regproc from pg_trigger where not tgisinternal"
                     " and tgfoid not in ('touch_updated_at'::regproc, 'keep_order_times'::regproc) and "
                     "tgrelid in ('orders'::regclass, "
                     "'shipments'::regclass, 'customers'::regclass,"
                     " 'products'::regclass)")) {
    const std::string function = row.at(0).value();
    EXPECT_THAT(error_of(writer,
                         "create trigger t after insert on mine referencing new table as new_rows"
                         " for each statement execute function " +
                             function + "()"),
                HasSubstr("permission denied for function"))
        << function;
  }
}

TEST_F(SqlWriters, CannotSuppressEventsByTemporaryTables) {
  grant("orders, shipments");
  Session writer = role.connect(database);
  Session owner = database.connect();
  for (const auto& row : database.rows("select relname from pg_class c where relkind in ('r', 'p') and not "
                                       "relispartition and relnamespace = 'public'::regnamespace")) {
    const std::string table = row.at(0).value();
    writer.exec("create temp table " + table + " (id int)");
    owner.exec("create temp table " + table + " (like public." + table +
               " including all excluding constraints)");
  }
  int expected = 0;
  for (Session* session : {&writer, &owner}) {
    session->exec("insert into public.orders (business_id, order_number) values ('" + std::string(business) +
                  "', 'N" + std::to_string(expected) + "')");
    session->exec("insert into public.shipments (business_id, tracking_number) values ('" +
                  std::string(business) + "', 'N" + std::to_string(expected) + "')");
    session->exec("update public.shipments set status = 'collected' where status = 'created'");
    expected += 3;
    EXPECT_EQ(events(), expected);
    EXPECT_EQ(database.number("select count(*) from pending_events"), expected);
  }
  EXPECT_EQ(database.number("select count(*) from shipment_traces"), 4);
}

TEST_F(SqlWriters, MaySetAnySearchPath) {
  grant("orders, shipments");
  database.exec("create schema hostile authorization " + role.name);
  Session writer = role.connect(database);
  writer.exec(
      "create function hostile.shard_of(uuid) returns smallint language sql as 'select 3::smallint';"
      "create function hostile.event_cause() returns jsonb language sql as $$ select '{\"depth\": 9}'::jsonb "
      "$$;"
      "create function hostile.now() returns timestamptz language sql as $$ select "
      "'2001-01-01Z'::timestamptz $$;"
      "create function hostile.current_setting(text, boolean) returns text language sql as $$ select '{}' $$;"
      "create function hostile.status_text(text) returns text language sql as $$ select 'forged' $$;"
      "create function hostile.to_char(timestamp, text) returns text language sql as $$ select 'forged' $$;"
      "create function hostile.due_date(timestamptz, timestamptz, text) returns timestamptz language sql as"
      " $$ select '2001-01-01Z'::timestamptz $$;"
      "create function hostile.uuid_hash(uuid) returns integer language sql as 'select 3';"
      "create function hostile.pg_has_role(name, name, text) returns boolean language sql as 'select true';"
      "create domain hostile.float8 as double precision check (false);"
      "create table hostile.shipments (id bigint);"
      "create table hostile.events (id bigint); create table hostile.pending_events (id bigint);"
      "set search_path = hostile, pg_catalog");
  for (const char* operands : {"uuid", "integer", "bigint", "text", "timestamptz", "name"}) {
    const std::string type = operands;
    writer.exec("create function hostile.wrong(" + type + ", " + type +
                ") returns boolean language plpgsql as $$ begin raise exception 'hostile'; end $$");
    for (const char* symbol : {"=", "<>", "<", ">", "-", "&"}) {
      writer.exec("create operator hostile." + std::string(symbol) + " (leftarg = " + type +
                  ", rightarg = " + type + ", function = hostile.wrong)");
    }
  }
  writer.exec("insert into public.shipments (business_id, tracking_number) values ('" +
              std::string(business) + "', 'N')");
  writer.exec("set waybill.last_trace_id = '0'; update public.shipments set last_trace_id = 1");
  writer.exec("update public.shipments set status = 'collected'");
  writer.exec("update public.shipments set status = 'in_transit'");
  writer.exec("set search_path = ''");
  writer.exec("update public.shipments set status = 'out_for_delivery'");
  writer.exec("insert into public.orders (business_id, order_number) values ('" + std::string(business) +
              "', 'N')");
  writer.exec("set search_path = hostile, pg_catalog");
  writer.exec("update public.orders set status = 'cancelled'");
  EXPECT_THAT(error_of(writer, "update public.orders set notes = repeat('x', 10001)"),
              HasSubstr("notes must have at most 10000 characters"));
  EXPECT_THAT(error_of(writer, "update public.orders set tags = to_jsonb(array[repeat('x', 51)])"),
              HasSubstr("tags[0] must have at most 50 characters"));
  EXPECT_EQ(events(), 7);
  EXPECT_EQ(database.number("select count(*) from pending_events where shard = shard_of(business_id)"), 7);
  EXPECT_EQ(last_cause(), cause());
  EXPECT_EQ(database.number("select count(*) from shipments where updated_at > now() - interval '1 hour' and "
                            "estimated_delivery > now()"),
            1);
  EXPECT_EQ(database.number("select count(*) from shipment_traces where description <> 'forged'"), 4);
  EXPECT_EQ(database.number("select count(*) from events where detail #>> '{trace,timestamp}' <> 'forged'"),
            4);
}

TEST_F(SqlWriters, CannotForgeTheAuthorOrTheDepthOfAChange) {
  grant("orders");
  Session writer = role.connect(database);
  const std::string forged = R"({"by": {"type": "user", "name": "the boss"}, "depth": 9})";
  for (const std::string& setting : {forged, std::string("no JSON"), std::string()}) {
    writer.exec("set waybill.cause = '" + setting + "'");
    writer.exec("insert into orders (business_id, order_number) values ('" + std::string(business) +
                "', 'N' || gen_random_uuid())");
    EXPECT_EQ(last_cause(), cause()) << setting;
  }
  // A line for an order, as waybill writes it.
  writer.exec("select set_config('waybill.cause', $$" + forged +
              "\n$$ || guid || ' ' || gen_random_uuid(), false) from orders limit 1");
  writer.exec("update orders set notes = 'w'");
  EXPECT_EQ(database.number("select count(*) from events where cause ? 'run'"), 0);
  EXPECT_EQ(last_cause(), cause());
  database.exec("set waybill.cause = '" + forged + "'; update orders set notes = 'x'");
  EXPECT_EQ(database.value("select cause ->> 'depth' from events order by id desc limit 1"), "9");
  database.exec("reset waybill.cause; update orders set notes = 'y'");
  EXPECT_EQ(last_cause(), replaced(sql_cause_of, "ROLE", "waybill"));
  database.exec("grant waybill to " + role.name);
  Session member = role.connect(database);
  member.exec("set waybill.cause = '" + forged + "'; update orders set notes = 'z'");
  EXPECT_EQ(database.value("select cause ->> 'depth' from events order by id desc limit 1"), "9");
  // A session that drops the owner's privileges is still named as the author.
  member.exec("reset waybill.cause; set role waybill; update orders set notes = 'z!'");
  EXPECT_EQ(last_cause(), cause());
}

TEST_F(SqlWriters, CanCompleteADispatchWithPrivilegesOnlyOnShipments) {
  database.exec("insert into dispatches (business_id, guid, name, planned_date, status) values ('" +
                std::string(business) + "', '" + std::string(business) + "', 'round', now(), 'in_progress')");
  grant("shipments");
  Session writer = role.connect(database);
  writer.exec("insert into shipments (business_id, tracking_number, dispatch_id) values ('" +
              std::string(business) + "', 'N', '" + std::string(business) + "')");
  EXPECT_EQ(database.number("select count(*) from dispatch_stops"), 1);
  writer.exec("update shipments set status = 'delivered'");
  EXPECT_EQ(database.value("select status from dispatches"), "completed");
}

// The triggers of all changes, and those of limits, have qualified names instead of a search_path, which a
// test above shows. The trigger that prints items looks up no names.
TEST_F(SqlWriters, AreServedByTriggerFunctionsWithOwnerPrivilegesAndAFixedSearchPath) {
  const auto bad = database.rows(
      "select distinct p.proname from pg_trigger t join pg_proc p on p.oid = t.tgfoid"
      " where not t.tgisinternal and p.proname not in ('touch_updated_at', 'keep_order_times') and t.tgrelid "
      "in ('orders'::regclass,"
      " 'shipments'::regclass, 'customers'::regclass, 'products'::regclass)"
      " and (not p.prosecdef or has_function_privilege($1, p.oid, 'execute') or "
      "p.proname !~ '^(record|limit)_|^store_canonical_items$'"
      " and p.proconfig is distinct from array['search_path=pg_catalog, public, pg_temp'])",
      {role.name});
  for (const auto& row : bad) ADD_FAILURE() << row.at(0).value();
}

// A function called by the writer's statement runs with the writer's privileges.
TEST_F(SqlWriters, NeedNoFunctionOfWaybillForConstraintsDefaultsOrIndexes) {
  const auto bad = database.rows(
      "select distinct p.proname from pg_depend d join pg_proc p on d.refclassid = 'pg_proc'::regclass and"
      " d.refobjid = p.oid join pg_language l on l.oid = p.prolang"
      " where l.lanname <> 'c' and (d.classid, d.objid) in ("
      " select 'pg_constraint'::regclass::oid, oid from pg_constraint where conrelid::regclass::text in"
      " ('orders', 'shipments', 'customers', 'products')"
      " union all select 'pg_attrdef'::regclass::oid, oid from pg_attrdef where adrelid::regclass::text in"
      " ('orders', 'shipments', 'customers', 'products')"
      " union all select 'pg_class'::regclass::oid, indexrelid from pg_index where indrelid::regclass::text "
      "in"
      " ('orders', 'shipments', 'customers', 'products'))"
      " and not has_function_privilege($1, p.oid, 'execute')",
      {role.name});
  for (const auto& row : bad) ADD_FAILURE() << row.at(0).value();
}

TEST(SqlWritersElsewhere, TheSchemaMayHaveAnotherName) {
  const TestDatabase database(TestDatabase::Content::empty);
  const Role role("writer_" + database.name());
  database.connect().exec("create schema delivery; alter database " + database.name() +
                          " set search_path = delivery");
  storage::migrate(database.url());
  Session owner = database.connect();
  owner.exec("insert into businesses (guid, name) values ('" + std::string(business) +
             "', 'one'); grant usage on schema delivery to " + role.name + "; grant insert on orders to " +
             role.name);
  role.connect(database).exec(
      "set search_path = ''; insert into delivery.orders (business_id, order_number) values ('" +
      std::string(business) + "', 'N')");
  EXPECT_EQ(owner.number("select count(*) from delivery.pending_events"), 1);
  owner.exec("drop owned by " + role.name);
}

class SqlWritersEvents : public WorkflowTest {};

TEST_F(SqlWritersEvents, EventsOfAnUnprivilegedRoleFireAndIgnoreAForgedDepth) {
  const Role role("writer_" + world.database.name());
  world.database.exec("grant select, insert, update on orders to " + role.name);
  tenant.webhook(url(), "order_status_changed");
  const std::string workflow = tenant.update_status("order_created", "", "processing", {{"name", "start"}});
  {
    Session writer = role.connect(world.database);
    writer.exec("set waybill.cause = '{\"depth\": 8}'; set waybill.notify = off");
    writer.exec("insert into orders (business_id, order_number) values ('" + tenant.id + "', 'N1')");
  }
  EXPECT_EQ(tenant.run_with_status(workflow, "succeeded").at("code"), nullptr);
  const auto received = wait_for(1);
  ASSERT_EQ(received.size(), 1U);
  const std::string order = text_at(received[0].json_body(), "data.entity.guid");
  EXPECT_EQ(tenant.history_of_order(order).front(), " > pending by sql");
  const auto history = tenant.http.get("/api/v1/Orders/" + order + "/history");
  EXPECT_EQ(text_at(history.data(), "0.by.name"), role.name);
  world.database.exec("drop owned by " + role.name);
}

}  // namespace
}  // namespace waybill::tests
