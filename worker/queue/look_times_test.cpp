#include "worker/queue/look_times.hpp"

#include <gtest/gtest.h>

namespace waybill::worker {
namespace {

using namespace std::chrono_literals;

constexpr Time now{1h};

/// A look that found and blocked nothing.
LookResult nothing() {
  return {.now = now, .next_due = {}, .next_unblocked = Time::max(), .next_probe = Time::max()};
}

/// Times after a look with this result.
LookTimes after(const LookResult& look) {
  LookTimes times;
  times.begin();
  times.end(look);
  return times;
}

TEST(LookTimes, TheFirstLookIsDueAtOnce) { EXPECT_TRUE(LookTimes().is_due(Time{})); }

TEST(LookTimes, ALookIsDueEachSecond) {
  const LookTimes times = after(nothing());
  EXPECT_EQ(times.next(), now + 1s);
  EXPECT_FALSE(times.is_due(now + 999ms));
  EXPECT_TRUE(times.is_due(now + 1s));
}

TEST(LookTimes, ALookIsDueWithTheNextRun) {
  LookResult look = nothing();
  look.next_due = now + 300ms;
  const LookTimes times = after(look);
  EXPECT_EQ(times.next(), now + 300ms);
  EXPECT_TRUE(times.is_due(now + 300ms));
  EXPECT_FALSE(times.is_due(now + 299ms));
}

TEST(LookTimes, AnotherLookFollowsAtOnceIfOneFoundRunsAndMoreAreDue) {
  LookResult look = nothing();
  look.any_found = true;
  look.next_due = now - 1s;
  EXPECT_TRUE(after(look).is_due(now));
}

TEST(LookTimes, ARunThatIsDueAndWasNotFoundIsLookedForAfterAPause) {
  LookResult look = nothing();
  look.next_due = now - 1s;
  EXPECT_EQ(after(look).next(), now + 100ms);
}

TEST(LookTimes, ALookIsDueWhenARateBlocksNoMore) {
  LookResult look = nothing();
  look.next_unblocked = now + 20ms;
  EXPECT_EQ(after(look).next(), now + 20ms);
}

TEST(LookTimes, ALookIsDueWithTheNextProbeButNotWithoutAPause) {
  LookResult look = nothing();
  look.next_probe = now + 400ms;
  EXPECT_EQ(after(look).next(), now + 400ms);
  look.next_probe = now - 1s;
  EXPECT_EQ(after(look).next(), now + 100ms);
}

TEST(LookTimes, ALookThatLeftBusinessesOutIsFollowedByAnotherAtOnce) {
  LookResult look = nothing();
  look.left_out = true;
  EXPECT_TRUE(after(look).is_due(now));
}

TEST(LookTimes, ADueTimeThatIsNotedDuringALookOutlastsIt) {
  LookTimes times;
  times.begin();
  EXPECT_TRUE(times.note_due(now + 10ms));
  LookResult look = nothing();
  look.next_due = now + 300ms;
  times.end(look);
  EXPECT_EQ(times.next(), now + 10ms);
}

TEST(LookTimes, OnlyAnEarlierDueTimeChangesTheNextLook) {
  LookTimes times = after(nothing());
  EXPECT_TRUE(times.note_due(now + 20ms));
  EXPECT_FALSE(times.note_due(now + 20ms));
  EXPECT_FALSE(times.note_due(now + 30ms));
  EXPECT_TRUE(times.note_due(now + 10ms));
  EXPECT_EQ(times.next(), now + 10ms);
}

TEST(LookTimes, TheDueTimeBeforeALookIsForgotten) {
  LookTimes times;
  times.note_due(now);
  times.begin();
  times.end(nothing());
  EXPECT_EQ(times.next(), now + 1s);
}

}  // namespace
}  // namespace waybill::worker
