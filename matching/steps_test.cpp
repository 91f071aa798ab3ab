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
  EXPECT_EQ(end_of_wait(steps[0], {}, nullptr, now), now + std::chrono::hours(2));
  EXPECT_EQ(end_of_wait(steps[1], order, nullptr, now), parse_timestamp("2026-12-01T06:00:00Z"));
  EXPECT_EQ(end_of_wait(steps[2], order, nullptr, now), parse_timestamp("2026-12-02T08:00:00Z"));
  EXPECT_EQ(end_of_wait(steps[1], {{"collectionDate", nullptr}}, nullptr, now), std::nullopt);
  EXPECT_EQ(end_of_wait(steps[1], {}, nullptr, now), std::nullopt);
}

TEST(Steps, AWaitCountsWorkingDaysFromItsBeginningOrFromAField) {
  const auto steps = steps_of(R"([{"type": "wait", "workdays": {"days": "P2D", "until": null}},
                                  {"type": "wait", "workdays": {"days": "-P1D", "until": "collectionDate"}}])");
  const json::object order{{"collectionDate", "2026-12-01T08:00:00.000Z"}};
  EXPECT_EQ(steps[0].working_days, 2);
  EXPECT_EQ(start_of_wait(steps[0], order, nullptr, now), now);
  EXPECT_EQ(steps[1].working_days, -1);
  EXPECT_EQ(start_of_wait(steps[1], order, nullptr, now), parse_timestamp("2026-12-01T08:00:00Z"));
  EXPECT_EQ(start_of_wait(steps[1], {}, nullptr, now), std::nullopt);
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

constexpr const char* nested = R"([
    {"type": "choose", "when": {"notes": "x"},
     "then": [{"type": "stop"}, {"type": "choose", "when": {"notes": "y"}, "then": [{"type": "stop"}], "otherwise": []}],
     "otherwise": [{"type": "stop"}]},
    {"type": "stop"}])";

TEST(Steps, OfChoicesAreNumberedInTheOrderOfTheText) {
  const auto steps = steps_of(nested);
  ASSERT_EQ(steps.size(), 6U);
  EXPECT_EQ(steps[0].then_steps, 3);
  EXPECT_EQ(steps[0].otherwise_steps, 1);
  EXPECT_FALSE(steps[0].definition.contains("then"));
  EXPECT_EQ(steps[1].way, (Way{1, true}));
  EXPECT_EQ(steps[2].then_steps, 1);
  EXPECT_EQ(steps[3].way, (Way{3, true}));
  EXPECT_EQ(steps[4].way, (Way{1, false}));
  EXPECT_FALSE(steps[5].way);
}

TEST(Steps, TheNextStepIsTheFirstOfTheWayTaken) {
  const auto steps = steps_of(nested);
  const auto next = [&](int number, bool first_takes_then, bool second_takes_then) {
    return next_number(steps, number,
                       [&](int choice) { return choice == 1 ? first_takes_then : second_takes_then; });
  };
  EXPECT_EQ(next(1, true, true), 2);
  EXPECT_EQ(next(1, false, true), 5);
  EXPECT_EQ(next(3, true, true), 4);
  EXPECT_EQ(next(3, true, false), 6) << "an empty way leads to the step after all choices";
  EXPECT_EQ(next(4, true, true), 6);
  EXPECT_EQ(next(5, false, true), 6);
  EXPECT_EQ(next(6, true, true), 7);
}

TEST(Steps, UseValuesOfEarlierStepsOnly) {
  const auto steps = steps_of(R"([
      {"type": "webhook", "name": "stock", "recipient": "https://a.example/", "answer": {"count": "number"}},
      {"type": "webhook", "name": "other", "recipient": "https://a.example/?n={{steps.stock.answer.count}}"},
      {"type": "stop", "when": {"steps.stock.answer.count": {"gt": 3}, "steps.other.status": "succeeded"}}])");
  EXPECT_EQ(steps[0].used_by, (std::vector{2, 3}));
  EXPECT_TRUE(steps[1].used_by.empty()) << "a status is no answer";
  EXPECT_FALSE(steps[0].uses_steps);
  EXPECT_TRUE(steps[2].uses_steps);
  EXPECT_THROW(steps_of(R"([{"type": "stop", "when": {"steps.stock.answer.count": 1}},
      {"type": "webhook", "name": "stock", "recipient": "https://a.example/", "answer": {"count": "number"}}])"),
               std::invalid_argument);
}

TEST(Steps, HaveTheValuesThatTheirActionsSay) {
  std::size_t checked = 0;
  for (const actions::Action* const action : actions::all_actions()) {
    const Step step{
        .type = std::string(action->type()), .action = action, .definition = {}, .when = {}, .name = "one"};
    domain::RunValues run;
    add_values(step, run);
    json::object result{{"status", "succeeded"}, {"code", nullptr}};
    for (const actions::StepValue& value : action->values({})) {
      const auto* const found = run.find("steps.one." + value.path);
      ASSERT_NE(found, nullptr) << step.type << " " << value.path;
      EXPECT_EQ(found->type, value.type) << step.type << " " << value.path;
      result[value.path] = 1;
      ++checked;
    }
    const json::object values = step_values(result);
    EXPECT_EQ(values.size(), result.size() - 1) << step.type << ": all but the code";
    EXPECT_FALSE(values.contains("code")) << step.type;
  }
  EXPECT_GT(checked, 10U);
}

}  // namespace
}  // namespace waybill::matching
