#include "domain/workflows/switches.hpp"

#include <chrono>
#include <random>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace waybill::domain {
namespace {

using std::chrono::seconds;

const Time start_of_switches = parse_timestamp("2026-11-20T05:45:12.345Z").value();

Time after(int count) { return start_of_switches + seconds(count); }

TEST(Switches, AreReadWithTheirMicroseconds) {
  EXPECT_THAT(parse_switches("1764543210123456+,1764543270000000-"),
              testing::ElementsAre(Switch{Time(Duration(1764543210123456)), true},
                                   Switch{Time(Duration(1764543270000000)), false}));
  EXPECT_TRUE(parse_switches("").empty());
  for (const char* const text : {"1", "+", "1+1-", "1*", ",1+", "1 +"})
    EXPECT_THROW(parse_switches(text), std::invalid_argument) << text;
}

// The reference keeps the state of each second.
TEST(Switches, AWorkflowWasOnAtTheTimesAtWhichItHadBeenSwitchedOnLast) {
  constexpr int length = 60;
  std::mt19937 random(7);  // NOLINT(bugprone-random-generator-seed): a fixed sequence
  for (int round = 0; round < 500; ++round) {
    std::vector<Switch> switches;
    std::vector<bool> was(length, false);
    bool is_active = false;
    Time active_since{};
    for (int second = static_cast<int>(random() % 20); second < length;
         second += 1 + static_cast<int>(random() % 15)) {
      is_active = !is_active;
      if (is_active) active_since = after(second);
      switches.push_back({after(second), is_active});
      std::fill(was.begin() + second, was.end(), is_active);
    }
    for (int second = 0; second < length; ++second)
      EXPECT_EQ(was_on(is_active, active_since, switches, after(second), after(length)), was[second])
          << round << ' ' << second;
  }
}

TEST(Switches, AreNotNeededSinceTheLastOne) {
  EXPECT_TRUE(was_on(true, after(1), {}, after(1), after(9)));
  EXPECT_FALSE(was_on(true, after(1), {}, after(0), after(9)));
  EXPECT_FALSE(was_on(false, after(1), {}, after(2), after(9)));
}

TEST(Switches, OfAWrongClockDoNotChangeWhatAWorkflowIsNow) {
  const std::vector<Switch> on{{after(1), true}, {after(2), false}, {after(99), true}};
  EXPECT_TRUE(was_on(true, after(99), on, after(3), after(9))) << "no event is lost";
  const std::vector<Switch> off{{after(1), true}, {after(99), false}};
  EXPECT_FALSE(was_on(false, after(1), off, after(3), after(9))) << "it is off";
  const std::vector<Switch> reversed{{after(1), false}, {after(2), true}};
  EXPECT_FALSE(was_on(false, after(2), reversed, after(3), after(9))) << "the clock was set back";
}

}  // namespace
}  // namespace waybill::domain
