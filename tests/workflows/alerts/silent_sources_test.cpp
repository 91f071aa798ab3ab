// Stores and carriers that bring less than usual. The counts of earlier weeks are inserted.
#include <string>
#include <thread>

#include <gtest/gtest.h>

#include "tests/workflows/alerts/silence_fixture.hpp"

namespace waybill::tests {
namespace {

constexpr std::string_view no_carrier = "00000000-0000-0000-0000-000000000000";

class SilentSources : public SilenceTest {
 protected:
  /// A store of which no worker imports while the test runs.
  std::string add_store(const std::string& host = "shop.example") {
    return tenant.sql.value(
        "insert into integrations (business_id, provider, store_url, api_key, due_at, connected_at, "
        "sweeping_since, swept_at) values ($1, 'woocommerce', $2, 'x', now() + interval '1 day', "
        "now() - interval '60 days', now() - interval '60 days', now()) returning guid",
        {tenant.id, "https://" + host});
  }

  std::string any_carrier(int position) {
    return tenant.sql.value(
        "select guid from carriers where business_id = catalogue_business() and deleted_at is null order by "
        "code "
        "offset $1::int limit 1",
        {std::to_string(position)});
  }

  /// Four an hour for eight weeks, until some hours ago.
  void add_counts(const std::string& kind, const std::string& source, int first_hours_ago,
                  int last_hours_ago) {
    tenant.sql.rows(
        "insert into source_counts (business_id, kind, source_id, hour, count, last_at) "
        "select $1, $2, $3, h, 4, least(now(), h + interval '59 minutes') from generate_series("
        "date_trunc('hour', now()) - $4::int * interval '1 hour', "
        "date_trunc('hour', now()) - $5::int * interval '1 hour', interval '1 hour') h "
        "on conflict do nothing",
        {tenant.id, kind, source, std::to_string(first_hours_ago), std::to_string(last_hours_ago)});
    tenant.sql.rows(
        "insert into source_watches (business_id, kind, source_id, learned_since) "
        "values ($1, $2, $3, now() - interval '60 days') on conflict do nothing",
        {tenant.id, kind, source});
  }

  std::string old_store(int quiet_hours, const std::string& host = "shop.example") {
    std::string guid = add_store(host);
    add_counts("import", guid, 56 * 24, quiet_hours);
    return guid;
  }

  void old_carrier(std::string_view guid, int quiet_hours) {
    add_counts("scans", std::string(guid), 56 * 24, quiet_hours);
  }

  json::value source(std::string_view guid) {
    const json::value data = tenant.http.get("/api/workflows/overview").data();
    for (const json::value& entry : data.at("sources").as_array()) {
      const json::value& found = entry.at("guid");
      if (found.is_null() ? guid == no_carrier : text_at(entry, "guid") == guid) return entry;
    }
    return nullptr;
  }

  bool is_silent(std::string_view guid) {
    const json::value found = source(guid);
    return found.is_object() && !found.at("silentSince").is_null();
  }

  void set(const std::string& store, const std::string& assignments) {
    tenant.sql.rows("update integrations set " + assignments + " where guid = $1", {store});
  }

