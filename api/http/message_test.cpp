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

TEST(Vary, IsOneFieldWithTheNamesInTheirOrder) {
  Response response;
  response.add_header("X-Vary", "1");
  response.add_vary("Origin");
  response.add_header("ETag", "W/\"a\"");
  response.add_vary("Accept-Encoding");
  response.add_vary("Authorization, Cookie");
  EXPECT_EQ(response.headers,
            "X-Vary: 1\r\nVary: Origin, Accept-Encoding, Authorization, Cookie\r\nETag: W/\"a\"\r\n");
  Response first;
  first.add_vary("Origin");
  first.add_vary("Accept-Encoding");
  EXPECT_EQ(first.headers, "Vary: Origin, Accept-Encoding\r\n");
}

}  // namespace
}  // namespace waybill::api
