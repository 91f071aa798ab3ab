#include "worker/queue/preparation_queues.hpp"

#include <thread>

#include <gmock/gmock.h>

namespace waybill::worker {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

using Kind = PreparationQueues::Kind;
using Runs = PreparationQueues::Runs;

constexpr Time first_taken{};

storage::ClaimedRun prepared_run(const Guid& business) {
  storage::ClaimedRun made{.run = {}, .previous_status = storage::RunStatus::queued};
  made.run.key.business_id = business;
  return made;
}

Runs runs(std::size_t count, const Guid& business) { return Runs(count, prepared_run(business)); }

TEST(PreparationQueues, EachKindIsTakenByItself) {
  PreparationQueues queues;
  queues.add(runs(1, Guid::random()), runs(2, Guid::random()), first_taken);
  EXPECT_TRUE(queues.go_on(prepared_run(Guid::random()), first_taken));
  EXPECT_THAT(queues.take(Kind::render, 10, first_taken).runs, SizeIs(1));
  EXPECT_THAT(queues.take(Kind::begin, 10, first_taken).runs, SizeIs(2));
  EXPECT_THAT(queues.take(Kind::go_on, 10, first_taken).runs, SizeIs(1));
}

TEST(PreparationQueues, NoMoreAreTakenThanAskedFor) {
  PreparationQueues queues;
  queues.add(runs(3, Guid::random()), {}, first_taken);
  EXPECT_THAT(queues.take(Kind::render, 0, first_taken).runs, IsEmpty());
  EXPECT_THAT(queues.take(Kind::render, 2, first_taken).runs, SizeIs(2));
  EXPECT_THAT(queues.take(Kind::render, 2, first_taken).runs, SizeIs(1));
}

TEST(PreparationQueues, RunsThatWaitedTooLongAreLate) {
  PreparationQueues queues;
  queues.add(runs(1, Guid::random()), {}, first_taken);
  queues.add(runs(1, Guid::random()), {}, first_taken + 2s);
  const auto taken = queues.take(Kind::render, 10, first_taken + 1s);
  EXPECT_THAT(taken.late, SizeIs(1));
  EXPECT_THAT(taken.runs, SizeIs(1));
}

TEST(PreparationQueues, ABusinessMayHave128RunsThatGoOn) {
  PreparationQueues queues;
  const Guid business = Guid::random();
  for (int i = 0; i < 128; ++i) EXPECT_TRUE(queues.go_on(prepared_run(business), first_taken));
  EXPECT_FALSE(queues.go_on(prepared_run(business), first_taken));
  EXPECT_TRUE(queues.go_on(prepared_run(Guid::random()), first_taken));
}

TEST(PreparationQueues, ABusinessWith32RunsToRenderOr128ToBeginIsFull) {
  PreparationQueues queues;
  const Guid one = Guid::random(), other = Guid::random();
  queues.add(runs(31, one), runs(127, other), first_taken);
  EXPECT_THAT(queues.full_businesses(), IsEmpty());
  queues.add(runs(1, one), runs(1, other), first_taken);
  EXPECT_THAT(queues.full_businesses(), ElementsAre(one, other));
}

TEST(PreparationQueues, ThereIsRoomFor256RunsOfAKind) {
  PreparationQueues queues;
  for (int i = 0; i < 255; ++i) queues.add({}, runs(1, Guid::random()), first_taken);
  EXPECT_TRUE(queues.has_room());
  queues.add({}, runs(1, Guid::random()), first_taken);
  EXPECT_FALSE(queues.has_room());
}

TEST(PreparationQueues, NoRunGoesOnAfterTheEnd) {
  PreparationQueues queues;
  queues.add(runs(1, Guid::random()), runs(1, Guid::random()), first_taken);
  EXPECT_TRUE(queues.go_on(prepared_run(Guid::random()), first_taken));
  queues.close();
  EXPECT_FALSE(queues.go_on(prepared_run(Guid::random()), first_taken));
  EXPECT_THAT(queues.take_all(), SizeIs(3));
  EXPECT_THAT(queues.take_all(), IsEmpty());
}

TEST(PreparationQueues, ARunEndsTheWait) {
  PreparationQueues queues;
  std::thread adding([&] { queues.add(runs(1, Guid::random()), {}, first_taken); });
  EXPECT_TRUE(queues.wait({}, 1h));
  adding.join();
}

TEST(PreparationQueues, AStopEndsTheWaitAndThePause) {
  PreparationQueues queues;
  std::stop_source source;
  source.request_stop();
  EXPECT_FALSE(queues.wait(source.get_token(), 1h));
  queues.pause(source.get_token(), 1h);
}

}  // namespace
}  // namespace waybill::worker
