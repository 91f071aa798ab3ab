#include "worker/delivery/destinations.hpp"

#include <gtest/gtest.h>

namespace waybill::worker {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t any_number = 1000;

storage::RunKey run_of(const Guid& workflow) {
  storage::RunKey run;
  run.workflow_id = workflow;
  run.destination = "shop.example:443/business";
  return run;
}

TEST(Destinations, TheWorkflowThatFailedLastProbesAfterTheOthers) {
  Destinations destinations({.open_after = 1});
  const storage::RunKey broken = run_of(Guid::random()), sound = run_of(Guid::random());
  const Time start{};
  ASSERT_TRUE(destinations.try_start(broken, any_number, start));
  destinations.ended(broken, true, start);
  EXPECT_TRUE(destinations.is_open(broken.destination));
  EXPECT_EQ(destinations.awaiting_probe(start), std::vector{broken.destination});
  EXPECT_EQ(destinations.next_probe(start), start + 1s);

  const Time probe = destinations.next_attempt_at(sound, start, start);
  EXPECT_EQ(probe, start + 1s);
  EXPECT_EQ(destinations.next_attempt_at(broken, start, start), probe + 500ms);
  EXPECT_FALSE(destinations.try_start(broken, any_number, probe));
  ASSERT_TRUE(destinations.try_start(sound, any_number, probe));
  destinations.ended(sound, false, probe);
  EXPECT_FALSE(destinations.is_open(sound.destination));
  EXPECT_EQ(destinations.next_probe(start), Time::max());
  EXPECT_TRUE(destinations.try_start(broken, any_number, probe));
}

TEST(Destinations, TheAttemptThatOpensABreakerIsReported) {
  Destinations destinations({.open_after = 2});
  const storage::RunKey run = run_of(Guid::random());
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(destinations.try_start(run, any_number, Time{}));
  EXPECT_FALSE(destinations.ended(run, true, Time{}));
  EXPECT_TRUE(destinations.ended(run, true, Time{}));
  EXPECT_FALSE(destinations.ended(run, true, Time{})) << "it is open already";
  ASSERT_TRUE(destinations.try_start(run, any_number, Time{} + 60s));
  EXPECT_FALSE(destinations.ended(run, false, Time{} + 60s)) << "it closes";
}

TEST(Destinations, ADestinationHasNoMoreInFlightThanItsActionAllows) {
  Destinations destinations({.max_in_flight = 64});
  const storage::RunKey run = run_of(Guid::random());
  ASSERT_TRUE(destinations.try_start(run, 2, Time{}));
  ASSERT_TRUE(destinations.try_start(run, 2, Time{}));
  EXPECT_FALSE(destinations.try_start(run, 2, Time{}));
  destinations.released(run.destination, Time{});
  EXPECT_TRUE(destinations.try_start(run, 2, Time{}));
}

}  // namespace
}  // namespace waybill::worker
