#include "api/gate/answer_bytes.hpp"

#include <gtest/gtest.h>

namespace waybill::api {
namespace {

TEST(AnswerBytes, ABusinessHoldsAtMostItsShareAndOthersTheirs) {
  AnswerBytes answers(100);
  const Guid one = Guid::random(), other = Guid::random();
  auto first = answers.take(one, 60);
  EXPECT_TRUE(first);
  EXPECT_FALSE(answers.take(one, 41));
  EXPECT_TRUE(answers.take(one, 40)) << "released at once";
  EXPECT_TRUE(answers.take(other, 100));
  auto copy = first;
  first.reset();
  EXPECT_FALSE(answers.take(one, 41));
  copy.reset();
  EXPECT_TRUE(answers.take(one, 41));
}

TEST(AnswerBytes, TheOnlyAnswerMayHaveAnySize) {
  AnswerBytes answers(100);
  const Guid business = Guid::random();
  const auto large = answers.take(business, 1'000);
  EXPECT_TRUE(large);
  EXPECT_FALSE(answers.take(business, 1));
}

}  // namespace
}  // namespace waybill::api
