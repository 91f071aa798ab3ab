#include "worker/delivery/run_room.hpp"

#include <gmock/gmock.h>

#include "worker/delivery/memory.hpp"

namespace waybill::worker {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

const Guid business = Guid::random();
const Guid other = Guid::random();

TEST(RunRoom, ABusinessWithItsShareOfRunsMayHaveNoMore) {
  Memory memory(1000);
  RunRoom room(4, memory);
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
  Memory memory(4);
  RunRoom room(1000, memory);
  room.enter(business);
  auto bytes = memory.hold(business, 3);
  EXPECT_FALSE(room.may_enter(business));
  EXPECT_TRUE(room.may_enter(other));
  EXPECT_THAT(room.full_businesses(), ElementsAre(business));
  bytes.reset();
  EXPECT_TRUE(room.may_enter(business));
}

TEST(RunRoom, BytesCountAfterTheirRunHasLeft) {
  Memory memory(10);
  RunRoom room(10, memory);
  room.enter(business);
  const auto bytes = memory.hold(business, 10);
  room.leave(business);
  EXPECT_EQ(room.runs(), 0U);
  EXPECT_EQ(memory.free(), 0U);
  EXPECT_FALSE(room.has_room());
}

TEST(RunRoom, ThereIsRoomUntilTheRunsOrTheBytesAreUsedUp) {
  Memory memory(1);
  RunRoom room(1, memory);
  EXPECT_TRUE(room.has_room());
  room.enter(business);
  EXPECT_FALSE(room.has_room());
  room.leave(business);
  EXPECT_TRUE(room.has_room());
  const auto bytes = memory.hold(business, 1);
  EXPECT_FALSE(room.has_room());
}

TEST(RunRoom, ABusinessWithoutRunsAndBytesLeftIsNamedOnce) {
  Memory memory(4);
  RunRoom room(4, memory);
  for (int i = 0; i < 3; ++i) room.enter(business);
  const auto bytes = memory.hold(business, 3);
  EXPECT_THAT(room.full_businesses(), ElementsAre(business));
}

}  // namespace
}  // namespace waybill::worker
