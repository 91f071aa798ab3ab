#include "worker/events/postponed_round.hpp"

#include <gtest/gtest.h>

namespace waybill::worker {
namespace {

using namespace std::chrono_literals;

constexpr Time start{1h};

TEST(PostponedRound, ALookThatFindsNothingIsRepeatedAfterASecond) {
  PostponedRound round;
  EXPECT_TRUE(round.begin_look(start));
  EXPECT_FALSE(round.end_look(true));
  EXPECT_FALSE(round.begin_look(start + 999ms));
  EXPECT_EQ(round.next_look(), start + 1s);
  EXPECT_TRUE(round.begin_look(start + 1s));
}

TEST(PostponedRound, ARoundThatFoundMatchesIsFollowedByAnotherAtOnce) {
  PostponedRound round;
  EXPECT_TRUE(round.begin_look(start));
  round.turn_of(Guid::random());
  round.found_matches();
  EXPECT_TRUE(round.end_look(true));
  EXPECT_EQ(round.last(), Guid());
  EXPECT_TRUE(round.begin_look(start));
  EXPECT_FALSE(round.end_look(true)) << "the second round found none";
}

TEST(PostponedRound, ARoundGoesOnWithTheWorkflowsAfterTheLastOne) {
  PostponedRound round;
  const Guid workflow = Guid::random();
  EXPECT_TRUE(round.begin_look(start));
  round.turn_of(workflow);
  EXPECT_TRUE(round.end_look(false));
  EXPECT_EQ(round.last(), workflow);
  EXPECT_TRUE(round.begin_look(start));
}

TEST(PostponedRound, MatchesCountForTheWholeRound) {
  PostponedRound round;
  EXPECT_TRUE(round.begin_look(start));
  round.found_matches();
  EXPECT_TRUE(round.end_look(false));
  EXPECT_TRUE(round.begin_look(start));
  EXPECT_TRUE(round.end_look(true)) << "its first workflows had some";
}

TEST(PostponedRound, ALookThatWasInterruptedGoesOnAtOnce) {
  PostponedRound round;
  const Guid workflow = Guid::random();
  EXPECT_TRUE(round.begin_look(start));
  round.turn_of(workflow);
  round.interrupt();
  EXPECT_EQ(round.last(), workflow);
  EXPECT_TRUE(round.begin_look(start));
}

}  // namespace
}  // namespace waybill::worker
