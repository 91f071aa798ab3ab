// Schedules of one business whose queries take long, together with those of others.
#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/harness/eventually.hpp"
#include "tests/workflows/fixtures/schedule_ticks.hpp"
#include "tests/workflows/fixtures/workflow_fixture.hpp"

namespace waybill::tests {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

/// A filter that no index serves and that reads each description 80 times in two forms.
std::string slow_filter() {
  std::string filter;
  for (int i = 10; i < 90; ++i) {
    if (!filter.empty()) filter += " or ";
    filter += "contains(toupper(tolower(name)),'A" + std::to_string(i) + "')";
  }
  return filter;
}

class ScheduleShares : public testing::Test {
 protected:
  /// Inserts products with long texts, for 6 000 of which slow_filter takes more than 5 s.
  static void insert_products(Tenant& tenant, int count = 6000) {
    tenant.write_long_values();
    tenant.sql.rows(
        "insert into products (business_id, name, sku) select $1::uuid, "
        "repeat('some words of a name ' || n || ' ', 200), 'S' || n from generate_series(1, $2::int) n",
        {tenant.id, std::to_string(count)});
  }
  static std::int64_t ticked(Tenant& tenant) {
    return tenant.sql.number("select count(*) from schedules where business_id = $1 and check_at > now()",
                             {tenant.id});
  }
  std::string scheduled(Tenant& tenant, const std::string& filter) {
    return text_at(
        tenant.configure({{"name", "scheduled"},
                          {"entityType", "Product"},
                          {"schedule", {{"cron", "0 8 1 1 *"}}},
                          {"query", {{"filter", filter}}},
                          {"runWhenEmpty", true},
                          {"action", {{"type", "webhook"}, {"recipient", receiver.url("/hook")}}}}),
        "guid");
  }
  static bool has_ticked(Tenant& tenant, const std::vector<std::string>& workflows) {
    for (const std::string& workflow : workflows) {
      if (tenant.sql.number("select count(*) from schedules where workflow_id = $1 and check_at > now()",
                            {workflow}) == 0)
        return false;
    }
    return true;
  }

  World world;
  Receiver receiver;
};

TEST_F(ScheduleShares, SlowQueriesOfOneBusinessHardlyDelayThoseOfOthers) {
  Tenant slow(world.waybill, "slow"), quick(world.waybill, "quick");
  insert_products(slow);
  std::vector<std::string> slow_ones, quick_ones;
  for (int i = 0; i < 12; ++i) slow_ones.push_back(scheduled(slow, slow_filter()));
  for (int i = 0; i < 6; ++i) quick_ones.push_back(scheduled(quick, "sku eq 'x'"));
  ASSERT_TRUE(eventually([&] { return slow.sql.number("select count(next_at) from schedules") == 18; }));
  for (const std::string& each : slow_ones) make_tick_due(slow, each);
  for (const std::string& each : quick_ones) make_tick_due(quick, each);
  // In one lane, each of the six would follow a query of 5 s.
  EXPECT_TRUE(eventually([&] { return has_ticked(quick, quick_ones); }, 10s));
  EXPECT_FALSE(has_ticked(slow, slow_ones));
  EXPECT_EQ(quick.runs("status=dead").size(), 0U);
}

TEST_F(ScheduleShares, QueriesBelowTheLimitOfTheQuickThreadCountTogether) {
  Tenant slow(world.waybill, "slow"), quick(world.waybill, "quick");
  insert_products(slow, 350);  // a third of a second
  std::vector<std::string> slow_ones, quick_ones;
  for (int i = 0; i < 40; ++i) slow_ones.push_back(scheduled(slow, slow_filter()));
  for (int i = 0; i < 20; ++i) quick_ones.push_back(scheduled(quick, "sku eq 'x'"));
  ASSERT_TRUE(eventually([&] { return slow.sql.number("select count(next_at) from schedules") == 60; }));
  for (const std::string& each : slow_ones) make_tick_due(slow, each);
  for (const std::string& each : quick_ones) make_tick_due(quick, each);
  EXPECT_TRUE(eventually([&] { return ticked(quick) == 20; }, 20s));
  // In turns, one of them would have ticked before each of the others.
  EXPECT_LE(ticked(slow), 12);
}

TEST_F(ScheduleShares, AWorkflowWhoseQueryTakesTooLongThreeTimesInARowIsPaused) {
  Tenant tenant(world.waybill, "paused");
  tenant.sql.rows("update businesses set email = 'ops@slow.example' where guid = $1", {tenant.id});
  insert_products(tenant);
  const std::string workflow = scheduled(tenant, slow_filter());
  const auto tick = [&] {
    make_tick_due(tenant, workflow);
    EXPECT_TRUE(eventually([&] { return has_ticked(tenant, {workflow}); }, 30s));
  };
  const auto dead = [&] { return tenant.runs("workflowId=" + workflow + "&status=dead").size(); };
  for (std::size_t i = 1; i <= 3; ++i) {
    EXPECT_TRUE(at(tenant.workflow(workflow), "pausedReason").is_null());
    tick();
    EXPECT_EQ(dead(), i);
  }
  ASSERT_TRUE(eventually([&] { return at(tenant.workflow(workflow), "pausedReason").is_string(); }));
  EXPECT_THAT(text_at(tenant.workflow(workflow), "pausedReason"),
              HasSubstr("the query of its schedule took too long 3 times in a row"));
  EXPECT_EQ(text_at(tenant.workflow(workflow), "status"), "paused");
  EXPECT_TRUE(world.waybill.process().wait_for_line("mail.written")) << "the business is told";

  tick();
  EXPECT_EQ(dead(), 3U) << "the query is not performed while the workflow is paused";

  ASSERT_EQ(tenant.http
                .post("/api/workflows/configure", {{"guid", workflow}, {"query", {{"filter", "sku eq 'x'"}}}})
                .status,
            200);
  ASSERT_EQ(tenant.http.get("/api/workflows/resume-workflow?workflowId=" + workflow).status, 200);
  tick();
  EXPECT_TRUE(
      eventually([&] { return tenant.runs("workflowId=" + workflow + "&status=succeeded").size() == 1; }));
}

}  // namespace
}  // namespace waybill::tests
