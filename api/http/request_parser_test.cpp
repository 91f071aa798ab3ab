#include "api/http/request_parser.hpp"

#include <boost/asio/buffer.hpp>
#include <gtest/gtest.h>

namespace waybill::api {
namespace {

using State = HeadScan::State;

TEST(HeadScan, FindsTheEndWhereverTheBytesAreCut) {
  const std::string_view head = "GET / HTTP/1.1\r\nHost: x\r\nA: b\r\n\r\n";
  const std::string text = std::string(head) + "body\n";
  for (std::size_t cut = 0; cut <= text.size(); ++cut) {
    std::size_t from = 0;
    const auto first = scan_head(std::string_view(text).substr(0, cut), from);
    EXPECT_EQ(first.state, cut < head.size() ? State::incomplete : State::complete) << cut;
    const auto second = scan_head(text, from);
    EXPECT_EQ(second.state, State::complete) << cut;
    EXPECT_EQ(second.size, head.size()) << cut;
  }
}

TEST(HeadScan, RefusesBareLineFeedsAndFoldedLines) {
  for (const std::string_view text : {"\n", "GET / HTTP/1.1\n", "GET / HTTP/1.1\r\nA: b\nC: d\r\n\r\n",
                                      "GET / HTTP/1.1\r\n folded", "GET / HTTP/1.1\r\nA: b\r\n\tc\r\n\r\n"}) {
    std::size_t from = 0;
    EXPECT_EQ(scan_head(text, from).state, State::malformed) << text;
  }
}

TEST(RequestParser, KeepsTheFieldsThatTheApiNeeds) {
  const std::string_view head =
      "POST /a?b HTTP/1.1\r\nhost: x\r\nAUTHORIZATION: Bearer t\r\nContent-Type: application/json\r\n"
      "X-request-id: r\r\nIdempotency-Key:   k  \r\nOrigin: o\r\nExpect: 100-continue\r\nContent-Length: "
      "2\r\n\r\n";
  RequestParser parser;
  RequestParser::ErrorCode error;
  EXPECT_EQ(parser.put(boost::asio::buffer(head.data(), head.size()), error), head.size());
  ASSERT_FALSE(error) << error.message();
  const auto& request = parser.request();
  EXPECT_EQ(request.method, "POST");
  EXPECT_EQ(request.target, "/a?b");
  EXPECT_EQ(request.authorization, "Bearer t");
  EXPECT_EQ(request.content_type, "application/json");
  EXPECT_EQ(request.request_id, "r");
  EXPECT_EQ(request.idempotency_key, "k");
  EXPECT_EQ(request.origin, "o");
  EXPECT_TRUE(parser.expects_continue());
  EXPECT_FALSE(parser.is_done());
}

}  // namespace
}  // namespace waybill::api
