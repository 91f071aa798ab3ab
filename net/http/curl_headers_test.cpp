#include "net/http/curl_headers.hpp"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace waybill::net {
namespace {

using ::testing::ElementsAre;

std::vector<std::string> lines_of(CurlHeaders& headers) {
  std::vector<std::string> lines;
  for (const curl_slist* node = headers.list(); node != nullptr; node = node->next)
    lines.emplace_back(node->data);
  return lines;
}

TEST(CurlHeaders, EachFieldIsALineAndExpectIsRemoved) {
  CurlHeaders headers;
  ASSERT_TRUE(headers.build({{"content-type", "text/plain"}, {"webhook-id", "msg_1"}}));
  EXPECT_THAT(lines_of(headers), ElementsAre("content-type: text/plain", "webhook-id: msg_1", "Expect:"));
}

TEST(CurlHeaders, LibcurlsOwnContentTypeIsRemoved) {
  CurlHeaders headers;
  ASSERT_TRUE(headers.build({{"X-A", "1"}}));
  EXPECT_THAT(lines_of(headers), ElementsAre("X-A: 1", "Expect:", "Content-Type:"));
}

TEST(CurlHeaders, AFieldWithoutAValueIsSent) {
  CurlHeaders headers;
  ASSERT_TRUE(headers.build({{"X-A", ""}, {"X-B", " \t"}}));
  EXPECT_THAT(lines_of(headers), ElementsAre("X-A;", "X-B;", "Expect:", "Content-Type:"));
}

TEST(CurlHeaders, AShorterListReplacesALongerOne) {
  CurlHeaders headers;
  ASSERT_TRUE(headers.build({{"X-A", std::string(5000, 'a')}, {"X-B", "b"}, {"X-C", "c"}}));
  ASSERT_TRUE(headers.build({{"X-D", "d"}}));
  EXPECT_THAT(lines_of(headers), ElementsAre("X-D: d", "Expect:", "Content-Type:"));
}

TEST(CurlHeaders, AFieldThatBreaksItsLineIsRefused) {
  CurlHeaders headers;
  for (const std::string& text : {std::string("a\rb"), std::string("a\nb"), std::string("a\0b", 3)}) {
    EXPECT_FALSE(headers.build({{"X-A", text}}));
    EXPECT_FALSE(headers.build({{text, "x"}}));
  }
  EXPECT_FALSE(headers.build({{"X-A:", "x"}}));
  EXPECT_FALSE(headers.build({{"X-A;", "x"}}));
}

}  // namespace
}  // namespace waybill::net
