#include "matching/steps.hpp"

#include <stdexcept>

#include <gtest/gtest.h>

namespace waybill::matching {
namespace {

const Time now = parse_timestamp("2026-11-20T05:45:12.345Z").value();

std::vector<Step> steps_of(std::string_view json) {
  return parse_steps({{"type", "steps"}, {"steps", json::parse(json)}}, domain::EntityType::order);
}

TEST(Steps, AreReadAsTheyAreStored) {
  const auto steps = steps_of(R"([
      {"type": "update_status", "recipient": "", "status": "ready", "when": {"notes": "x"}, "onFailure": "continue"},
      {"type": "wait", "delay": "PT2H", "until": null, "offset": null},
      {"type": "wait", "delay": null, "until": "collectionDate", "offset": "-P1D"},
      {"type": "stop", "when": null}])");
  ASSERT_EQ(steps.size(), 4U);
  EXPECT_EQ(steps[0].action, actions::find_action("update_status"));
  EXPECT_TRUE(steps[0].goes_on);
  ASSERT_TRUE(steps[0].when);
  EXPECT_FALSE(steps[0].when->evaluate({{{"notes", "y"}}, {}, false}));
  EXPECT_EQ(steps[1].action, nullptr);
  EXPECT_FALSE(steps[1].goes_on);
  EXPECT_FALSE(steps[3].when);
}

TEST(Steps, StepsThatThisVersionCannotReadAreRefused) {
  for (const char* const bad :
       {"[]", R"([1])", R"([{"type": "unknown"}])", R"([{"type": "wait"}])",
        R"([{"type": "wait", "delay": "2h"}])", R"([{"type": "wait", "until": "createdAt", "offset": "1d"}])",
        R"([{"type": "stop", "when": {"a": 1}}])", R"([{"type": "wait", "workdays": {"days": "PT24H"}}])",
        R"([{"type": "wait", "workdays": {"days": "-P1D"}}])"})
    EXPECT_THROW(steps_of(bad), std::invalid_argument) << bad;
}

TEST(Steps, AWaitEndsAfterItsDelayOrAtAFieldOfTheRecord) {
  const auto steps = steps_of(R"([{"type": "wait", "delay": "PT2H"},
                                  {"type": "wait", "until": "collectionDate", "offset": "-PT2H"},
                                  {"type": "wait", "until": "collectionDate", "offset": "P1D"}])");
  const json::object order{{"collectionDate", "2026-12-01T08:00:00.000Z"}};
  EXPECT_EQ(end_of_wait(steps[0], {}, now), now + std::chrono::hours(2));
  EXPECT_EQ(end_of_wait(steps[1], order, now), parse_timestamp("2026-12-01T06:00:00Z"));
  EXPECT_EQ(end_of_wait(steps[2], order, now), parse_timestamp("2026-12-02T08:00:00Z"));
  EXPECT_EQ(end_of_wait(steps[1], {{"collectionDate", nullptr}}, now), std::nullopt);
  EXPECT_EQ(end_of_wait(steps[1], {}, now), std::nullopt);
}

TEST(Steps, AWaitCountsWorkingDaysFromItsBeginningOrFromAField) {
  const auto steps = steps_of(R"([{"type": "wait", "workdays": {"days": "P2D", "until": null}},
                                  {"type": "wait", "workdays": {"days": "-P1D", "until": "collectionDate"}}])");
  const json::object order{{"collectionDate", "2026-12-01T08:00:00.000Z"}};
  EXPECT_EQ(steps[0].working_days, 2);
  EXPECT_EQ(start_of_wait(steps[0], order, now), now);
  EXPECT_EQ(steps[1].working_days, -1);
  EXPECT_EQ(start_of_wait(steps[1], order, now), parse_timestamp("2026-12-01T08:00:00Z"));
  EXPECT_EQ(start_of_wait(steps[1], {}, now), std::nullopt);
}

TEST(Steps, AWaitMayEndAtTimesOfTheRecordOnly) {
  EXPECT_TRUE(is_time_field(domain::EntityType::order, "collectionDate"));
  EXPECT_TRUE(is_time_field(domain::EntityType::order, "createdAt"));
  EXPECT_TRUE(is_time_field(domain::EntityType::shipment, "estimatedDelivery"));
  EXPECT_FALSE(is_time_field(domain::EntityType::order, "status"));
  EXPECT_FALSE(is_time_field(domain::EntityType::order, "estimatedDelivery"));
  EXPECT_FALSE(is_time_field(domain::EntityType::shipment, "trace.timestamp"));
}

TEST(Steps, AnOffsetMayBeNegative) {
  EXPECT_EQ(parse_offset("PT2H"), std::chrono::hours(2));
  EXPECT_EQ(parse_offset("-P1D"), -std::chrono::hours(24));
  for (const char* const bad : {"", "-", "2h", "--P1D", "+P1D"}) EXPECT_FALSE(parse_offset(bad)) << bad;
}

}  // namespace
}  // namespace waybill::matching
