#include "matching/awaited_events.hpp"

#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace waybill::matching {
namespace {

using domain::EntityType;

std::vector<std::string> refused(const char* given, bool for_wait) {
  FieldErrors errors;
  check_awaited(json::parse(given), EntityType::order, "for", for_wait, errors);
  std::vector<std::string> fields;
  for (const FieldError& error : errors) fields.push_back(error.field);
  return fields;
}

using Fields = std::vector<std::string>;

TEST(AwaitedEvents, ErrorsNameTheBadMember) {
  EXPECT_EQ(refused("1", true), Fields{"for"});
  EXPECT_EQ(refused("{}", true), Fields{"for.triggers"});
  EXPECT_EQ(refused(R"({"conditions": {"notes": "x"}})", true), Fields{});
  EXPECT_EQ(refused(R"({"conditions": {"notes": "x"}})", false), Fields{"for.triggers"});
  EXPECT_EQ(refused(R"({"triggers": "order_shipped"})", true), Fields{"for.triggers"});
  EXPECT_EQ(refused(R"({"triggers": []})", true), Fields{"for.triggers"});
  EXPECT_EQ(refused(R"({"triggers": ["order_shipped", "order_deleted"]})", true), Fields{"for.triggers[1]"});
  EXPECT_EQ(refused(R"({"triggers": ["order_deleted"]})", false), Fields{});
  EXPECT_EQ(refused(R"({"triggers": ["*"], "other": 1})", true), Fields{"for.other"});
  EXPECT_EQ(refused(R"({"triggers": ["*"], "conditions": {"nothing": 1}})", true),
            Fields{"for.conditions.nothing"});
}

TEST(AwaitedEvents, MeetATriggerAndTheConditions) {
  const AwaitedEvents shipped =
      parse_awaited(json::parse(R"({"triggers": ["order_shipped"], "conditions": {"notes": "x"}})"),
                    EntityType::order, true);
  const AwaitedEvents any =
      parse_awaited(json::parse(R"({"conditions": {"notes": "x"}})"), EntityType::order, true);
  const json::object meets{{"notes", "x"}}, fails{{"notes", "y"}}, previous;
  domain::TriggerSet fired;
  fired.set(domain::trigger_index(*domain::find_trigger("order_shipped")));
  EXPECT_TRUE(shipped.include(fired, {meets, previous, false}));
  EXPECT_FALSE(shipped.include(fired, {fails, previous, false}));
  EXPECT_FALSE(shipped.include({}, {meets, previous, false}));
  EXPECT_TRUE(any.include({}, {meets, previous, false}));
  EXPECT_FALSE(any.include(fired, {fails, previous, false}));
}

TEST(AwaitedEvents, ThatThisVersionCannotReadAreRefused) {
  EXPECT_THROW(parse_awaited(json::parse(R"({"triggers": ["order_teleported"]})"), EntityType::order, true),
               std::invalid_argument);
}

}  // namespace
}  // namespace waybill::matching
