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

}  // namespace
}  // namespace waybill::storage
