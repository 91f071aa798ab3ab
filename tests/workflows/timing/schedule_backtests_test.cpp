// Tests and backtests of workflows with a schedule.
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/workflows/timing/schedules_fixture.hpp"

namespace waybill::tests {
namespace {

TEST_F(Schedules, TestShowsTheList) {
  const std::string order = tenant.create_order();
  const Response tested =
      tenant.http.post("/api/workflows/test", {{"definition", definition()}, {"entityId", order}});
  ASSERT_EQ(tested.status, 200) << tested.text;
  const json::value body = json::parse(text_at(tested.body, "data.wouldSend.body"));
  EXPECT_EQ(at(body, "type"), "schedule");
  EXPECT_EQ(at(body, "data.count"), 1);
}

TEST_F(Schedules, BacktestsCountTheRunsThatTheQueryMakesNow) {
  const json::object daily{{"schedule", {{"cron", "0 8 * * *"}}}};
  const auto backtest = [&](const json::object& more) {
    json::object body = definition(daily);
    for (const auto& [name, value] : more) body[name] = value;
    return backtested(body, "2026-11-01", "2026-11-07");
  };
  EXPECT_EQ(at(backtest({}), "matches"), 0) << "there is no record";
  EXPECT_EQ(at(backtest({{"runWhenEmpty", true}}), "matches"), 7);
  std::vector<std::string> orders;
  for (int i = 1; i <= 3; ++i) orders.push_back(tenant.create_order({{"orderNumber", std::to_string(i)}}));
  EXPECT_EQ(at(backtest({}), "matches"), 7);
  EXPECT_EQ(at(backtest({{"conditions", {{"orderNumber", "9"}}}}), "matches"), 0);
  EXPECT_TRUE(at(backtest({}), "sample").as_array().empty()) << "a list is no record";
  EXPECT_EQ(at(backtest({{"each", true}, {"query", {{"limit", 2}}}}), "matches"), 14);
  const json::value each = backtest({{"each", true},
                                     {"query", {{"orderBy", "orderNumber"}}},
                                     {"conditions", {{"orderNumber", {{"in", {"1", "3"}}}}}}});
  EXPECT_EQ(at(each, "matches"), 14);
  EXPECT_EQ(at(each, "perDay").as_array().size(), 7U);
  EXPECT_EQ(at(at(each, "perDay").as_array().at(0), "count"), 2);
  const json::array& sample = at(each, "sample").as_array();
  ASSERT_EQ(sample.size(), 14U);
  EXPECT_EQ(at(sample[0], "entityId"), json::value(orders[0]));
  EXPECT_EQ(at(sample[1], "entityId"), json::value(orders[2]));
  EXPECT_EQ(at(sample[0], "eventId"), json::value());
  EXPECT_TRUE(text_at(sample[0], "at").starts_with("2026-11-07T08:00:00")) << text_at(sample[0], "at");
  json::object body = definition(daily);
  body["each"] = true;
  EXPECT_EQ(at(tenant.configure(body), "firedLast7Days"), 21);
}

TEST_F(Schedules, BacktestsFollowTheZone) {
  const auto matches = [&](const json::object& schedule) {
    return at(backtested(definition({{"schedule", schedule}, {"runWhenEmpty", true}}), "2026-11-01T00:00:00Z",
                         "2026-11-01T12:00:00Z"),
              "matches");
  };
  EXPECT_EQ(matches({{"cron", "0 8 * * *"}}), 1);
  EXPECT_EQ(matches({{"cron", "0 8 * * *"}, {"timezone", "Asia/Tokyo"}}), 0);
  EXPECT_EQ(matches({{"cron", "0 20 * * *"}, {"timezone", "Asia/Tokyo"}}), 1);
  tenant.sql.exec("update businesses set timezone = 'Asia/Tokyo' where guid = '" + tenant.id + "'");
  EXPECT_EQ(matches({{"cron", "0 8 * * *"}}), 0);
  EXPECT_EQ(matches({{"cron", "0 8 * * *"}, {"timezone", "UTC"}}), 1);
}

TEST_F(Schedules, BacktestsCountTheTicksThatComeOneAfterTheOther) {
  const std::string fields =
      "array[0, 15, 30, 45], array[0, 1, 2, 23], (select array_agg(i) from generate_series(1, 31) i), "
      "(select array_agg(i) from generate_series(1, 12) i), array[0,1,2,3,4,5,6], false, zone, ";
  for (const char* const zone : {"Europe/Lisbon", "America/New_York", "Australia/Lord_Howe"}) {
    EXPECT_EQ(tenant.sql.number(
                  "with recursive one_by_one as ("
                  "select zone, next_tick(" +
                      fields +
                      "'2026-03-01') as tick from (select $1::text as zone) z union all "
                      "select zone, next_tick(" +
                      fields +
                      "tick) from one_by_one where tick < '2026-04-10') "
                      "select count(*) from (select tick from one_by_one where tick < '2026-04-10') o "
                      "full join (select tick from (select $1::text as zone) z, ticks_between(" +
                      fields +
                      "'2026-03-01 00:00:01', '2026-04-10') t (tick)) b using (tick) "
                      "where o.tick is null or b.tick is null",
                  {zone}),
              0)
        << zone;
  }
}

TEST_F(Schedules, BacktestsHaveALongestRange) {
  const json::object minutely = definition({{"schedule", {{"cron", "* * * * *"}}}, {"runWhenEmpty", true}});
  const Response refused = tenant.http.post(
      "/api/workflows/backtest", {{"definition", minutely}, {"from", "0001-01-01"}, {"to", "9999-12-30"}});
  EXPECT_EQ(refused.status, 400) << refused.text;
  EXPECT_TRUE(at(refused.body, "error.details").as_object().contains("from")) << refused.text;
  EXPECT_EQ(at(backtested(minutely, "2026-01-01", "2026-01-31"), "matches"), 31 * 24 * 60);
}

}  // namespace
}  // namespace waybill::tests
