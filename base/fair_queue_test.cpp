#include "base/fair_queue.hpp"

#include <memory>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace waybill {
namespace {

TEST(FairQueue, OwnersTakeTurnsAndEachKeepsItsOrder) {
  FairQueue<std::string, int> queue;
  EXPECT_TRUE(queue.empty());
  for (const int value : {1, 2, 3}) queue.push("loud", value);
  EXPECT_EQ(queue.pop(), 1);
  queue.push("quiet", 10);
  queue.push("other", 20);
  EXPECT_EQ(queue.pop(), 2) << "its turn came before the others were added";
  EXPECT_EQ(queue.pop(), 10);
  queue.push("quiet", 11);
  EXPECT_EQ(queue.pop(), 20);
  EXPECT_EQ(queue.pop(), 3);
  EXPECT_EQ(queue.pop(), 11);
  EXPECT_TRUE(queue.empty());
}

TEST(FairQueue, CountsTheValuesOfEachOwner) {
  FairQueue<std::string, int> queue;
  EXPECT_EQ(queue.owners(), 0U);
  for (const int value : {1, 2}) queue.push("a", value);
  queue.push("b", 3);
  EXPECT_EQ(queue.owners(), 2U);
  EXPECT_EQ(queue.size_of("a"), 2U);
  EXPECT_EQ(queue.size_of("c"), 0U);
  for (const int value : {1, 3, 2}) EXPECT_EQ(queue.pop(), value);
  EXPECT_EQ(queue.owners(), 0U);
}

TEST(FairQueue, TakesTheWantedFrontsOfEachOwner) {
  FairQueue<std::string, int> queue;
  for (const int value : {1, 2, 9, 3}) queue.push("a", value);
  for (const int value : {1, 2}) queue.push("b", value);
  queue.push("c", 7);
  EXPECT_EQ(queue.size(), 7U);
  EXPECT_EQ(queue.take_fronts([](int value) { return value < 5; }), (std::vector{1, 2, 1, 2}));
  EXPECT_EQ(queue.size(), 3U);
  EXPECT_EQ(queue.pop(), 9);
  EXPECT_EQ(queue.pop(), 7);
  EXPECT_EQ(queue.pop(), 3);
  EXPECT_TRUE(queue.empty());
}

TEST(FairQueue, HoldsMoveOnlyValues) {
  FairQueue<int, std::unique_ptr<int>> queue;
  queue.push(1, std::make_unique<int>(5));
  EXPECT_EQ(*queue.pop(), 5);
}

}  // namespace
}  // namespace waybill
