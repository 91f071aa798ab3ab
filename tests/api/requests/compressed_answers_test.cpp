// Answers with gzip.
#include <string>
#include <zlib.h>

#include "api/gate/compression.hpp"
#include "tests/api/fixtures/api_fixture.hpp"
#include "tests/api/fixtures/small_api.hpp"

namespace waybill::tests {
namespace {

/// The text of a gzip member of at most 32 MiB.
std::string unpacked(std::string packed) {
  std::string text(32UL * 1024 * 1024, '\0');
  z_stream stream{};
  EXPECT_EQ(inflateInit2(&stream, 15 + 16), Z_OK);
  stream.next_in = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_in = static_cast<uInt>(packed.size());
  stream.next_out = reinterpret_cast<Bytef*>(text.data());
  stream.avail_out = static_cast<uInt>(text.size());
  EXPECT_EQ(inflate(&stream, Z_FINISH), Z_STREAM_END);
  text.resize(text.size() - stream.avail_out);
  inflateEnd(&stream);
  return text;
}

class CompressedAnswers : public ApiTest {
 protected:
  CompressedAnswers() {
    for (int i = 0; i < 10; ++i) http.post("/api/v1/Orders", order_body());
  }

  Response get(std::string_view path, std::string_view accepted) {
    return http.get(path, {{"Accept-Encoding", std::string(accepted)}});
  }
};

TEST_F(CompressedAnswers, ALongAnswerIsCompressedIfItsClientAsksForIt) {
  const auto plain = http.get("/api/v1/Orders");
  ASSERT_GT(plain.text.size(), api::least_compressed);
  EXPECT_EQ(plain.header("content-encoding"), "");
  EXPECT_EQ(plain.header("vary"), "Accept-Encoding, Authorization, Cookie") << "in one field";
  const auto packed = get("/api/v1/Orders", "br;q=1.0, gzip;q=0.8");
  EXPECT_EQ(packed.status, 200);
  EXPECT_EQ(packed.header("content-encoding"), "gzip");
  EXPECT_EQ(packed.header("vary"), "Accept-Encoding, Authorization, Cookie");
  EXPECT_EQ(packed.header("content-type"), "application/json");
  EXPECT_LT(packed.text.size(), plain.text.size() / 4);
  EXPECT_EQ(unpacked(packed.text), plain.text);
  for (const std::string_view refused : {"identity", "gzip;q=0", "gzip;q=0.5, identity;q=0.6"})
    EXPECT_EQ(get("/api/v1/Orders", refused).text, plain.text) << refused;
}

// The tag is weak: it names the data, not their bytes.
TEST_F(CompressedAnswers, AnAnswerHasOneTagInEachForm) {
  const auto tag = http.get("/api/v1/Orders").header("etag");
  EXPECT_TRUE(tag.starts_with("W/")) << tag;
  EXPECT_EQ(get("/api/v1/Orders", "gzip").header("etag"), tag);
  for (const std::string accepted : {"gzip", "identity"}) {
    const auto same = http.get("/api/v1/Orders", {{"Accept-Encoding", accepted}, {"If-None-Match", tag}});
    EXPECT_EQ(same.status, 304) << accepted;
    EXPECT_EQ(same.header("vary"), "Accept-Encoding, Authorization, Cookie") << accepted;
  }
}

TEST_F(CompressedAnswers, AShortAnswerIsCompressedOnlyIfNoOtherIsAccepted) {
  const auto plain = http.get("/api/v1/Orders?$select=guid&PageSize=1");
  ASSERT_LT(plain.text.size(), api::least_compressed);
  EXPECT_EQ(get("/api/v1/Orders?$select=guid&PageSize=1", "gzip").text, plain.text);
  const auto packed = get("/api/v1/Orders?$select=guid&PageSize=1", "gzip, identity;q=0");
  EXPECT_EQ(packed.header("content-encoding"), "gzip");
  EXPECT_EQ(unpacked(packed.text), plain.text);
}

TEST_F(CompressedAnswers, ErrorsAndAnswersOfPostsAreNotCompressed) {
  const auto error = get("/api/v1/Orders?$select=colour", "gzip, identity;q=0");
  EXPECT_EQ(error.header("content-encoding"), "");
  expect_invalid(error, {"$select"});
  const auto made = http.post("/api/business/tokens", {{"name", "x"}, {"role", "viewer"}},
                              {{"Accept-Encoding", "gzip, identity;q=0"}});
  EXPECT_EQ(made.status, 201) << made.text;
  EXPECT_EQ(made.header("content-encoding"), "") << "the answer has a new secret";
}

std::string compressed(std::string_view line) {
  return request_text(line, "Authorization: Bearer wb_admin\r\nAccept-Encoding: gzip\r\n");
}

TEST(CompressedLargeAnswers, AreCompressedForTokensOnly) {
  SmallApi api;
  const auto large = ask(api, compressed("GET /large"));
  EXPECT_EQ(large.header("content-encoding"), "gzip");
  const auto text = unpacked(large.text);
  EXPECT_EQ(text.size(), 16UL * 1024 * 1024 + std::string_view(R"({"data":"","success":true})").size());
  EXPECT_TRUE(text.starts_with(R"({"data":"xxx)") && text.ends_with(R"(xxx","success":true})"));
  EXPECT_EQ(ask(api, compressed("GET /much")).header("content-encoding"), "") << "it needs no token";
}

TEST(CompressedLargeAnswers, AHeadHasTheLengthOfTheCompressedAnswer) {
  SmallApi api;
  auto connection = connect(api);
  connection.send(compressed("HEAD /large"));
  const auto head = connection.read_response(default_deadline, true);
  EXPECT_EQ(head.header("content-encoding"), "gzip");
  EXPECT_EQ(head.header("content-length"), ask(api, compressed("GET /large")).header("content-length"));
}

}  // namespace
}  // namespace waybill::tests
