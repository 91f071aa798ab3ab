#include "worker/queue/claimed_run_queue.hpp"

#include <gmock/gmock.h>

namespace waybill::worker {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

constexpr Time start{};
constexpr TimeShares<Guid>::Moment moment(1h);

storage::ClaimedRun run(const Guid& business) {
  storage::ClaimedRun made{.run = {}, .previous_status = storage::RunStatus::queued};
  made.run.key.business_id = business;
  return made;
}

Guid business_of(const storage::ClaimedRun& claimed) { return claimed.run.key.business_id; }

TEST(ClaimedRunQueue, BusinessesTakeTurns) {
  TimeShares<Guid> shares(1s);
  ClaimedRunQueue queue(32, shares);
  const Guid first = Guid::random(), second = Guid::random();
  for (int i = 0; i < 3; ++i) queue.push(run(first), start);
  queue.push(run(second), start);
  EXPECT_EQ(business_of(queue.pop(moment)), first);
  EXPECT_EQ(business_of(queue.pop(moment)), second);
  EXPECT_EQ(business_of(queue.pop(moment)), first);
}

TEST(ClaimedRunQueue, ABusinessWith32RunsIsFullUntilOneIsTaken) {
  TimeShares<Guid> shares(1s);
  ClaimedRunQueue queue(32, shares);
  const Guid business = Guid::random();
  for (int i = 0; i < 31; ++i) queue.push(run(business), start);
  EXPECT_THAT(queue.full_businesses(), IsEmpty());
  queue.push(run(business), start);
  EXPECT_THAT(queue.full_businesses(), ElementsAre(business));
  queue.pop(moment);
  EXPECT_THAT(queue.full_businesses(), IsEmpty());
}

TEST(ClaimedRunQueue, ItHasRoomFor256Runs) {
  TimeShares<Guid> shares(1s);
  ClaimedRunQueue queue(32, shares);
  for (int i = 0; i < 255; ++i) queue.push(run(Guid::random()), start);
  EXPECT_TRUE(queue.has_room());
  queue.push(run(Guid::random()), start);
  EXPECT_FALSE(queue.has_room());
}

TEST(ClaimedRunQueue, OnlyRunsThatCameBeforeATimeAreTakenOut) {
  TimeShares<Guid> shares(1s);
  ClaimedRunQueue queue(32, shares);
  const Guid business = Guid::random();
  queue.push(run(business), start);
  queue.push(run(business), start + 2s);
  EXPECT_THAT(queue.take_older(start + 1s), SizeIs(1));
  EXPECT_FALSE(queue.empty());
  EXPECT_THAT(queue.take_older(start + 3s), SizeIs(1));
  EXPECT_TRUE(queue.empty());
}

}  // namespace
}  // namespace waybill::worker
