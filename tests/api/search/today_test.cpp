#include <random>
#include <set>
#include <string>

#include "tests/api/fixtures/fleet.hpp"
#include "tests/api/fixtures/shipments_fixture.hpp"

namespace waybill::tests {
namespace {

class TodayNumbers : public ShipmentsFixture {
 protected:
  json::value today() {
    const auto response = http.get("/api/today");
    EXPECT_EQ(response.status, 200) << response.text;
    return response.data();
  }
  json::value total(const std::string& target) {
    const auto response = http.get(target);
    EXPECT_EQ(response.status, 200) << response.text;
    return at(response.body, "totalCount");
  }
  /// Inserts `count` rows of `table`; `values` are those of `columns`.
  void insert(const std::string& table, const std::string& columns, const std::string& values, int count) {
    tenant.sql.rows("insert into " + table + " (business_id, " + columns + ") select $1, " + values +
                        " from generate_series(1, $2::int) n",
                    {tenant.id, std::to_string(count)});
  }
  void insert_random_records(std::mt19937& random) {
    const auto some = [&random] { return static_cast<int>(random() % 4); };
    for (const std::string status :
         {"draft", "pending", "processing", "ready", "shipped", "delivered", "cancelled"}) {
      insert("orders", "order_number, items, total_value, currency, status",
             "gen_random_uuid()::text, '[]', 1, 'EUR', '" + status + "'", some());
    }
    for (const std::string status : {"created", "collected", "in_transit", "out_for_delivery", "delivered",
                                     "exception", "returned", "cancelled"}) {
      for (const std::string estimate :
           {"now() - interval '3 days'", "now() - interval '1 minute'", "date_trunc('day', now(), 'UTC')",
            "now() + interval '1 day'", "null"}) {
        insert("shipments", "tracking_number, status, service_level, estimated_delivery",
               "gen_random_uuid()::text, '" + status + "', 'sameday', " + estimate, some());
      }
    }
    for (const std::string status : {"draft", "ready", "in_progress", "completed", "cancelled"})
      insert("dispatches", "name, planned_date, status", "'D', now(), '" + status + "'", some());
    for (const std::string status : {"unknown", "refused"}) {
      insert("purchases", "guid, shipment_id, attempt, reference, shard, status, requested_at",
             "gen_random_uuid(), gen_random_uuid(), 1, gen_random_uuid(), shard_of($1::uuid), '" + status +
                 "', now()",
             some());
    }
  }
};

TEST_F(TodayNumbers, EachIsTheTotalOfItsList) {
  std::mt19937 random(20261128);
  const auto workflow = tenant.webhook("http://127.0.0.1:1", "customer_created");
  tenant.sql.rows("update workflows set paused_reason = 'x', paused_at = now() where guid = $1", {workflow});
  for (int round = 0; round < 3; ++round) {
    insert_random_records(random);
    const auto now = today();
    for (const auto& [status, count] : at(now, "orders").as_object()) {
      EXPECT_EQ(count,
                total("/api/v1/Orders?$filter=" + url_encode("status eq '" + std::string(status) + "'")))
          << std::string_view(status);
    }
    EXPECT_EQ(at(now, "orders").as_object().size(), 7U);
    EXPECT_EQ(at(now, "shipments.late"), total("/api/v1/shipments?late=true"));
    EXPECT_EQ(at(now, "shipments.exception"), total("/api/v1/shipments?status=exception"));
    EXPECT_EQ(at(now, "routes"), total("/api/dispatch?status=in_progress"));
    EXPECT_EQ(at(now, "purchases.unknown"), total("/api/v1/purchases?status=unknown"));
    const auto overview = http.get("/api/workflows/overview").data();
    EXPECT_EQ(at(now, "workflows.paused"), at(overview, "totals.paused"));
    EXPECT_EQ(at(now, "runs.dead24h"), at(overview, "totals.dead24h"));
  }
  EXPECT_EQ(at(today(), "workflows.paused"), 1);
}

TEST_F(TodayNumbers, AStoreWhoseLastImportFailedIsFailing) {
  EXPECT_EQ(at(today(), "stores.failing"), 0);
  insert("integrations", "provider, store_url, api_key, failures, due_at",
         "'woocommerce', 'https://shop' || n || '.example', '', n - 1, 'infinity'", 3);
  EXPECT_EQ(at(today(), "stores.failing"), 2);
  tenant.sql.rows("update integrations set removed_at = now() where business_id = $1 and failures = 1",
                  {tenant.id});
  EXPECT_EQ(at(today(), "stores.failing"), 1);
}

TEST_F(TodayNumbers, DeadRunsAndSilentWorkflowsAreThoseOfTheOverview) {
  const auto workflow = tenant.webhook("http://127.0.0.1:1", "customer_created");
  tenant.sql.rows(
      "insert into run_counts (business_id, unit, start, workflow_id, status, runs) select $1, 'hour', "
      "date_trunc('hour', now(), 'UTC') - h * interval '1 hour', $2, s, 5 "
      "from unnest(array[1, 24, 25]) h, unnest(array['dead', 'succeeded']) s",
      {tenant.id, workflow});
  tenant.sql.rows(
      "insert into workflow_watches (business_id, workflow_id, version, learned_since, silent_since, due_at) "
      "select business_id, guid, version, now(), now() + interval '1 second', 'infinity' from workflows "
      "where guid = $1 on conflict (business_id, workflow_id) do update set version = excluded.version, "
      "silent_since = excluded.silent_since, due_at = excluded.due_at",
      {workflow});
  const auto now = today();
  const auto overview = http.get("/api/workflows/overview").data();
  EXPECT_EQ(at(now, "runs.dead24h"), 10);
  EXPECT_EQ(at(now, "runs.dead24h"), at(overview, "totals.dead24h"));
  EXPECT_EQ(at(now, "workflows.silent"), 1);
}

TEST_F(TodayNumbers, ABusinessWithoutRecordsHasZeros) {
  const auto now = today();
  for (const auto& [status, count] : at(now, "orders").as_object())
    EXPECT_EQ(count, 0) << std::string_view(status);
  for (const char* const path :
       {"shipments.late", "shipments.exception", "routes", "runs.dead24h", "workflows.paused",
        "workflows.silent", "stores.failing", "purchases.unknown"}) {
    EXPECT_EQ(at(now, path), 0) << path;
  }
}

class LateShipments : public TodayNumbers {
 protected:
  std::set<std::string> listed(std::string_view query) {
    const auto guids = texts(http.get(std::string(collection) + "?" + std::string(query)), "guid");
    return {guids.begin(), guids.end()};
  }
  std::string create_with(std::string_view set) {
    const auto guid = create();
    update(guid, set);
    return guid;
  }
};

using Guids = std::set<std::string>;

TEST_F(LateShipments, AreThoseWhoseEstimatedDeliveryIsOver) {
  const auto given = create_with("estimated_delivery = now() - interval '1 minute'");
  const auto to_come = create_with("estimated_delivery = now() + interval '1 hour'");
  // A default date is the time of creation and 5, 2 or 0 days, and lasts until the end of its day.
  const auto today = create_with("service_level = 'sameday', created_at = date_trunc('day', now(), 'UTC')");
  const auto yesterday = create_with(
      "service_level = 'sameday', created_at = date_trunc('day', now(), 'UTC') - interval '1 second'");
  Guids others{to_come, today};
  for (const std::string status : {"delivered", "returned", "cancelled"})
    others.insert(create_with("status = '" + status + "', estimated_delivery = now() - interval '9 days'"));
  const auto failed = create_with("status = 'exception', estimated_delivery = now() - interval '9 days'");
  EXPECT_EQ(listed("late=true"), (Guids{given, yesterday, failed}));
  EXPECT_EQ(listed("late=false"), others);
  EXPECT_EQ(listed("late=true&status=exception"), Guids{failed});
  EXPECT_EQ(total("/api/v1/shipments?late=true"), 3);
  expect_invalid(http.get("/api/v1/shipments?late=maybe"), {"late"});
}

TEST_F(LateShipments, AreOnTimeIfDeliveredBeforeTheyAreLate) {
  const auto guid = create_with("service_level = 'sameday', created_at = date_trunc('day', now(), 'UTC')");
  EXPECT_EQ(listed("late=true"), Guids{});
  update(guid, "status = 'delivered', delivered_at = now()");
  EXPECT_EQ(at(http.get("/api/v1/shipments/overview").data(), "onTimeRate"), 1);
}

TEST_F(LateShipments, TheListTakesSeveralStatuses) {
  const auto made = create();
  const auto moving = create_with("status = 'in_transit'");
  const auto done = create_with("status = 'delivered'");
  EXPECT_EQ(listed("status=created&status=delivered"), (Guids{made, done}));
  EXPECT_EQ(listed("status=in_transit"), Guids{moving});
  EXPECT_EQ(listed("status=&status=created&status=created"), Guids{made});
  EXPECT_EQ(listed("status="), (Guids{made, moving, done}));
  EXPECT_EQ(total("/api/v1/shipments?status=created&status=delivered&perPage=1"), 2);
  EXPECT_EQ(total("/api/v1/shipments?status=created&status=delivered&from=2001-01-01"), 2);
  EXPECT_EQ(total("/api/v1/shipments?status=created&status=delivered&to=2001-01-01"), 0);
  expect_invalid(http.get("/api/v1/shipments?status=created&status=lost"), {"status"});
}

}  // namespace
}  // namespace waybill::tests
