#include "api/gate/errors.hpp"

#include <gmock/gmock.h>

#include "storage/statement/errors.hpp"

namespace waybill::api {
namespace {

using testing::HasSubstr;

ErrorAnswer answer_to(const std::string& sqlstate, const std::string& constraint = "") {
  const storage::StatementError error("refused", sqlstate, constraint);
  return error_answer(std::make_exception_ptr(error), "018f");
}

TEST(ErrorAnswerTest, AConflictOfLocksIs503AndSaysThatTheRequestCanBeSentAgain) {
  for (const char* const sqlstate : {"40P01", "40001", "55P03"}) {
    const ErrorAnswer answer = answer_to(sqlstate);
    EXPECT_EQ(answer.status, 503);
    EXPECT_THAT(answer.body, HasSubstr("; try again."));
    EXPECT_EQ(answer.retry_after, std::chrono::seconds(1));
    EXPECT_THAT(answer.fault, HasSubstr(sqlstate));
  }
}

TEST(ErrorAnswerTest, AnOverloadedOrEndingServerIs503) {
  for (const char* const sqlstate : {"53300", "57P01", "08006"}) {
    const ErrorAnswer answer = answer_to(sqlstate);
    EXPECT_EQ(answer.status, 503);
    EXPECT_THAT(answer.body, HasSubstr("cannot reach its database"));
  }
}

TEST(ErrorAnswerTest, AFullDiskIs503AndSaysThatNothingCanBeStored) {
  const ErrorAnswer answer = answer_to("53100");
  EXPECT_EQ(answer.status, 503);
  EXPECT_THAT(answer.body, HasSubstr("no room left to store anything"));
  EXPECT_EQ(answer.retry_after, std::chrono::seconds(1));
  EXPECT_THAT(answer.fault, HasSubstr("53100"));
  EXPECT_TRUE(answer.is_disk_full);
  EXPECT_FALSE(answer_to("53200").is_disk_full) << "a lack of memory";
}

TEST(ErrorAnswerTest, TheReasonOfA503IsAFaultForTheOperator) {
  const Failure failure(ErrorCode::unavailable, "No worker is running.");
  EXPECT_EQ(error_answer(std::make_exception_ptr(failure), "018f").fault, "No worker is running.");
}

TEST(ErrorAnswerTest, AViolatedUniqueConstraintIs409WithItsMessage) {
  const ErrorAnswer answer = answer_to("23505", "orders_number_unique");
  EXPECT_EQ(answer.status, 409);
  EXPECT_THAT(answer.body, HasSubstr("An order with this number already exists."));
  EXPECT_EQ(answer.fault, "");
}

TEST(ErrorAnswerTest, AnUnexpectedErrorIs500AndTellsOnlyTheOperatorItsText) {
  const ErrorAnswer answer = answer_to("42P01");
  EXPECT_EQ(answer.status, 500);
  EXPECT_THAT(answer.body, HasSubstr("request 018f"));
  EXPECT_THAT(answer.body, testing::Not(HasSubstr("refused")));
  EXPECT_THAT(answer.fault, HasSubstr("refused"));
}

}  // namespace
}  // namespace waybill::api
