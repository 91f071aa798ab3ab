#include "net/http/response_parser.hpp"

#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace waybill::net {
namespace {

using State = ResponseParser::State;

struct Parsed {
  State state = State::incomplete;
  int status = 0;
  std::string body;
  bool keeps_connection = false;
  HttpResponse response;

  bool operator==(const Parsed& other) const {
    return state == other.state && status == other.status && body == other.body &&
           keeps_connection == other.keeps_connection && response.headers == other.response.headers;
  }
};

/// Parses bytes that arrive in pieces, and the end of the connection after them.
Parsed parse(std::string_view bytes, std::size_t piece = SIZE_MAX, bool answers_head = false,
             std::size_t read_limit = 1000) {
  ReceivedResponse received;
  received.begin(read_limit, read_limit);
  ResponseParser parser;
  parser.begin(received, answers_head);
  Parsed parsed;
  while (!bytes.empty() && parsed.state == State::incomplete) {
    // A copy, so that a look beyond the piece is an error for the sanitizer.
    const std::string part(bytes.substr(0, piece));
    bytes.remove_prefix(part.size());
    parsed.state = parser.take(part);
  }
  if (parsed.state == State::incomplete) parsed.state = parser.end();
  parsed.status = parser.status();
  parsed.keeps_connection = parser.keeps_connection();
  parsed.response = received.take();
  parsed.body = parsed.response.body;
  return parsed;
}

std::string answer(std::string_view headers, std::string_view body = "") {
  return "HTTP/1.1 200 OK\r\n" + std::string(headers) + "\r\n" + std::string(body);
}

TEST(ResponseParser, TheAnswerIsTheSameHoweverItsBytesArrive) {
  const std::vector<std::string> answers = {
      answer("Content-Length: 5\r\nX-A: b\r\n", "hello"),
      answer("Transfer-Encoding: chunked\r\n", "4;a=b\r\nwiki\r\nA\r\n0123456789\r\n0\r\nX-Late: 1\r\n\r\n"),
      answer("X-A: b\r\n", "until the end"),
      "HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n" + answer("Content-Length: 2\r\n", "ok"),
      "HTTP/1.1 204\nX-A: b\n\n",
      "nonsense\r\n\r\n",
  };
  for (const std::string& bytes : answers) {
    const Parsed whole = parse(bytes);
    for (std::size_t piece = 1; piece < bytes.size(); ++piece) EXPECT_EQ(parse(bytes, piece), whole) << bytes;
  }
}

TEST(ResponseParser, ALengthEndsTheBody) {
  const Parsed parsed = parse(answer("Content-Length: 5\r\nX-Answer:  Yes \r\n", "hello"));
  EXPECT_EQ(parsed.state, State::complete);
  EXPECT_EQ(parsed.status, 200);
  EXPECT_EQ(parsed.body, "hello");
  EXPECT_TRUE(parsed.keeps_connection);
  EXPECT_EQ(parsed.response.header("x-answer"), "Yes");
}

TEST(ResponseParser, ChunksAreJoinedAndTrailersAreNoHeaders) {
  const Parsed parsed = parse(
      answer("Transfer-Encoding: chunked\r\n", "4;a=b\r\nwiki\r\nA\r\n0123456789\r\n0\r\nX-Late: 1\r\n\r\n"));
  EXPECT_EQ(parsed.state, State::complete);
  EXPECT_EQ(parsed.body, "wiki0123456789");
  EXPECT_TRUE(parsed.keeps_connection);
  EXPECT_EQ(parsed.response.header("x-late"), std::nullopt);
}

TEST(ResponseParser, AnAnswerWithoutLengthEndsWithTheConnection) {
  for (const char* const header : {"", "Transfer-Encoding: gzip\r\n"}) {
    const Parsed parsed = parse(answer(header, "some text"));
    EXPECT_EQ(parsed.state, State::complete);
    EXPECT_EQ(parsed.body, "some text");
    EXPECT_FALSE(parsed.keeps_connection);
  }
}

TEST(ResponseParser, SomeAnswersHaveNoBodyWhateverTheirHeadersSay) {
  for (const char* const status : {"204 No Content", "304 Not Modified"}) {
    const Parsed parsed = parse("HTTP/1.1 " + std::string(status) + "\r\nContent-Length: 10\r\n\r\n");
    EXPECT_EQ(parsed.state, State::complete) << status;
    EXPECT_TRUE(parsed.keeps_connection);
  }
  const Parsed head = parse(answer("Content-Length: 10\r\n"), SIZE_MAX, true);
  EXPECT_EQ(head.state, State::complete);
  EXPECT_TRUE(head.keeps_connection);
}

TEST(ResponseParser, InterimAnswersAreSkipped) {
  const Parsed parsed = parse("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nX-Early: 1\r\n\r\n" +
                              answer("Content-Length: 2\r\nX-Final: 1\r\n", "ok"));
  EXPECT_EQ(parsed.status, 200);
  EXPECT_EQ(parsed.body, "ok");
  EXPECT_EQ(parsed.response.header("x-early"), std::nullopt);
  EXPECT_EQ(parsed.response.header("x-final"), "1");
}

TEST(ResponseParser, TheConnectionIsKeptAsVersionAndHeadersSay) {
  const auto keeps = [](const std::string& version, const std::string& header) {
    return parse("HTTP/" + version + " 200 OK\r\nContent-Length: 0\r\n" + header + "\r\n").keeps_connection;
  };
  EXPECT_TRUE(keeps("1.1", ""));
  EXPECT_FALSE(keeps("1.1", "Connection: Close\r\n"));
  EXPECT_FALSE(keeps("1.1", "Connection: upgrade, close\r\n"));
  EXPECT_FALSE(keeps("1.0", ""));
  EXPECT_TRUE(keeps("1.0", "Connection: keep-alive\r\n"));
}

// Otherwise a server could answer the next request before it is sent.
TEST(ResponseParser, AConnectionWithBytesAfterTheAnswerIsNotKept) {
  const Parsed parsed = parse(answer("Content-Length: 2\r\n", "ok" + answer("Content-Length: 0\r\n")));
  EXPECT_EQ(parsed.state, State::complete);
  EXPECT_EQ(parsed.body, "ok");
  EXPECT_FALSE(parsed.keeps_connection);
}

// RFC 9112 section 6.3: the coding overrides the length, and the connection must be closed.
TEST(ResponseParser, ChunksOverrideALength) {
  const Parsed parsed =
      parse(answer("Content-Length: 100\r\nTransfer-Encoding: chunked\r\n", "2\r\nok\r\n0\r\n\r\n"));
  EXPECT_EQ(parsed.state, State::complete);
  EXPECT_EQ(parsed.body, "ok");
  EXPECT_FALSE(parsed.keeps_connection);
}

TEST(ResponseParser, ABodyIsCutAfterItsLimit) {
  for (const std::string& bytes :
       {answer("Content-Length: 11\r\n", "01234567890"), answer("", "01234567890"),
        answer("Transfer-Encoding: chunked\r\n", "b\r\n01234567890\r\n0\r\n\r\n")}) {
    const Parsed parsed = parse(bytes, SIZE_MAX, false, 10);
    EXPECT_EQ(parsed.state, State::cut);
    EXPECT_EQ(parsed.body, "0123456789");
    EXPECT_FALSE(parsed.keeps_connection);
  }
  EXPECT_EQ(parse(answer("Content-Length: 10\r\n", "0123456789"), SIZE_MAX, false, 10).state,
            State::complete);
}

TEST(ResponseParser, AnAnswerThatBreaksTheRulesIsMalformed) {
  const std::vector<std::string> answers = {
      "",
      "GARBAGE\r\n\r\n",
      "HTTP/2 200\r\n\r\n",
      "HTTP/1.1 2x0 OK\r\n\r\n",
      "HTTP/1.1 099 Low\r\n\r\n",
      "HTTP/1.1 2000 OK\r\n\r\n",
      "HTTP/1.1 101 Switching Protocols\r\n\r\n",
      "HTTP/1.1 200 OK\r\nContent-Le",
      answer("Content-Length: 10\r\n", "abc"),
      answer("Content-Length: -1\r\n"),
      answer("Content-Length: 1 1\r\n"),
      answer("Content-Length: 99999999999999999999\r\n"),
      answer("Content-Length: 1\r\nContent-Length: 2\r\n", "ab"),
      answer("Transfer-Encoding: chunked\r\n", "x\r\n"),
      answer("Transfer-Encoding: chunked\r\n", "\r\n"),
      answer("Transfer-Encoding: chunked\r\n", "2 3\r\nok\r\n"),
      answer("Transfer-Encoding: chunked\r\n", "2\r\nok1\r\n0\r\n\r\n"),
      answer("Transfer-Encoding: chunked\r\n", "1000000000000000\r\nok"),
      answer("Transfer-Encoding: chunked\r\n", "2\r\nok\r\n"),
      answer("Transfer-Encoding: chunked\r\n", "0\r\n"),
  };
  for (const std::string& bytes : answers) EXPECT_EQ(parse(bytes).state, State::malformed) << bytes;
}

TEST(ResponseParser, HeadersAndTrailersOfMoreThan64KiBAreMalformed) {
  constexpr std::size_t limit = 64UL * 1024;
  const std::string line = "X-A: " + std::string(1000, 'z') + "\r\n";
  const auto lines = [&](std::size_t bytes) {
    std::string text;
    while (text.size() + line.size() <= bytes) text += line;
    return text;
  };
  EXPECT_EQ(parse(answer("Content-Length: 0\r\n" + lines(limit - 100))).state, State::complete);
  EXPECT_EQ(parse(answer("Content-Length: 0\r\n" + lines(limit + 2000))).state, State::malformed);
  EXPECT_EQ(parse("HTTP/1.1 200 " + std::string(limit + 1, 'z'), 4096).state, State::malformed);
  const auto trailers = [&](std::size_t bytes) {
    return parse(answer("Transfer-Encoding: chunked\r\n", "0\r\n" + lines(bytes) + "\r\n")).state;
  };
  EXPECT_EQ(trailers(limit - 100), State::complete);
  EXPECT_EQ(trailers(limit + 2000), State::malformed);
}

TEST(ResponseParser, OneParserReadsOneAnswerAfterAnother) {
  ReceivedResponse received;
  ResponseParser parser;
  for (const auto& [bytes, state] :
       {std::pair{answer("Transfer-Encoding: chunked\r\n", "2\r\nok\r\n0\r\n\r\n"), State::complete},
        std::pair{std::string("HTTP/1.1 2"), State::incomplete},
        std::pair{std::string("bad\n"), State::malformed},
        std::pair{answer("Content-Length: 2\r\n", "ok"), State::complete}}) {
    received.begin(100, 100);
    parser.begin(received, false);
    EXPECT_EQ(parser.take(bytes), state) << bytes;
  }
  EXPECT_EQ(received.take().body, "ok");
}

}  // namespace
}  // namespace waybill::net
