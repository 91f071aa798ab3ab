#include "storage/events/outbox.hpp"

#include <gtest/gtest.h>

namespace waybill::storage {
namespace {

TEST(CauseDepth, IsTheNumberOfWorkflowChangesAndZeroForMalformedCauses) {
  EXPECT_EQ(cause_depth(std::nullopt), 0);
  EXPECT_EQ(cause_depth(R"({"by": {"type": "workflow"}, "depth": 3})"), 3);
  EXPECT_EQ(cause_depth(R"({"by": {"type": "user"}})"), 0);
  for (const char* odd : {"", "null", "[]", "\"x\"", R"({"depth": "4"})", R"({"depth": -1})",
                          R"({"depth": 1.5})", R"({"depth": {}})", "{", R"({"depth": null})"}) {
    EXPECT_EQ(cause_depth(odd), 0) << odd;
  }
  EXPECT_GT(cause_depth(R"({"depth": 9000000000})"), 8);
}

TEST(Cause, NamesTheRunThatMadeTheChange) {
  const std::string run = "018f0000-0000-7000-8000-0000000000ff";
  EXPECT_EQ(causing_run(R"({"run": ")" + run + R"("})"), Guid::parse(run));
  for (const char* odd : {"", "null", "[]", R"({"run": "x"})", R"({"run": 1})", R"({"depth": 1})"})
    EXPECT_FALSE(causing_run(odd)) << odd;
  EXPECT_FALSE(causing_run(std::nullopt));
}

}  // namespace
}  // namespace waybill::storage
