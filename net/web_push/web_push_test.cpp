#include "net/web_push/web_push.hpp"

#include <set>
#include <stdexcept>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <openssl/evp.h>

#include "base/crypto.hpp"
#include "base/json.hpp"

namespace waybill::net {
namespace {

using testing::MatchesRegex;

// RFC 8291 appendix A
constexpr std::string_view receiver_key =
    "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4";
constexpr std::string_view receiver_secret = "BTBZMqHH6r4Tts7J_aSIgg";
constexpr std::string_view sender_point =
    "BP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27mlmlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A8";
constexpr std::string_view sender_scalar = "yfWPiYE-n46HLnH0KqZOF1fJJU3MYrct3AELtAQ-oRw";

template <std::size_t size>
std::array<std::uint8_t, size> decoded(std::string_view text) {
  const Bytes bytes = base64url_decode(text).value();
  std::array<std::uint8_t, size> result{};
  std::copy_n(bytes.begin(), size, result.begin());
  return result;
}

std::string encoded(std::string_view text) {
  return base64url({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()});
}

PushReceiver receiver() { return PushReceiver::parse(receiver_key, receiver_secret).value(); }

TEST(WebPush, EncryptsTheExampleOfTheStandard) {
  const PushEphemeral ephemeral{P256Key(decoded<65>(sender_point), decoded<32>(sender_scalar)),
                                decoded<16>("DGv6ra1nlYgDCS1FRnbzlw")};
  EXPECT_EQ(encoded(encrypt_push("When I grow up, I want to be a watermelon", receiver(), ephemeral)),
            "DGv6ra1nlYgDCS1FRnbzlwAAEABBBP4z9KsN6nGRTbVYI_c7VJSPQTBtkgcy27ml"
            "mlMoZIIgDll6e3vCYLocInmYWAmS6TlzAC8wEqKK6PBru3jl7A_yl95bQpu6cVPT"
            "pK4Mqgkf1CXztLVBSt2Ks3oZwbuwXPXLWyouBWLVWGNWQexSgSxsj_Qulcy4a-fN");
}

TEST(WebPush, TheLongestMessageMakesABodyOfFourKibibytes) {
  EXPECT_EQ(encrypt_push(std::string(max_push_message, 'x'), receiver()).size(), 4096U);
  EXPECT_THROW(encrypt_push(std::string(max_push_message + 1, 'x'), receiver()), std::length_error);
  EXPECT_EQ(encrypt_push("", receiver()).size(), 4096U - max_push_message);
}

TEST(WebPush, MessagesNeverShareASaltOrASenderKey) {
  std::set<std::string> salts, keys;
  for (int i = 0; i < 20; ++i) {
    const std::string body = encrypt_push("same", receiver());
    salts.insert(body.substr(0, 16));
    keys.insert(body.substr(21, 65));
  }
  EXPECT_EQ(salts.size(), 20U);
  EXPECT_EQ(keys.size(), 20U);
}

TEST(WebPush, ReceiversAreAPointOnTheCurveAndSixteenBytes) {
  EXPECT_TRUE(PushReceiver::parse(receiver_key, receiver_secret));
  Bytes point = base64url_decode(receiver_key).value();
  point[64] ^= 1;
  EXPECT_FALSE(PushReceiver::parse(base64url(point), receiver_secret)) << "not on the curve";
  point[64] ^= 1;
  point[0] = 6;
  EXPECT_FALSE(PushReceiver::parse(base64url(point), receiver_secret)) << "another form";
  EXPECT_FALSE(PushReceiver::parse("", receiver_secret));
  EXPECT_FALSE(PushReceiver::parse(receiver_key, ""));
  EXPECT_FALSE(PushReceiver::parse(receiver_key, base64url(Bytes(17))));
  EXPECT_FALSE(PushReceiver::parse(receiver_key, std::string(receiver_secret) + "==")) << "padding";
}

/// The parts of a header made by VapidSigner.
struct Parsed {
  explicit Parsed(const std::string& header) {
    const std::size_t comma = header.find(", k=");
    token = header.substr(8, comma - 8);
    key = header.substr(comma + 4);
    const std::size_t first = token.find('.');
    const std::size_t second = token.find('.', first + 1);
    const auto part = [&](std::size_t from, std::size_t to) {
      const Bytes bytes = base64url_decode(token.substr(from, to - from)).value();
      return json::parse(std::string(bytes.begin(), bytes.end())).as_object();
    };
    head = part(0, first);
    claims = part(first + 1, second);
    signature = base64url_decode(token.substr(second + 1)).value();
  }
  std::string token, key;
  json::object head, claims;
  Bytes signature;
};

TEST(Vapid, SignsATokenForTheOriginOfTheEndpoint) {
  const VapidKeys keys = make_vapid_keys();
  VapidSigner signer(keys, "mailto:ops@example.com");
  const Time now{std::chrono::seconds(1'800'000'000)};
  const std::string header = signer.authorization("https://push.example.net/send/abc?x=1", now);
  EXPECT_THAT(header,
              MatchesRegex("vapid t=[A-Za-z0-9_-]+\\.[A-Za-z0-9_-]+\\.[A-Za-z0-9_-]+, k=[A-Za-z0-9_-]+"));
  const Parsed parsed(header);
  EXPECT_EQ(parsed.key, keys.public_key);
  EXPECT_EQ(parsed.head, (json::object{{"typ", "JWT"}, {"alg", "ES256"}}));
  EXPECT_EQ(parsed.claims.at("aud"), "https://push.example.net");
  EXPECT_EQ(parsed.claims.at("sub"), "mailto:ops@example.com");
  EXPECT_LE(parsed.claims.at("exp").to_number<std::int64_t>(), 1'800'000'000 + 24 * 3600);
  EXPECT_EQ(parsed.signature.size(), 64U);
  EXPECT_FALSE(Parsed(VapidSigner(keys, "").authorization("https://a.example/", now)).claims.contains("sub"));
}

TEST(Vapid, OriginsHaveAPortOnlyWhenItIsNotTheUsualOne) {
  VapidSigner signer(make_vapid_keys(), "");
  const auto origin = [&](std::string_view url) {
    return std::string(Parsed(signer.authorization(url, Time{})).claims.at("aud").as_string());
  };
  EXPECT_EQ(origin("https://Push.Example.net:443/x"), "https://push.example.net");
  EXPECT_EQ(origin("https://push.example.net:8443/x"), "https://push.example.net:8443");
  EXPECT_EQ(origin("http://localhost:9090/notify/1"), "http://localhost:9090");
  EXPECT_EQ(origin("http://[::1]:9090/notify/1"), "http://[::1]:9090");
  EXPECT_THROW(signer.authorization("nonsense", Time{}), std::invalid_argument);
}

TEST(Vapid, ATokenIsReusedForItsOriginForHalfItsLife) {
  VapidSigner signer(make_vapid_keys(), "");
  const Time start{std::chrono::seconds(1'800'000'000)};
  const std::string first = signer.authorization("https://a.example/1", start);
  EXPECT_EQ(signer.authorization("https://a.example/2", start + std::chrono::hours(5)), first);
  EXPECT_NE(signer.authorization("https://b.example/1", start), first);
  const std::string later = signer.authorization("https://a.example/1", start + std::chrono::hours(6));
  EXPECT_NE(later, first);
  EXPECT_EQ(Parsed(later).claims.at("exp").to_number<std::int64_t>() -
                Parsed(first).claims.at("exp").to_number<std::int64_t>(),
            6 * 3600);
  EXPECT_NE(signer.authorization("https://a.example/1", start), later) << "a clock set back";
}

TEST(Vapid, MalformedKeysAreRefused) {
  VapidKeys keys = make_vapid_keys();
  EXPECT_THROW(VapidSigner({keys.public_key, "AAAA"}, ""), std::invalid_argument);
  EXPECT_THROW(VapidSigner({"AAAA", keys.private_key}, ""), std::invalid_argument);
}

}  // namespace
}  // namespace waybill::net
