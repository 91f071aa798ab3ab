#include <algorithm>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/clock.hpp"
#include "tests/harness/eventually.hpp"
#include "tests/workflows/fixtures/workflow_fixture.hpp"

namespace waybill::tests {
namespace {

using namespace std::chrono_literals;

/// GET /api/destinations.
class Destinations : public WorkflowTest {
 protected:
  json::array list(Http& client) {
    const auto response = client.get("/api/destinations");
    EXPECT_EQ(response.status, 200) << response.text;
    return response.data().as_array();
  }
  json::array list() { return list(tenant.http); }
  /// The entry of a destination; empty if there is none.
  json::object entry(std::string_view destination, std::string_view kind = "webhook") {
    for (const json::value& each : list()) {
      if (text_at(each, "destination") == destination && text_at(each, "kind") == kind)
        return each.as_object();
    }
    return {};
  }
  std::string own() const {
    const std::string full = receiver.url("/");
    const std::size_t begin = full.find("//") + 2;
    return full.substr(begin, full.find('/', begin) - begin);
  }
  void add_report(const std::string& name, const std::string& published, const std::string& business,
                  const std::string& worker = "gen_random_uuid()", const std::string& next_probe = "null",
                  const std::string& kind = "webhook") {
    tenant.sql.rows(
        "insert into destination_reports (business_id, kind, name, worker, places, next_probe_at, "
        "counted_from, succeeded, failed, durations, workflows, published_at) select $1::uuid, $2, "
        "$3, " +
            worker + ", 64, " + next_probe +
            ", date_bin('5 minutes', now(), 'epoch'), '{7}', '{1}', array_fill(1, array[64]), '{}', " +
            published,
        {business, kind, name});
  }
  void add_report(const std::string& name, const std::string& published = "now()") {
    add_report(name, published, tenant.id);
  }
};

TEST_F(Destinations, ShowHowTheLastAttemptsWent) {
  const std::string workflow = tenant.webhook(url(), "order_created");
  tenant.insert_order();
  tenant.insert_order();
  wait_for(2);
  json::object found;
  ASSERT_TRUE(eventually([&] {
    found = entry(own());
    return !found.empty() && at(found, "succeeded1h") == 2;
  })) << json::serialize(list());
  EXPECT_EQ(at(found, "state"), "closed");
  EXPECT_EQ(at(found, "failed1h"), 0);
  EXPECT_EQ(at(found, "places"), 64);
  EXPECT_EQ(at(found, "waiting"), 0);
  EXPECT_EQ(at(found, "nextProbeAt"), nullptr);
  EXPECT_GT(at(found, "p95Ms").to_number<int>(), 0);
  EXPECT_EQ(text_at(found, "workflows.0.guid"), workflow);
  EXPECT_TRUE(parse_timestamp(text_at(found, "asOf")).has_value());
}

TEST_F(Destinations, AreOpenWithTheNextProbeAndTheRunsThatWait) {
  receiver.answer(tenant.path(), Reply::with_status(503));
  tenant.webhook(url(), "order_created");
  for (int i = 0; i < 8; ++i) tenant.insert_order();
  json::object found;
  ASSERT_TRUE(eventually([&] {
    found = entry(own());
    return !found.empty() && at(found, "nextProbeAt") != nullptr;
  })) << json::serialize(list());
  EXPECT_THAT(text_at(found, "state"), testing::AnyOf("open", "half_open"));
  EXPECT_GE(at(found, "failed1h").to_number<int>(), 5);
  EXPECT_EQ(at(found, "places"), 1);
}

TEST_F(Destinations, CountTheRunsInTheQueueUpTo10000) {
  add_report("full.example:443");
  add_report("few.example:443");
  const auto queue = [&](const std::string& host, int count, const std::string& status) {
    tenant.sql.rows(
        "insert into run_queue (business_id, guid, workflow_id, workflow_version, event_id, entity_type, "
        "entity_id, trigger_code, action, status, created_at, due_at, origin, request, destination) "
        "select $1::uuid, gen_random_uuid(), gen_random_uuid(), 1, n, 0, gen_random_uuid(), "
        "'order_created', 'webhook', $2, now(), now() + interval '1 day', gen_random_uuid(), '{}', "
        "$3 || '/' || $1::text from generate_series(1, $4::int) n",
        {tenant.id, status, host, std::to_string(count)});
  };
  queue("full.example:443", 10'001, "retrying");
  queue("few.example:443", 3, "waiting");
  queue("few.example:443", 2, "held");
  EXPECT_EQ(at(entry("full.example:443"), "waiting"), 10'000);
  EXPECT_EQ(at(entry("few.example:443"), "waiting"), 3);
}

TEST_F(Destinations, OfCarriersCountThePurchasesThatWait) {
  add_report("api.example.com:443", "now()", tenant.id, "gen_random_uuid()", "null", "carrier");
  EXPECT_EQ(at(entry("api.example.com:443", "carrier"), "waiting"), 0);
  tenant.sql.rows(
      "with parcel as (insert into shipments (business_id, tracking_number) values ($1, 'WB-1') returning "
      "guid) "
      "insert into purchases (business_id, guid, shipment_id, attempt, reference, shard, status, claim_at) "
      "select $1, gen_random_uuid(), guid, 1, gen_random_uuid(), 0, 'unknown', now() + interval '1 day' from "
      "parcel",
      {tenant.id});
  EXPECT_EQ(at(entry("api.example.com:443", "carrier"), "waiting"), 1);
}

TEST_F(Destinations, AreThoseOfTheLast36HoursOfTheDatabase) {
  add_report("young.example:443", "now() - interval '35 hours 59 minutes'");
  add_report("old.example:443", "now() - interval '36 hours 1 minute'");
  EXPECT_FALSE(entry("young.example:443").empty());
  EXPECT_TRUE(entry("old.example:443").empty());
}

TEST_F(Destinations, OfTwoWorkersHaveTheWorstStateAndAllAttempts) {
  const std::string live = "(select guid from workers where lease_end(guid) > now() order by guid limit 1)";
  ASSERT_TRUE(eventually([&] { return tenant.sql.number("select count(*) from workers") > 0; }));
  add_report("two.example:443", "now()", tenant.id, live, "now() + interval '1 hour'");
  add_report("two.example:443", "now()", tenant.id);
  const auto found = entry("two.example:443");
  EXPECT_EQ(at(found, "state"), "open");
  EXPECT_EQ(at(found, "succeeded1h"), 14);
  EXPECT_EQ(at(found, "failed1h"), 2);
  EXPECT_EQ(at(found, "places"), 64) << "the places of a worker that has ended count";
}

TEST_F(Destinations, OfAWorkerThatEndedAreNotOpen) {
  add_report("gone.example:443", "now()", tenant.id, "gen_random_uuid()", "now() + interval '1 hour'");
  const auto found = entry("gone.example:443");
  EXPECT_EQ(at(found, "state"), "closed");
  EXPECT_EQ(at(found, "places"), nullptr);
}

TEST_F(Destinations, Beyond200AreOneEntry) {
  for (int i = 0; i < 201; ++i) add_report("h" + std::to_string(i) + ".example:443");
  const auto all = list();
  ASSERT_EQ(all.size(), 201U);
  EXPECT_EQ(text_at(all.back(), "destination"), "others");
  EXPECT_EQ(at(all.back(), "kind"), nullptr);
  EXPECT_EQ(at(all.back(), "succeeded1h"), 7);
}

TEST_F(Destinations, OfAnotherBusinessAreNotShown) {
  const Tenant other(world.waybill, test_name() + "-other");
  add_report("other.example:443", "now()", other.id);
  EXPECT_TRUE(list().empty());
}

TEST_F(Destinations, AreNotShownToASuspendedBusiness) {
  add_report("a.example:443");
  set_suspended(true);
  EXPECT_EQ(tenant.http.get("/api/destinations").status, 403);
  set_suspended(false);
  EXPECT_EQ(list().size(), 1U);
}

}  // namespace
}  // namespace waybill::tests
