#include "net/http/webhook_signature.hpp"

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

namespace waybill::net {
namespace {

// The example of the Standard Webhooks specification.
constexpr std::string_view known_secret = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
constexpr std::string_view known_id = "msg_p5jXN8AQM9LWM0D4loKWxJek";
constexpr std::int64_t known_time = 1614265330;
constexpr std::string_view known_body = R"({"test": 2432232314})";
constexpr std::string_view known_signature = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=";

WebhookSecret secret_of(std::string_view text) {
  auto secret = WebhookSecret::parse(text);
  return secret ? std::move(*secret) : throw std::invalid_argument("no secret");
}

Time at(std::int64_t seconds) { return Time{std::chrono::seconds(seconds)}; }

SignatureCheck verify(std::string_view id, std::string_view timestamp, std::string_view signature,
                      std::string_view body, std::int64_t now = known_time) {
  return verify_webhook(secret_of(known_secret), id, timestamp, signature, body, at(now));
}

TEST(WebhookSignature, MatchesTheExampleOfTheStandard) {
  const std::vector secrets{secret_of(known_secret)};
  EXPECT_EQ(webhook_signature(secrets, known_id, known_time, known_body), known_signature);
}

TEST(WebhookSignature, HasOneSignatureForEachSecretDuringRotation) {
  const std::vector secrets{WebhookSecret::random(), secret_of(known_secret)};
  const std::string both = webhook_signature(secrets, known_id, known_time, known_body);
  EXPECT_TRUE(both.ends_with(" " + std::string(known_signature)));
  for (const WebhookSecret& secret : secrets) {
    EXPECT_EQ(verify_webhook(secret, known_id, "1614265330", both, known_body, at(known_time)),
              SignatureCheck::valid);
  }
  EXPECT_EQ(webhook_signature({}, known_id, known_time, known_body), "");
}

TEST(WebhookSignature, CoversIdTimestampAndBody) {
  EXPECT_EQ(verify(known_id, "1614265330", known_signature, known_body), SignatureCheck::valid);
  EXPECT_EQ(verify("msg_other", "1614265330", known_signature, known_body), SignatureCheck::wrong);
  EXPECT_EQ(verify(known_id, "1614265331", known_signature, known_body), SignatureCheck::wrong);
  EXPECT_EQ(verify(known_id, "1614265330", known_signature, "{}"), SignatureCheck::wrong);
  EXPECT_EQ(verify(known_id, "1614265330", "v1,AAAA v2,x", known_body), SignatureCheck::wrong);
}

TEST(WebhookSignature, ExpiresAfterFiveMinutesEitherWay) {
  for (const std::int64_t away : {-300, 300}) {
    EXPECT_EQ(verify(known_id, "1614265330", known_signature, known_body, known_time + away),
              SignatureCheck::valid);
  }
  for (const std::int64_t away : {-301, 301}) {
    EXPECT_EQ(verify(known_id, "1614265330", known_signature, known_body, known_time + away),
              SignatureCheck::stale);
  }
}

TEST(WebhookSignature, MalformedHeadersAreReportedAsSuch) {
  EXPECT_EQ(verify("", "1614265330", known_signature, known_body), SignatureCheck::malformed);
  for (const std::string_view time : {"", "x", "1614265330 ", "1614265330.5", "-1", "99999999999999999999"}) {
    EXPECT_EQ(verify(known_id, time, known_signature, known_body), SignatureCheck::malformed) << time;
  }
  for (const std::string_view signature : {"", " ", "g0hM9SsE"}) {
    EXPECT_EQ(verify(known_id, "1614265330", signature, known_body), SignatureCheck::malformed) << signature;
  }
}

TEST(WebhookSecret, IsPrefixedBase64Of24To64Bytes) {
  const auto secret = [](std::size_t bytes) { return "whsec_" + base64(Bytes(bytes, 7)); };
  for (const std::size_t bytes : {24, 32, 64}) EXPECT_TRUE(WebhookSecret::parse(secret(bytes))) << bytes;
  for (const std::size_t bytes : {0, 23, 65}) EXPECT_FALSE(WebhookSecret::parse(secret(bytes))) << bytes;
  EXPECT_FALSE(WebhookSecret::parse(base64(Bytes(32, 7))));
  EXPECT_FALSE(WebhookSecret::parse("whsec_not base64, though long enough!"));
  EXPECT_EQ(secret_of(known_secret).text(), known_secret);
}

TEST(WebhookSecret, RandomSecretsDifferAndReadBack) {
  const WebhookSecret a = WebhookSecret::random();
  EXPECT_NE(a.text(), WebhookSecret::random().text());
  EXPECT_EQ(secret_of(a.text()).text(), a.text());
  EXPECT_EQ(a.key().size(), 32U);
}

}  // namespace
}  // namespace waybill::net
