#include "domain/workflows/schedule.hpp"

#include <gtest/gtest.h>

#include "domain/workflows/triggers.hpp"

namespace waybill::domain {
namespace {

json::object members(std::string_view text) { return json::parse(text).as_object(); }

std::string schedule_error(std::string_view text) {
  const auto result = parse_schedule(members(text), EntityType::order);
  const auto* const errors = std::get_if<FieldErrors>(&result);
  return errors == nullptr ? "" : errors->front().field;
}

TEST(Schedules, TheStoredFormKeepsTheSchedule) {
  for (
      const char* const text :
      {R"({"schedule": {"cron": "0 8 * * mon-fri"}})",
       R"({"schedule": {"cron": "*/5 * * * *", "timezone": "Europe/Lisbon"}, "each": true, "runWhenEmpty": true,
            "query": {"filter": "status eq 'pending'", "orderBy": "createdAt desc", "limit": 5}})"}) {
    const auto parsed = std::get<Schedule>(parse_schedule(members(text), EntityType::order));
    const TriggerChoice choice = choose(parsed, EntityType::order);
    const auto read = parse_choice(choice.stored());
    ASSERT_TRUE(read.has_value()) << choice.stored();
    EXPECT_EQ(*read, choice);
    EXPECT_EQ(read->first->code, "schedule");
    EXPECT_EQ(read->first->entity_type, EntityType::order);
  }
  for (const char* const bad : {"schedule:", "schedule:order", "schedule:order:{}",
                                "schedule:parcel:{\"schedule\": {\"cron\": \"* * * * *\"}}",
                                "schedule:order:{\"schedule\": {\"cron\": \"never\"}}"})
    EXPECT_EQ(parse_choice(bad), std::nullopt) << bad;
}

TEST(Schedules, ErrorsNameTheMember) {
  EXPECT_EQ(schedule_error(R"({"schedule": "daily"})"), "schedule");
  EXPECT_EQ(schedule_error(R"({"schedule": {}})"), "schedule.cron");
  EXPECT_EQ(schedule_error(R"({"schedule": {"cron": 5}})"), "schedule.cron");
  EXPECT_EQ(schedule_error(R"({"schedule": {"cron": "0 0 30 2 *"}})"), "schedule.cron");
  EXPECT_EQ(schedule_error(R"({"schedule": {"cron": "* * * * *", "timezone": "Mars"}})"),
            "schedule.timezone");
  EXPECT_EQ(schedule_error(R"({"schedule": {"cron": "* * * * *", "zone": "UTC"}})"), "schedule.zone");
  const std::string begin = R"({"schedule": {"cron": "* * * * *"}, )";
  EXPECT_EQ(schedule_error(begin + R"("query": 5})"), "query");
  EXPECT_EQ(schedule_error(begin + R"("query": {"filter": "size eq 5"}})"), "query.filter");
  EXPECT_EQ(schedule_error(begin + R"("query": {"orderBy": "size"}})"), "query.orderBy");
  for (const char* const limit : {"0", "1001", "1.5", "\"5\""})
    EXPECT_EQ(schedule_error(begin + R"("query": {"limit": )" + limit + "}}"), "query.limit") << limit;
  EXPECT_EQ(schedule_error(begin + R"("query": {"limit": 1000}})"), "");
  EXPECT_EQ(schedule_error(begin + R"("each": 1})"), "each");
  EXPECT_EQ(schedule_error(begin + R"("runWhenEmpty": "no"})"), "runWhenEmpty");
}

TEST(Schedules, AnUnknownMemberIsNamedAsInOtherBodies) {
  const auto result =
      parse_schedule(members(R"({"schedule": {"cron": "* * * * *", "zone": "UTC"}, "query": {"size": 5}})"),
                     EntityType::order);
  EXPECT_EQ(std::get<FieldErrors>(result),
            (FieldErrors{{"schedule.zone", "unknown field"}, {"query.size", "unknown field"}}));
}

}  // namespace
}  // namespace waybill::domain
