#include "net/http/http2_session.hpp"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

namespace waybill::net {
namespace {

using namespace std::string_literals;

// RFC 9113 section 6
constexpr char data_type = 0, headers_type = 1, priority_type = 2, settings_type = 4, ping_type = 6,
               window_update_type = 8, unknown_type = 0x7a;
constexpr char end_stream = 1, end_headers = 4, padded = 8;

const std::string status_200 = "\x88";
const std::string status_103 = "\x08\x03" + "103"s;

std::string frame(char type, char flags, char stream, const std::string& payload) {
  const std::string length{0, static_cast<char>(payload.size() >> 8U), static_cast<char>(payload.size())};
  return length + type + flags + std::string{0, 0, 0, stream} + payload;
}

/// A connection on which one request is sent, with the stream 1.
class Http2SessionTest : public testing::Test {
 protected:
  Http2SessionTest() {
    send(exchange_);
    EXPECT_TRUE(take(frame(settings_type, 0, 0, "")));
  }

  void send(Http2Session::Exchange& exchange) {
    static const auto target = std::make_shared<Http1Target>(
        Http1Target{.authority = "a:443", .host = "a", .name = "a", .target = "/", .is_secure = true});
    exchange.target = target;
    exchange.request.body = "{}";
    exchange.request.read_limit = exchange.request.keep_limit = 100'000;
    EXPECT_EQ(session_.send(exchange), Http2Session::Begun::yes);
  }
  /// Takes bytes in pieces of seven, and writes what the session answers.
  bool take(std::string_view bytes) {
    constexpr std::size_t piece = 7;
    for (; !bytes.empty(); bytes.remove_prefix(std::min(piece, bytes.size()))) {
      if (!session_.take(bytes.substr(0, piece))) return false;
      std::string out;
      session_.write(out, SIZE_MAX);
    }
    return true;
  }
  /// The number of frames that are taken before one is refused, or `most`.
  int taken(const std::string& frame, int most) {
    for (int i = 0; i < most; ++i) {
      if (!take(frame)) return i;
    }
    return most;
  }
  void answer() { EXPECT_TRUE(take(frame(headers_type, end_headers, 1, status_200))); }
  void end_answer() { EXPECT_TRUE(take(frame(data_type, end_stream, 1, "x"))); }

  Http2Session session_{"test"};
  Http2Session::Exchange exchange_;
};

TEST_F(Http2SessionTest, InterimHeadsCountToTheHeadersOfAnAnswer) {
  int heads = 0;
  for (; !session_.has_ended() && heads < 10'000; ++heads)
    ASSERT_TRUE(take(frame(headers_type, end_headers, 1, status_103)));
  const auto ended = session_.take_ended();
  ASSERT_EQ(ended.size(), 1U) << heads;
  EXPECT_EQ(ended.front().end, Http2Session::End::too_large);
  EXPECT_GT(heads, 1'000);
}

TEST_F(Http2SessionTest, AFewInterimHeadsPrecedeAnAnswer) {
  EXPECT_EQ(taken(frame(headers_type, end_headers, 1, status_103), 100), 100);
  answer();
  end_answer();
  ASSERT_TRUE(session_.has_ended());
  EXPECT_EQ(session_.take_ended().front().end, Http2Session::End::answered);
  EXPECT_EQ(exchange_.status, 200);
}

TEST_F(Http2SessionTest, AnAnswerInPiecesOfOneByteIsRead) {
  answer();
  EXPECT_EQ(taken(frame(data_type, 0, 1, "x"), 20'000), 20'000);
  end_answer();
  EXPECT_EQ(exchange_.received.take().body.size(), 20'001U);
}

TEST_F(Http2SessionTest, ACancelledAnswerMayComeWhole) {
  answer();
  session_.cancel(exchange_);
  Http2Session::Exchange second;
  send(second);
  EXPECT_EQ(taken(frame(data_type, 0, 1, std::string(16'384, 'x')), 256), 256);
  session_.cancel(second);
}

constexpr int frames_in_window = 4'096;  // of 1 KiB

TEST_F(Http2SessionTest, ACancelledAnswerInSmallFramesMayComeWholeToAnIdleConnection) {
  answer();
  session_.cancel(exchange_);
  EXPECT_EQ(taken(frame(data_type, 0, 1, std::string(1'024, 'x')), frames_in_window), frames_in_window);
}

TEST_F(Http2SessionTest, ACancelledAnswerInSmallFramesMayComeWholeDuringAnotherRequest) {
  answer();
  Http2Session::Exchange second;
  send(second);
  session_.cancel(exchange_);
  EXPECT_EQ(taken(frame(data_type, 0, 1, std::string(1'024, 'x')), frames_in_window), frames_in_window);
  session_.cancel(second);
}

/// Frames that bring nothing.
class Floods : public Http2SessionTest, public testing::WithParamInterface<std::string> {};

TEST_P(Floods, EndAConnectionWithARequest) {
  answer();
  EXPECT_LT(taken(GetParam(), 2'000), 2'000);
  EXPECT_TRUE(session_.is_flooded());
  std::string goodbye;
  session_.write(goodbye, SIZE_MAX);
  EXPECT_FALSE(goodbye.empty()) << "GOAWAY says why";
  session_.cancel(exchange_);
}

TEST_P(Floods, EndAnIdleConnection) {
  answer();
  end_answer();
  EXPECT_EQ(session_.open_exchanges(), 0U);
  EXPECT_GE(taken(GetParam(), 500), 500) << "a server keeps its connection alive";
  EXPECT_LT(taken(GetParam(), 1'000), 1'000);
  EXPECT_TRUE(session_.is_flooded());
}

TEST_P(Floods, DoNotEndAConnectionWhoseRequestsTheyAccompany) {
  answer();
  end_answer();
  for (int i = 0; i < 100; ++i) {
    Http2Session::Exchange next;
    send(next);
    EXPECT_EQ(taken(GetParam(), 50), 50);
    session_.cancel(next);
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, Floods,
    testing::Values(frame(data_type, 0, 1, ""), frame(data_type, padded, 1, "\x04"s + std::string(4, '\0')),
                    frame(priority_type, 0, 3, "\0\0\0\0\x10"s), frame(unknown_type, 0, 0, "nothing"),
                    frame(ping_type, 0, 0, "pingpong"), frame(window_update_type, 0, 0, "\0\0\0\x01"s),
                    frame(settings_type, 0, 0, "")));

}  // namespace
}  // namespace waybill::net
