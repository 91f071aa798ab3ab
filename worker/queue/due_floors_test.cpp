#include "worker/queue/due_floors.hpp"

#include <gmock/gmock.h>

namespace waybill::worker {
namespace {

using namespace std::chrono_literals;
using testing::Each;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;
using testing::UnorderedElementsAre;

constexpr Time looked_at{1000s};
constexpr DueFloors::SteadyTime first_floor{};

std::vector<storage::ClaimedRun> runs(std::size_t count, const std::string& destination) {
  storage::ClaimedRun run{.run = {}, .previous_status = storage::RunStatus::queued};
  run.run.key.destination = destination;
  return std::vector<storage::ClaimedRun>(count, run);
}

TEST(DueFloors, AreKeptForDestinationsWithTwentyFiveClaimedRuns) {
  DueFloors floors;
  floors.claimed(runs(24, "a"));
  floors.claimed(runs(24, "b"));
  EXPECT_THAT(floors.get().destinations, IsEmpty());
  floors.claimed(runs(1, "a"));
  EXPECT_THAT(floors.get().destinations, ElementsAre("a"));
  EXPECT_THAT(floors.get().times, ElementsAre(Time{}));
}

TEST(DueFloors, AThousandDestinationsWithTheMostRunsHaveThem) {
  DueFloors floors;
  for (int i = 0; i < 1000; ++i) floors.claimed(runs(26, std::to_string(i)));
  for (int i = 0; i < 10; ++i) floors.claimed(runs(25, "few" + std::to_string(i)));
  EXPECT_THAT(floors.get().destinations, SizeIs(1000));
  EXPECT_THAT(floors.get().destinations, Each(testing::Not(testing::HasSubstr("few"))));
}

TEST(DueFloors, OfTwentyThousandDestinationsThoseWithFewRunsGiveWay) {
  DueFloors floors;
  floors.claimed(runs(25, "busy"));
  floors.claimed(runs(24, "few"));
  for (int i = 2; i < 20000; ++i) floors.claimed(runs(1, std::to_string(i)));
  floors.claimed(runs(1, "few"));
  floors.claimed(runs(25, "another"));
  EXPECT_THAT(floors.get().destinations, UnorderedElementsAre("busy", "another"));
}

TEST(DueFloors, NoMoreThanTwentyThousandDestinationsAreCounted) {
  DueFloors floors;
  for (int i = 0; i < 20000; ++i) floors.claimed(runs(25, std::to_string(i)));
  floors.claimed(runs(1000, "another"));
  EXPECT_THAT(floors.get().destinations, Each(testing::Ne("another")));
}

TEST(DueFloors, AreRaisedToTheTimesOfALook) {
  DueFloors floors;
  floors.claimed(runs(25, "a"));
  floors.raise(floors.get(), {looked_at});
  EXPECT_THAT(floors.get().times, ElementsAre(looked_at));
}

TEST(DueFloors, ARunBelowOneLowersIt) {
  DueFloors floors;
  floors.claimed(runs(25, "a"));
  floors.raise(floors.get(), {looked_at});
  floors.checked(floors.get(), {.destinations = {"a"}, .times = {looked_at - 5s}}, first_floor, first_floor);
  EXPECT_THAT(floors.get().times, ElementsAre(looked_at - 5s));
}

TEST(DueFloors, AFloorThatWasLoweredDuringALookIsNotRaisedByIt) {
  DueFloors floors;
  floors.claimed(runs(25, "a"));
  floors.raise(floors.get(), {looked_at});
  const auto old = floors.get();
  floors.checked(old, {.destinations = {"a"}, .times = {looked_at - 5s}}, first_floor, first_floor);
  floors.raise(old, {looked_at + 1s});
  EXPECT_THAT(floors.get().times, ElementsAre(looked_at - 5s));
}

TEST(DueFloors, ACheckNeverRaisesOne) {
  DueFloors floors;
  floors.claimed(runs(25, "a"));
  floors.checked(floors.get(), {.destinations = {"a"}, .times = {looked_at}}, first_floor, first_floor);
  EXPECT_THAT(floors.get().times, ElementsAre(Time{}));
}

TEST(DueFloors, AreForgottenAfterAQuickCheck) {
  DueFloors floors;
  floors.claimed(runs(25, "a"));
  floors.claimed(runs(25, "b"));
  floors.checked(floors.get(), {}, first_floor, first_floor + 2040us);
  EXPECT_THAT(floors.get().destinations, SizeIs(2));
  floors.checked(floors.get(), {}, first_floor, first_floor + 2039us);
  EXPECT_THAT(floors.get().destinations, IsEmpty());
}

TEST(DueFloors, ChecksTakeATwentiethOfTheTimeAtMost) {
  DueFloors floors;
  floors.claimed(runs(25, "a"));
  EXPECT_THAT(floors.to_check(first_floor).destinations, SizeIs(1));
  floors.checked(floors.get(), {}, first_floor, first_floor + 1s);
  EXPECT_THAT(floors.to_check(first_floor + 20s).destinations, IsEmpty());
  EXPECT_THAT(floors.to_check(first_floor + 21s).destinations, SizeIs(1));
}

TEST(DueFloors, ALookWithoutThemIsCheapAfterACheckOfLessThanTenMilliseconds) {
  DueFloors floors;
  floors.claimed(runs(25, "a"));
  floors.checked(floors.get(), {}, first_floor, first_floor + 10ms);
  floors.clear_if_cheap();
  EXPECT_THAT(floors.get().destinations, SizeIs(1));
  floors.checked(floors.get(), {}, first_floor, first_floor + 9999us);
  floors.clear_if_cheap();
  EXPECT_THAT(floors.get().destinations, IsEmpty());
  floors.claimed(runs(25, "a"));
  floors.clear_if_cheap();
  EXPECT_THAT(floors.get().destinations, IsEmpty());
}

TEST(DueFloors, OfAForgottenDestinationNoLookChangesThem) {
  DueFloors floors;
  floors.claimed(runs(25, "a"));
  floors.raise(floors.get(), {looked_at});
  const auto old = floors.get();
  floors.clear();
  floors.claimed(runs(25, "a"));
  floors.raise(old, {looked_at + 1s});
  EXPECT_THAT(floors.get().times, ElementsAre(Time{}));
}

}  // namespace
}  // namespace waybill::worker
