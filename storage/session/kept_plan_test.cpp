#include "storage/session/kept_plan.hpp"

#include <gtest/gtest.h>

namespace waybill::storage {
namespace {

using namespace std::chrono_literals;

constexpr KeptPlan::Moment made{1h};
constexpr KeptPlan::Moment when_old = made + longest_plan_age + 1ns;

TEST(KeptPlan, IsMadeAgainWhenItIsOldAndItsCallsTookLong) {
  const KeptPlan plan{.made = made, .used = longest_plan_use + 1ns};
  EXPECT_FALSE(plan.must_be_made_again(made + longest_plan_age));
  EXPECT_TRUE(plan.must_be_made_again(when_old));
}

TEST(KeptPlan, IsKeptAtAnyAgeWhileItsCallsAreFewAndQuick) {
  const KeptPlan plan{.made = made, .used = longest_plan_use};
  EXPECT_FALSE(plan.must_be_made_again(when_old));
  EXPECT_FALSE(plan.must_be_made_again(made + 24h));
}

}  // namespace
}  // namespace waybill::storage
