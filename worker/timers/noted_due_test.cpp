#include "worker/timers/noted_due.hpp"

#include <gtest/gtest.h>

namespace waybill::worker {
namespace {

using namespace std::chrono_literals;

TEST(NotedDue, KeepsTheEarliestTimeSinceTheLook) {
  NotedDue noted;
  EXPECT_EQ(noted.earliest(), Time::max());
  EXPECT_FALSE(noted.note(std::nullopt));
  EXPECT_TRUE(noted.note(Time(20ms)));
  EXPECT_FALSE(noted.note(Time(20ms)));
  EXPECT_FALSE(noted.note(Time(30ms)));
  EXPECT_TRUE(noted.note(Time(10ms)));
  EXPECT_EQ(noted.earliest(), Time(10ms));
  noted.begin_look();
  EXPECT_TRUE(noted.note(Time(30ms)));
}

}  // namespace
}  // namespace waybill::worker
