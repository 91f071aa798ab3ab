#include "app/node/merge_pause.hpp"

#include <gtest/gtest.h>

namespace waybill::app {
namespace {

using std::chrono::milliseconds;

TEST(MergePause, IsLongerWhileNothingIsPending) {
  MergePause pause;
  pause.merged(1);
  EXPECT_EQ(pause.get(), MergePause::longest);
  pause.merged(0);
  EXPECT_EQ(pause.get(), MergePause::idle);
}

TEST(MergePause, FollowsTheRateOfNewPages) {
  constexpr int pages_per_second = 2560;
  MergePause pause;
  for (int i = 0; i < 10; ++i) pause.merged(pause.get() * pages_per_second / std::chrono::seconds(1));
  EXPECT_EQ(pause.get(), milliseconds(200)) << "512 pages";
}

TEST(MergePause, IsNeverShorterThanTheShortestAndGrowsAgain) {
  MergePause pause;
  pause.merged(1'000'000);
  EXPECT_EQ(pause.get(), MergePause::shortest);
  pause.merged(1);
  EXPECT_EQ(pause.get(), 2 * MergePause::shortest);
  for (int i = 0; i < 10; ++i) pause.merged(1);
  EXPECT_EQ(pause.get(), MergePause::longest);
}

}  // namespace
}  // namespace waybill::app
