#include "api/http/message.hpp"

#include <gtest/gtest.h>

namespace waybill::api {
namespace {

constexpr std::string_view head =
    "POST /x?A: b HTTP/1.1\r\nHost: a\r\nX-Signature:\t abc= \r\nx-empty:\r\nX-SIGNATURE: later\r\n\r\n";

TEST(FindField, IsFoundInAnyCaseAndTheFirstCounts) {
  EXPECT_EQ(find_field(head, "host"), "a");
  EXPECT_EQ(find_field(head, "x-signature"), "abc=");
}

TEST(FindField, ReturnsAnEmptyValueAndNothingForAMissingField) {
  EXPECT_EQ(find_field(head, "x-empty"), "");
  EXPECT_EQ(find_field(head, "x-sign"), std::nullopt);
  EXPECT_EQ(find_field(head, "post /x?a"), std::nullopt) << "the request line is no field";
  EXPECT_EQ(find_field("", "host"), std::nullopt);
}

}  // namespace
}  // namespace waybill::api
