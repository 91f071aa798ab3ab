#include "worker/threads/look_pause.hpp"

#include <gtest/gtest.h>

namespace waybill::worker {
namespace {

using namespace std::chrono_literals;

constexpr LookPause::SteadyTime start(1h);

TEST(LookPause, AQuickLookMayBeRepeatedAtOnce) {
  LookPause pause;
  EXPECT_EQ(pause.left(start), 0us);
  pause.looked(start, start + 4ms, 0);
  EXPECT_EQ(pause.left(start + 4ms), 0us);
}

TEST(LookPause, ASlowLookThatFoundNothingIsFollowedByAPauseOfItsLength) {
  LookPause pause;
  pause.looked(start, start + 70ms, 0);
  EXPECT_EQ(pause.left(start + 70ms), 70ms);
  EXPECT_EQ(pause.left(start + 139ms), 1ms);
  EXPECT_EQ(pause.left(start + 140ms), 0us);
}

TEST(LookPause, WhatALookFindsIsWorthItsTime) {
  LookPause pause;
  pause.looked(start, start + 25ms, 256);
  EXPECT_EQ(pause.left(start + 25ms), 0us);
  pause.looked(start, start + 100ms, 256);
  EXPECT_EQ(pause.left(start + 100ms), 74'400us);
}

TEST(LookPause, LastsForASecondAtMost) {
  LookPause pause;
  pause.looked(start, start + 1min, 0);
  EXPECT_EQ(pause.left(start + 1min), 1s);
}

}  // namespace
}  // namespace waybill::worker