  json::value alert() {
    const auto received = wait_for(1, "alerts");
    return received.empty() ? json::value() : at(received[0].json_body(), "data");
  }
};

TEST_F(SilentSources, AStoreIsReportedWithWhatIsUsual) {
  switch_alerts_on("import_silent");
  const std::string store = old_store(24);
  look();
  const json::value data = alert();
  EXPECT_EQ(text_at(data, "cause"), "import_silent");
  EXPECT_EQ(text_at(data, "integration.guid"), store);
  EXPECT_EQ(text_at(data, "integration.store"), "https://shop.example");
  EXPECT_TRUE(at(data, "workflow").is_null());
  EXPECT_EQ(at(data, "silence.count"), 0);
  EXPECT_GT(at(data, "silence.expected.from").to_number<int>(), 60);
  EXPECT_LT(at(data, "silence.expected.to").to_number<int>(), 130);
  EXPECT_EQ(text_at(data, "silence.since"), text_at(source(store), "silentSince"));
  EXPECT_NE(text_at(data, "replay.url").find("/api/integrations/" + store + "/sync"), std::string::npos);
  EXPECT_GT(at(source(store), "expected.from").to_number<int>(), 60);
}

TEST_F(SilentSources, AreCountedOnceByWorkersThatLookAtOnce) {
  switch_alerts_on("import_silent");
  old_store(24);
  tenant.sql.rows("update source_watches set due_at = now() where business_id = $1", {tenant.id});
  std::thread other([this] { look_at_due(); });
  look_at_due();
  other.join();
  look();
  EXPECT_EQ(at(alert(), "count"), 1);
  EXPECT_EQ(tenant.sql.number("select coalesce(sum(count), 0)::bigint from alerts where business_id = $1",
                              {tenant.id}),
            0);
}

TEST_F(SilentSources, AStoreThatBringsOrdersAgainIsNot) {
  const std::string store = old_store(24);
  look();
  ASSERT_TRUE(is_silent(store));
  add_counts("import", store, 12, 0);
  look();
  EXPECT_FALSE(is_silent(store));
}

TEST_F(SilentSources, AStoreWhoseImportsFailIsNot) {
  const std::string store = old_store(24);
  set(store, "failures = 1");
  look();
  EXPECT_FALSE(is_silent(store)) << "import_failed says so";
}

TEST_F(SilentSources, AStoreThatNoWorkerReadsIsNot) {
  const std::string store = old_store(24);
  set(store,
      "due_at = now() - interval '2 hours', lease_until = now() + interval '1 hour', lease_owner = "
      "gen_random_uuid()");
  look();
  EXPECT_FALSE(is_silent(store));
}

TEST_F(SilentSources, TheTimeWithoutImportsDoesNotCount) {
  const std::string store = old_store(24);
  set(store, "sweeping_since = now() - interval '1 hour'");
  look();
  EXPECT_FALSE(is_silent(store));
}

TEST_F(SilentSources, AStoreThatWasDisabledIsNot) {
  const std::string store = old_store(24);
  look();
  ASSERT_TRUE(is_silent(store));
  set(store, "status = 'disabled'");
  EXPECT_FALSE(is_silent(store));
}

TEST_F(SilentSources, AStoreThatIsConnectedAgainLearnsAnew) {
  const std::string store = old_store(24);
  look();
  ASSERT_TRUE(is_silent(store));
  set(store, "connected_at = now()");
  look();
  EXPECT_FALSE(is_silent(store));
  EXPECT_TRUE(source(store).is_null() || at(source(store), "expected").is_null());
}

TEST_F(SilentSources, ARemovedStoreIsForgotten) {
  const std::string store = old_store(24);
  set(store, "removed_at = now()");
  look();
  EXPECT_EQ(tenant.sql.number("select count(*) from source_watches where business_id = $1", {tenant.id}), 0);
}

TEST_F(SilentSources, HolidaysAreNone) {
  const std::string store = old_store(10);
  tenant.sql.rows(
      "update businesses set holidays = jsonb_build_array(to_char(now(), 'YYYY-MM-DD'), "
      "to_char(now() - interval '1 day', 'YYYY-MM-DD')) where guid = $1",
      {tenant.id});
  look();
  EXPECT_FALSE(is_silent(store));
  tenant.sql.rows("update businesses set holidays = '[]' where guid = $1", {tenant.id});
  look();
  EXPECT_TRUE(is_silent(store));
}

TEST_F(SilentSources, ADayOnWhichAllStoresHaveLittleToDoIsNone) {
  const std::string one = old_store(24, "one.example"), other = old_store(24, "other.example");
  look();
  EXPECT_FALSE(is_silent(one));
  add_counts("import", other, 24, 0);
  look();
  EXPECT_TRUE(is_silent(one)) << "the other store goes on";
}

TEST_F(SilentSources, ASuspendedBusinessHasNone) {
  const std::string store = old_store(24), carrier = any_carrier(0);
  old_carrier(carrier, 24);
  tenant.sql.rows("update businesses set suspended_at = now() where guid = $1", {tenant.id});
  look();
  tenant.sql.rows("update businesses set suspended_at = null where guid = $1", {tenant.id});
  EXPECT_FALSE(is_silent(store));
  look();
  EXPECT_FALSE(is_silent(carrier)) << "the hours of the suspension";
  tenant.sql.rows("update businesses set resumed_at = now() - interval '2 days' where guid = $1",
                  {tenant.id});
  look();
  EXPECT_TRUE(is_silent(carrier)) << "the hours since then";
}

TEST_F(SilentSources, ScansOfACarrierAreReportedWithItsName) {
  switch_alerts_on("scans_silent");
  const std::string one = any_carrier(0), other = any_carrier(1);
  old_carrier(one, 24);
  old_carrier(other, 0);
  look();
  EXPECT_TRUE(is_silent(one));
  EXPECT_FALSE(is_silent(other));
  const json::value data = alert();
  EXPECT_EQ(text_at(data, "cause"), "scans_silent");
  EXPECT_EQ(text_at(data, "carrier.guid"), one);
  EXPECT_EQ(text_at(data, "carrier.name"),
            tenant.sql.value(
                "select name from carriers where business_id = catalogue_business() and guid = $1", {one}));
  EXPECT_TRUE(at(data, "replay").is_null());
}

TEST_F(SilentSources, ScansOfAllCarriersThatStopAreOneWhileOrdersGoOn) {
  const std::string one = any_carrier(0);
  old_carrier(one, 24);
  old_carrier(no_carrier, 24);
  add_events(24);
  look();
  EXPECT_FALSE(is_silent(one)) << "a business without events";
  add_events(0);
  look();
  EXPECT_TRUE(is_silent(one));
  EXPECT_TRUE(is_silent(no_carrier));
}

TEST_F(SilentSources, ACarrierThatIsSwitchedOffIsNot) {
  const std::string one = any_carrier(0);
  old_carrier(one, 24);
  tenant.sql.rows(
      "insert into carrier_configurations (business_id, carrier_id, account_number, test_mode, is_active) "
      "values ($1, $2, 'A', false, false)",
      {tenant.id, one});
  look();
  EXPECT_TRUE(source(one).is_null());
  tenant.sql.rows("update carrier_configurations set is_active = true where business_id = $1", {tenant.id});
  EXPECT_FALSE(is_silent(one));
}

TEST_F(SilentSources, ALookThatAWrongClockHasPostponedIsDueAgain) {
  const std::string store = old_store(24);
  tenant.sql.rows("update source_watches set due_at = now() + interval '1 year' where business_id = $1",
                  {tenant.id});
  look_at_due();
  EXPECT_FALSE(is_silent(store));
  const SecretBox secrets{SecretBox::Key{}};
  storage::blocking::Connection session(world.database.url(), "test");
  worker::bring_back_runs(session, {.database_url = world.database.url(), .secrets = secrets});
  look_at_due();
  EXPECT_TRUE(is_silent(store));
}

TEST_F(SilentSources, AnotherBusinessSeesNone) {
  const std::string store = old_store(24);
  look();
  ASSERT_TRUE(is_silent(store));
  Tenant other(world.waybill, "other than SilentSources");
  EXPECT_EQ(other.http.get("/api/workflows/overview").data().at("sources"), json::array());
}

TEST(CountsOfScans, AreAddedUpByCarrier) {
  World world;
  Tenant tenant(world.waybill, "scans");
  const std::string order = tenant.insert_order();
  const std::string with = tenant.insert_shipment(order), without = tenant.insert_shipment(order);
  const std::string carrier = tenant.sql.value(
      "select guid from carriers where business_id = catalogue_business() order by code limit 1");
  tenant.sql.rows("update shipments set carrier_id = $1 where guid = $2", {carrier, with});
  for (const std::string& shipment : {with, with, without}) {
    const Response response = tenant.http.post(
        "/api/v1/traces",
        json::array{json::object{{"shipmentId", shipment}, {"status", "created"}, {"description", "x"}}});
    ASSERT_EQ(response.status, 200) << response.text;
  }
  tenant.settle();
  EXPECT_EQ(world.waybill.stop(), 0);
  const auto count = [&](std::string_view source) {
    return world.database.number(
        "select coalesce(sum(count), 0)::bigint from source_counts where kind = 'scans' and source_id = $1",
        {std::string(source)});
  };
  EXPECT_EQ(count(carrier), 2);
  EXPECT_EQ(count(no_carrier), 1);
}

}  // namespace
}  // namespace waybill::tests
