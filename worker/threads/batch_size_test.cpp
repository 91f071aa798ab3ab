#include "worker/threads/batch_size.hpp"

#include <gtest/gtest.h>

namespace waybill::worker {
namespace {

using namespace std::chrono_literals;

TEST(BatchSize, AFullBatchThatIsFastDoublesTheNextUpToTheMost) {
  BatchSize size(32, 100, 2ms);
  size.measured(32, 1ms);
  EXPECT_EQ(size.get(), 64U);
  size.measured(64, 2ms);
  EXPECT_EQ(size.get(), 100U);
}

TEST(BatchSize, APartialBatchSaysNothingAboutLargerOnes) {
  BatchSize size(32, 100, 2ms);
  size.measured(31, 1ms);
  EXPECT_EQ(size.get(), 32U);
}

TEST(BatchSize, ASlowBatchShrinksTheNextInProportionDownToOneItem) {
  BatchSize size(32, 100, 2ms);
  size.measured(32, 8ms);
  EXPECT_EQ(size.get(), 8U);
  size.measured(1, 1s);
  EXPECT_EQ(size.get(), 1U);
}

TEST(BatchSize, ABatchThatWasCutShortLimitsTheNext) {
  BatchSize size(32, 100, 2ms);
  size.limited_to(5);
  EXPECT_EQ(size.get(), 5U);
  size.limited_to(0);
  EXPECT_EQ(size.get(), 1U);
}

}  // namespace
}  // namespace waybill::worker
