#include "net/http/http1_target.hpp"

#include <string>

#include <gtest/gtest.h>

namespace waybill::net {
namespace {

TEST(Http1Targets, AnHttpUrlIsSplit) {
  Http1Targets targets;
  const auto target = targets.find("http://Example.com:8080/a/b?c=d&e#f");
  ASSERT_NE(target, nullptr);
  EXPECT_EQ(target->authority, "example.com:8080");
  EXPECT_EQ(target->host, "Example.com:8080");
  EXPECT_EQ(target->target, "/a/b?c=d&e");
  const auto shortest = targets.find("http://[::1]");
  ASSERT_NE(shortest, nullptr);
  EXPECT_EQ(shortest->authority, "[::1]:80");
  EXPECT_EQ(shortest->host, "[::1]");
  EXPECT_EQ(shortest->target, "/");
  EXPECT_EQ(targets.find("http://[::1]"), shortest) << "remembered";
}

TEST(Http1Targets, AnHttpsUrlHasItsOwnPortAndTheNameOfTheCertificate) {
  Http1Targets targets;
  const auto named = targets.find("https://Example.com/a");
  ASSERT_NE(named, nullptr);
  EXPECT_TRUE(named->is_secure);
  EXPECT_EQ(named->authority, "example.com:443");
  EXPECT_EQ(named->host, "Example.com");
  EXPECT_EQ(named->name, "Example.com");
  EXPECT_EQ(targets.find("https://example.com:80/")->host, "example.com:80");
  EXPECT_EQ(targets.find("https://[::1]:8443/")->name, "::1");
  EXPECT_FALSE(targets.find("http://example.com/")->is_secure);
}

// libcurl knows how to send these, or why they cannot be sent.
TEST(Http1Targets, OtherUrlsAreLeftToLibcurl) {
  Http1Targets targets;
  for (const std::string& url :
       {std::string("https://user@example.com/"), std::string("ftp://example.com/"),
        std::string("example.com/"), std::string("http://user:secret@example.com/"),
        std::string("http://user@example.com/"),
        std::string("http://b\xc3\xbc"
                    "cher.example/"),
        std::string("http://[fe80::1%25eth0]/"), std::string("http://example.com/a\r\nb"),
        std::string("http://"), std::string()})
    EXPECT_EQ(targets.find(url), nullptr) << url;
}

TEST(Http1Targets, ManyUrlsAreSplitAfterEachOther) {
  Http1Targets targets;
  for (int i = 0; i < 3000; ++i)
    ASSERT_EQ(targets.find("http://example.com/" + std::to_string(i))->target, '/' + std::to_string(i));
}

std::string head(std::string_view method, const std::vector<std::pair<std::string, std::string>>& headers,
                 std::size_t body_bytes) {
  std::string text = "from before";
  EXPECT_TRUE(write_head(
      text, {.authority = "example.com:80", .host = "example.com", .name = "example.com", .target = "/a?b"},
      method, headers, body_bytes, "waybill"));
  return text;
}

TEST(WriteHead, ItHasTheLineTheGivenHeadersAndTheLength) {
  EXPECT_EQ(head("POST", {{"Content-Type", "text/plain"}, {"X-Empty", " "}}, 12),
            "POST /a?b HTTP/1.1\r\nHost: example.com\r\nUser-Agent: waybill\r\nAccept: */*\r\n"
            "Content-Type: text/plain\r\nX-Empty:\r\nContent-Length: 12\r\n\r\n");
  EXPECT_EQ(head("GET", {{"ACCEPT", "text/html"}, {"user-agent", "me"}, {"host", "other"}}, 0),
            "GET /a?b HTTP/1.1\r\nACCEPT: text/html\r\nuser-agent: me\r\nhost: other\r\n\r\n");
}

// RFC 9110 section 8.6: a method that is expected to have a body states that there is none.
TEST(WriteHead, AnEmptyBodyHasALengthIfTheMethodIsExpectedToHaveOne) {
  for (const char* const method : {"POST", "PUT", "PATCH"})
    EXPECT_NE(head(method, {}, 0).find("Content-Length: 0\r\n"), std::string::npos) << method;
  for (const char* const method : {"GET", "HEAD", "DELETE"})
    EXPECT_EQ(head(method, {}, 0).find("Content-Length"), std::string::npos) << method;
}

TEST(WriteHead, AHeaderThatBreaksItsLineIsRefused) {
  std::string text;
  for (const auto& [name, value] :
       {std::pair{std::string("X"), std::string("a\r\nY: b")},
        std::pair{std::string("X\n"), std::string("a")}, std::pair{std::string("X:"), std::string("a")},
        std::pair{std::string("X"), std::string("a\0b", 3)}, std::pair{std::string(), std::string("a")}})
    EXPECT_FALSE(write_head(text, {}, "GET", {{name, value}}, 0, "waybill")) << name;
}

}  // namespace
}  // namespace waybill::net
