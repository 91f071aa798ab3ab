#include "worker/delivery/run_room.hpp"

#include <gmock/gmock.h>

namespace waybill::worker {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

const Guid business = Guid::random();
const Guid other = Guid::random();

TEST(RunRoom, ABusinessWithItsShareOfRunsMayHaveNoMore) {
  RunRoom room(4, 1000);
  for (int i = 0; i < 3; ++i) {
    EXPECT_TRUE(room.may_enter(business));
    room.enter(business);
  }
  EXPECT_FALSE(room.may_enter(business));
  EXPECT_TRUE(room.may_enter(other));
  EXPECT_THAT(room.full_businesses(), ElementsAre(business));
  room.leave(business);
  EXPECT_TRUE(room.may_enter(business));
  EXPECT_THAT(room.full_businesses(), IsEmpty());
}

TEST(RunRoom, ABusinessWithItsShareOfBytesMayHaveNoMore) {
  RunRoom room(1000, 4);
  room.enter(business);
  auto bytes = room.hold_bytes(business, 3);
  EXPECT_FALSE(room.may_enter(business));
  EXPECT_TRUE(room.may_enter(other));
  EXPECT_THAT(room.full_businesses(), ElementsAre(business));
  bytes.reset();
  EXPECT_TRUE(room.may_enter(business));
}

TEST(RunRoom, BytesCountAfterTheirRunHasLeft) {
  RunRoom room(10, 10);
  room.enter(business);
  const auto bytes = room.hold_bytes(business, 10);
  room.leave(business);
  EXPECT_EQ(room.runs(), 0U);
  EXPECT_EQ(room.free_bytes(), 0U);
  EXPECT_FALSE(room.has_room());
}

TEST(RunRoom, ThereIsRoomUntilTheRunsOrTheBytesAreUsedUp) {
  RunRoom room(1, 1);
  EXPECT_TRUE(room.has_room());
  room.enter(business);
  EXPECT_FALSE(room.has_room());
  room.leave(business);
  EXPECT_TRUE(room.has_room());
  const auto bytes = room.hold_bytes(business, 1);
  EXPECT_FALSE(room.has_room());
}

TEST(RunRoom, ABusinessWithoutRunsAndBytesLeftIsNamedOnce) {
  RunRoom room(4, 4);
  for (int i = 0; i < 3; ++i) room.enter(business);
  const auto bytes = room.hold_bytes(business, 3);
  EXPECT_THAT(room.full_businesses(), ElementsAre(business));
}

}  // namespace
}  // namespace waybill::worker
