#include "base/check.hpp"

#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/observe.hpp"

namespace waybill {
namespace {

using testing::HasSubstr;
using testing::internal::CaptureStderr;
using testing::internal::GetCapturedStderr;

TEST(Check, ARuleThatHoldsIsNotReported) {
  CaptureStderr();
  EXPECT_TRUE(check(true, "one is one"));
  EXPECT_NO_THROW(require(true, "one is one"));
  EXPECT_EQ(GetCapturedStderr(), "");
}

TEST(Check, ABrokenRuleIsLoggedWithItsPlaceAndCounted) {
  CaptureStderr();
  EXPECT_FALSE(check(false, "one is two"));
  const std::string log = GetCapturedStderr();
  EXPECT_THAT(log, HasSubstr("ERROR process.rule_broken"));
  EXPECT_THAT(log, HasSubstr("one is two"));
  EXPECT_THAT(log, HasSubstr("check_test.cpp:"));
  EXPECT_THAT(metrics_text(), HasSubstr("waybill_broken_rules_total"));
}

TEST(Check, ABrokenRequirementEndsTheOperation) {
  CaptureStderr();
  EXPECT_THROW(require(false, "one is two"), BrokenRule);
  EXPECT_THAT(GetCapturedStderr(), HasSubstr("one is two"));
}

}  // namespace
}  // namespace waybill
