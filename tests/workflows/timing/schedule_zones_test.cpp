// The times of schedules in time zones.
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/harness/eventually.hpp"
#include "tests/workflows/timing/schedules_fixture.hpp"

namespace waybill::tests {
namespace {

constexpr const char* each_minute =
    "(select array_agg(i) from generate_series(0, 59) i), (select array_agg(i) from generate_series(0, 23) "
    "i)";

// Lisbon and New York move by an hour, Lord Howe by half an hour; the southern summer begins in October.
TEST_F(Schedules, ATimeThatDoesNotExistRunsAtTheNextThatDoes) {
  EXPECT_EQ(first_tick("array[30], array[1]", "Europe/Lisbon", "2026-03-28 12:00Z"), "2026-03-29 01:00");
  EXPECT_EQ(first_tick("array[30], array[1]", "Europe/Lisbon", "2026-03-29 01:00Z"), "2026-03-30 00:30");
  EXPECT_EQ(first_tick("array[30], array[2]", "America/New_York", "2026-03-07 12:00Z"), "2026-03-08 07:00");
  EXPECT_EQ(first_tick("array[15], array[2]", "Australia/Lord_Howe", "2026-10-03 12:00Z"),
            "2026-10-03 15:30");
  EXPECT_EQ(first_tick("array[0,15,30,45], array[1,2]", "Europe/Lisbon", "2026-03-29 00:45Z"),
            "2026-03-29 01:00")
      << "all times that do not exist run at the same time";
  EXPECT_EQ(first_tick("array[0,15,30,45], array[1,2]", "Europe/Lisbon", "2026-03-29 01:00Z"),
            "2026-03-29 01:15");
}

TEST_F(Schedules, ATimeThatExistsTwiceRunsOnce) {
  EXPECT_EQ(first_tick("array[30], array[1]", "Europe/Lisbon", "2026-10-24 12:00Z"), "2026-10-25 00:30");
  EXPECT_EQ(first_tick("array[30], array[1]", "Europe/Lisbon", "2026-10-25 00:30Z"), "2026-10-26 01:30");
  EXPECT_EQ(first_tick("array[30], array[1]", "America/New_York", "2026-10-31 12:00Z"), "2026-11-01 05:30");
  EXPECT_EQ(first_tick("array[30], array[1]", "America/New_York", "2026-11-01 05:30Z"), "2026-11-02 06:30");
  EXPECT_EQ(first_tick("array[45], array[1]", "Australia/Lord_Howe", "2026-04-04 02:00Z"),
            "2026-04-04 14:45");
  EXPECT_EQ(first_tick("array[45], array[1]", "Australia/Lord_Howe", "2026-04-04 14:45Z"),
            "2026-04-05 15:15");
}

TEST_F(Schedules, ATickEachMinuteIsFoundFromEachTimeOfARepeatedHour) {
  for (const char* const after : {"2026-10-25 00:59Z", "2026-10-25 01:00Z", "2026-10-25 01:00:30Z",
                                  "2026-10-25 01:15Z", "2026-10-25 01:59Z"})
    EXPECT_EQ(first_tick(each_minute, "Europe/Lisbon", after), "2026-10-25 02:00") << after;
  for (const char* const after : {"2026-11-01 06:00Z", "2026-11-01 06:29Z", "2026-11-01 06:30Z"})
    EXPECT_EQ(first_tick(each_minute, "America/New_York", after), "2026-11-01 07:00") << after;
  EXPECT_EQ(first_tick(each_minute, "Australia/Lord_Howe", "2026-04-04 15:05Z"), "2026-04-04 15:30");
  EXPECT_EQ(first_tick(each_minute, "Africa/Cairo", "2026-10-29 21:05Z"), "2026-10-29 22:00") << "midnight";
  EXPECT_EQ(first_tick(each_minute, "Antarctica/Troll", "2026-10-25 01:00Z"), "2026-10-25 03:00")
      << "two hours are repeated";
  EXPECT_EQ(first_tick(each_minute, "Europe/Lisbon", "2026-03-29 00:59Z"), "2026-03-29 01:00");
}

TEST_F(Schedules, OrdinaryTimesFollowTheZone) {
  EXPECT_EQ(first_tick("array[0], array[8]", "Europe/Lisbon", "2026-07-01 06:59Z"), "2026-07-01 07:00");
  EXPECT_EQ(first_tick("array[0], array[8]", "Europe/Lisbon", "2026-07-01 07:00Z"), "2026-07-02 07:00");
  EXPECT_EQ(first_tick("array[0], array[8]", "UTC", "2026-11-20 12:00Z", "array[1]"), "2026-11-23 08:00");
  EXPECT_EQ(first_tick("array[0], array[0]", "Pacific/Kiritimati", "2026-07-01 09:59Z"), "2026-07-01 10:00");
  EXPECT_EQ(first_tick("array[0], array[8]", "No/Zone", "2026-07-01 07:00Z"), "2026-07-01 08:00")
      << "counts as UTC";
  EXPECT_EQ(first_tick(each_minute, "America/New_York", "2026-07-01 07:00Z"), "2026-07-01 07:01");
  EXPECT_EQ(
      tenant.sql.value(
          "select to_char(next_tick(array[0], array[0], array[29], array[2], array[0,1,2,3,4,5,6], false, "
          "'UTC', '2097-03-01') at time zone 'UTC', 'YYYY-MM-DD')"),
      "2104-02-29");
  EXPECT_EQ(
      tenant.sql.value("select to_char(next_tick(array[0], array[0], array[1], array[2], array[1], false, "
                       "'UTC', '2027-02-02') at time zone 'UTC', 'YYYY-MM-DD')"),
      "2038-02-01")
      << "the first of February is no Monday for eleven years";
}

TEST_F(Schedules, UseTheZoneOfTheBusinessUnlessTheyHaveTheirOwn) {
  tenant.sql.exec("update businesses set timezone = 'Asia/Tokyo' where guid = '" + tenant.id + "'");
  const auto hour = [&](const json::object& schedule) {
    const std::string workflow = scheduled({{"schedule", schedule}});
    return tenant.sql.value(
        "select extract(hour from next_at at time zone 'UTC') from schedules where workflow_id = $1",
        {workflow});
  };
  EXPECT_EQ(hour({{"cron", "0 8 * * *"}}), "23");
  EXPECT_EQ(hour({{"cron", "0 8 * * *"}, {"timezone", "UTC"}}), "8");
}

TEST_F(Schedules, AChangedZoneOfTheBusinessMovesTheComingTicks) {
  const auto hour = [&](const std::string& workflow) {
    return tenant.sql.value(
        "select extract(hour from next_at at time zone 'UTC') from schedules "
        "where workflow_id = $1 and next_at > now() and check_at = next_at",
        {workflow});
  };
  const std::string moved = scheduled({{"runWhenEmpty", true}, {"schedule", {{"cron", "0 8 * * *"}}}});
  const std::string fixed = scheduled(
      {{"runWhenEmpty", true}, {"schedule", {{"cron", "0 8 * * *"}, {"timezone", "Atlantic/Reykjavik"}}}});
  EXPECT_TRUE(eventually([&] { return hour(moved) == "8" && hour(fixed) == "8"; }));
  tenant.sql.exec("update businesses set timezone = 'Asia/Tokyo' where guid = '" + tenant.id + "'");
  EXPECT_TRUE(eventually([&] { return hour(moved) == "23"; }));
  EXPECT_EQ(hour(fixed), "8");
  EXPECT_EQ(tenant.sql.number("select count(*) from changed_zones where business_id = $1", {tenant.id}), 0);
  EXPECT_TRUE(tenant.runs("workflowId=" + moved).empty()) << "the change is no tick";
  EXPECT_TRUE(tenant.runs("workflowId=" + fixed).empty());
}

}  // namespace
}  // namespace waybill::tests
