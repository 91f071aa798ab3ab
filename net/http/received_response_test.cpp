#include "net/http/received_response.hpp"

#include <string>

#include <gtest/gtest.h>

namespace waybill::net {
namespace {

ReceivedResponse begun(std::size_t read_limit = 100, std::size_t keep_limit = 10) {
  ReceivedResponse received;
  received.begin(read_limit, keep_limit);
  return received;
}

TEST(ReceivedResponse, NamesAreInLowerCaseAndValuesTrimmed) {
  ReceivedResponse received = begun();
  EXPECT_FALSE(received.has_begun());
  EXPECT_TRUE(received.add_line("HTTP/1.1 200 OK\r\n"));
  EXPECT_TRUE(received.has_begun());
  EXPECT_TRUE(received.add_line("X-Answer:  Yes \r\n"));
  EXPECT_TRUE(received.add_line("\r\n"));
  const HttpResponse response = received.take();
  ASSERT_EQ(response.headers.size(), 1U);
  EXPECT_EQ(response.header("x-answer"), "Yes");
}

TEST(ReceivedResponse, AStatusLineRemovesTheHeadersOfAnInterimAnswer) {
  ReceivedResponse received = begun();
  for (const char* const line :
       {"HTTP/1.1 103 Early Hints\r\n", "X-Early: 1\r\n", "\r\n", "HTTP/1.1 200 OK\r\n", "X-Final: 1\r\n"})
    EXPECT_TRUE(received.add_line(line));
  const HttpResponse response = received.take();
  EXPECT_EQ(response.header("x-early"), std::nullopt);
  EXPECT_EQ(response.header("x-final"), "1");
}

TEST(ReceivedResponse, TrailersAreNotHeaders) {
  ReceivedResponse received = begun();
  EXPECT_TRUE(received.add_line("HTTP/1.1 200 OK\r\n"));
  EXPECT_TRUE(received.add_body("ok"));
  EXPECT_TRUE(received.add_line("X-Late: 1\r\n"));
  const HttpResponse response = received.take();
  EXPECT_EQ(response.body, "ok");
  EXPECT_TRUE(response.headers.empty());
}

TEST(ReceivedResponse, HeadersOfMoreThan64KiBEndTheTransfer) {
  ReceivedResponse received = begun();
  EXPECT_TRUE(received.add_line("X-A: " + std::string(64UL * 1024 - 5, 'a')));
  EXPECT_FALSE(received.headers_are_too_large());
  EXPECT_FALSE(received.add_line("b"));
  EXPECT_TRUE(received.headers_are_too_large());
}

TEST(ReceivedResponse, ABodyOfTheReadLimitIsWholeAndALongerOneIsCut) {
  ReceivedResponse received = begun(100, 200);
  EXPECT_TRUE(received.add_body(std::string(60, 'a')));
  EXPECT_TRUE(received.add_body(std::string(40, 'b')));
  EXPECT_FALSE(received.body_is_cut());
  EXPECT_FALSE(received.add_body("c"));
  EXPECT_TRUE(received.body_is_cut());
  EXPECT_EQ(received.take().body, std::string(60, 'a') + std::string(40, 'b'));
}

TEST(ReceivedResponse, TheBodyIsKeptUpToTheKeepLimit) {
  ReceivedResponse received = begun();
  EXPECT_TRUE(received.add_body("12345678"));
  EXPECT_TRUE(received.add_body("90abc"));
  EXPECT_TRUE(received.add_body("def"));
  EXPECT_EQ(received.take().body, "1234567890");
}

TEST(ReceivedResponse, TheNextAnswerHasNothingOfThePreviousOne) {
  ReceivedResponse received = begun(4, 4);
  EXPECT_TRUE(received.add_line("X-A: 1\r\n"));
  EXPECT_FALSE(received.add_body("12345"));
  received.begin(4, 4);
  EXPECT_FALSE(received.has_begun());
  EXPECT_FALSE(received.body_is_cut());
  EXPECT_TRUE(received.add_line("X-B: 1\r\n"));
  EXPECT_TRUE(received.add_body("abcd"));
  const HttpResponse response = received.take();
  EXPECT_EQ(response.header("x-a"), std::nullopt);
  EXPECT_EQ(response.header("x-b"), "1");
  EXPECT_EQ(response.body, "abcd");
}

TEST(ReceivedResponse, KeepsTheFieldsOfTheLastHeadOnly) {
  ReceivedResponse received;
  received.begin(100, 100);
  received.begin_head();
  EXPECT_TRUE(received.add_header("link", "early"));
  received.begin_head();
  EXPECT_TRUE(received.add_header("x-a", " 1 "));
  received.end_head();
  EXPECT_TRUE(received.add_header("x-late", "trailer"));
  EXPECT_EQ(received.take().headers, (std::vector<std::pair<std::string, std::string>>{{"x-a", "1"}}));
}

TEST(ReceivedResponse, CountsTheFieldsOfAllHeadsAndTrailers) {
  const std::string value(20'000, 'x');
  for (const bool is_trailer : {false, true}) {
    ReceivedResponse received;
    received.begin(100, 100);
    received.begin_head();
    if (is_trailer) received.end_head();
    for (int i = 0; i < 3; ++i) {
      EXPECT_TRUE(received.add_header("x-a", value));
      if (!is_trailer) received.begin_head();
    }
    EXPECT_FALSE(received.add_header("x-a", value));
    EXPECT_TRUE(received.headers_are_too_large());
  }
}

}  // namespace
}  // namespace waybill::net
