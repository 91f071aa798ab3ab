#include "base/work_budget.hpp"

#include <cstdint>

#include <gtest/gtest.h>

namespace waybill {
namespace {

TEST(WorkBudget, AllUnitsCanBeTakenAndNoMore) {
  WorkBudget budget(10);
  EXPECT_TRUE(budget.take(4));
  EXPECT_TRUE(budget.take(6));
  EXPECT_FALSE(budget.is_exceeded());
  EXPECT_FALSE(budget.take(1));
  EXPECT_TRUE(budget.is_exceeded());
}

TEST(WorkBudget, AnExceededBudgetStaysExceeded) {
  WorkBudget budget(10);
  EXPECT_FALSE(budget.take(SIZE_MAX));
  EXPECT_FALSE(budget.take(0));
  EXPECT_EQ(budget.left(), 0U);
}

}  // namespace
}  // namespace waybill
