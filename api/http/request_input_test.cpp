#include "api/http/request_input.hpp"

#include <algorithm>
#include <string>

#include <boost/asio/buffer.hpp>
#include <gtest/gtest.h>

namespace waybill::api {
namespace {

using Head = RequestInput::Head;

const std::string get = "GET /a HTTP/1.1\r\nHost: x\r\n\r\n";
const std::string post = "POST /b HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\n";
const std::string chunked = "POST /c HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n";

void receive(boost::beast::flat_buffer& buffer, std::string_view bytes) {
  buffer.commit(asio::buffer_copy(buffer.prepare(bytes.size()), asio::buffer(bytes.data(), bytes.size())));
}

/// An input whose head has arrived and is parsed.
struct Parsed {
  explicit Parsed(const std::string& head, std::string_view after = "") {
    receive(input.head_buffer(), head + std::string(after));
    EXPECT_EQ(input.find_head(), Head::complete);
    EXPECT_TRUE(input.parse_head());
  }
  RequestInput input{1'000};
};

TEST(RequestInput, FindsAHeadThatArrivesInPartsAfterEmptyLines) {
  RequestInput input(1'000);
  EXPECT_TRUE(input.empty());
  EXPECT_EQ(input.find_head(), Head::incomplete);
  receive(input.head_buffer(), "\r\n\r\n" + get.substr(0, 10));
  EXPECT_EQ(input.find_head(), Head::incomplete);
  EXPECT_FALSE(input.empty());
  receive(input.head_buffer(), get.substr(10));
  EXPECT_EQ(input.find_head(), Head::complete);
  EXPECT_EQ(input.head(), get);
  EXPECT_FALSE(input.has_more_than_head());
  EXPECT_TRUE(input.parse_head());
  EXPECT_EQ(input.parser().request().target, "/a");
  EXPECT_TRUE(input.body_is_complete());
}

TEST(RequestInput, RefusesAHeadBeyondTheLimit) {
  RequestInput exact(get.size());
  receive(exact.head_buffer(), get);
  EXPECT_EQ(exact.find_head(), Head::complete);
  RequestInput longer(get.size() - 1);
  receive(longer.head_buffer(), get);
  EXPECT_EQ(longer.find_head(), Head::refused);
  RequestInput endless(10);
  receive(endless.head_buffer(), get.substr(0, 9));
  EXPECT_EQ(endless.find_head(), Head::incomplete);
  receive(endless.head_buffer(), get.substr(9, 1));
  EXPECT_EQ(endless.find_head(), Head::refused);
}

TEST(RequestInput, RefusesAMalformedHead) {
  RequestInput input(1'000);
  receive(input.head_buffer(), "GET / HTTP/1.1\n");
  EXPECT_EQ(input.find_head(), Head::refused);
  RequestInput wrong(1'000);
  receive(wrong.head_buffer(), "GET / HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n");
  ASSERT_EQ(wrong.find_head(), Head::complete);
  EXPECT_FALSE(wrong.parse_head());
}

TEST(RequestInput, ABodyThatArrivesWithTheHeadIsFollowedByTheNextRequest) {
  Parsed it(post, "hello" + get);
  std::string body;
  it.input.parser().keep_body(&body, 100);
  EXPECT_TRUE(it.input.has_more_than_head());
  EXPECT_FALSE(it.input.parse_received_body());
  EXPECT_TRUE(it.input.body_is_complete());
  EXPECT_EQ(body, "hello");
  it.input.go_on();
  EXPECT_EQ(it.input.find_head(), Head::complete);
  EXPECT_EQ(it.input.head(), get);
}

TEST(RequestInput, TheHeadStaysInPlaceWhileTheBodyArrives) {
  Parsed it(post, "he");
  const std::string_view head = it.input.head();
  std::string body;
  it.input.parser().keep_body(&body, 100);
  EXPECT_TRUE(it.input.parse_received_body());
  receive(it.input.body_buffer(), "l");
  EXPECT_TRUE(it.input.parse_more_body());
  receive(it.input.body_buffer(), "lo" + get.substr(0, 10));
  EXPECT_FALSE(it.input.parse_more_body());
  EXPECT_TRUE(it.input.body_is_complete());
  EXPECT_EQ(body, "hello");
  EXPECT_EQ(head.data(), it.input.head().data());
  EXPECT_EQ(head, post);
  it.input.go_on();
  EXPECT_EQ(it.input.body_buffer().size(), 0U);
  receive(it.input.head_buffer(), get.substr(10));
  EXPECT_EQ(it.input.find_head(), Head::complete);
  EXPECT_EQ(it.input.head(), get);
}

TEST(RequestInput, AMalformedBodyIsNeverComplete) {
  Parsed at_once(chunked, "no size\r\n");
  EXPECT_FALSE(at_once.input.parse_received_body());
  EXPECT_FALSE(at_once.input.body_is_complete());
  Parsed later(chunked);
  EXPECT_TRUE(later.input.parse_received_body());
  receive(later.input.body_buffer(), "no size\r\n");
  EXPECT_FALSE(later.input.parse_more_body());
  EXPECT_FALSE(later.input.body_is_complete());
}

TEST(RequestInput, ALineBetweenChunksHasALimit) {
  Parsed it(chunked);
  EXPECT_TRUE(it.input.parse_received_body());
  receive(it.input.body_buffer(), "1;" + std::string(RequestInput::body_read_size - 3, 'a'));
  EXPECT_TRUE(it.input.parse_more_body());
  receive(it.input.body_buffer(), "a");
  EXPECT_FALSE(it.input.parse_more_body());
  EXPECT_FALSE(it.input.body_is_complete());
}

TEST(RequestInput, CountsTheBytesOfABodyWithoutItsChunksInPartsOfAnySize) {
  const std::string parts = "2;name=value\r\nhe\r\n0003\r\nllo\r\n0\r\nA: trailer\r\n\r\n";
  for (std::size_t size = 1; size <= parts.size() + get.size(); ++size) {
    Parsed it(chunked);
    std::string body;
    it.input.parser().keep_body(&body, 100);
    EXPECT_TRUE(it.input.parse_received_body());
    std::size_t arrived = 0;
    for (std::string left = parts + get; !it.input.body_is_complete(); left.erase(0, size)) {
      ASSERT_FALSE(left.empty());
      receive(it.input.body_buffer(), left.substr(0, size));
      arrived += std::min(size, left.size());
      it.input.parse_more_body();
      EXPECT_EQ(it.input.parser().body_bytes(), body.size());
    }
    EXPECT_EQ(body, "hello");
    EXPECT_EQ(arrived - it.input.body_buffer().size(), parts.size()) << "the next request is not of the body";
  }
}

TEST(RequestInput, DropsWhatArrivesAfterTheLastRequest) {
  Parsed it(post, "he");
  it.input.drop();
  EXPECT_TRUE(it.input.empty());
  EXPECT_FALSE(it.input.has_more_than_head());
}

}  // namespace
}  // namespace waybill::api
