#include "connectors/store_memory.hpp"

#include <new>
#include <vector>

#include <gtest/gtest.h>

namespace waybill::connectors {
namespace {

constexpr std::size_t mebibyte = 1024UL * 1024;

TEST(StoreMemory, RefusesMoreThanTheBudgetButNeverAShare) {
  std::vector<StoreMemory::Charge> large(StoreMemory::budget / (8 * mebibyte));
  for (auto& charge : large) EXPECT_TRUE(charge.add(8 * mebibyte));
  StoreMemory::Charge late;
  EXPECT_FALSE(late.add(2 * mebibyte));
  EXPECT_TRUE(late.add(StoreMemory::share));
  EXPECT_FALSE(late.add(1));
  EXPECT_EQ(StoreMemory::answer_limit(), StoreMemory::share);
  large.clear();
  EXPECT_TRUE(late.add(2 * mebibyte));
}

TEST(StoreMemory, AnAnswerMayHaveAQuarterOfWhatIsLeft) {
  EXPECT_EQ(StoreMemory::answer_limit(), StoreMemory::largest_answer);
  StoreMemory::Charge others;
  ASSERT_TRUE(others.add(StoreMemory::budget - 16 * mebibyte));
  EXPECT_EQ(StoreMemory::answer_limit(), 4 * mebibyte);
}

TEST(StoreMemory, ATreeIsLimitedAndReleasesItsMemory) {
  {
    json::array numbers(StoreMemory::tree());
    numbers.resize(1000);
    EXPECT_THROW(numbers.resize(StoreMemory::largest_tree / sizeof(json::value) + 1), std::bad_alloc);
  }
  StoreMemory::Charge all;
  EXPECT_TRUE(all.add(StoreMemory::budget));
}

}  // namespace
}  // namespace waybill::connectors
