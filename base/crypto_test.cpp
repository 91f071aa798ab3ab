#include "base/crypto.hpp"

#include <gtest/gtest.h>

namespace waybill {
namespace {

Bytes bytes(std::string_view text) { return {text.begin(), text.end()}; }

TEST(Hex, ReadsWhatItWrites) {
  const Bytes bytes{0x00, 0x7f, 0xff};
  EXPECT_EQ(hex(bytes), "007fff");
  EXPECT_EQ(unhex("007fff"), bytes);
  EXPECT_EQ(unhex(""), Bytes());
  for (const auto* const text : {"0", "0g", "00 "}) EXPECT_EQ(unhex(text), std::nullopt) << text;
}

// FIPS 180-4 examples.
TEST(Hash, MatchesThePublishedDigests) {
  EXPECT_EQ(hex(sha256("abc")), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(hex(sha256("")), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(hex(sha1("abc")), "a9993e364706816aba3e25717850c26c9cd0d89d");
  EXPECT_EQ(hex(sha1("")), "da39a3ee5e6b4b0d3255bfef95601890afd80709");
}

// RFC 4231 sections 4.2, 4.3 and 4.7.
TEST(Hmac, MatchesRfc4231) {
  EXPECT_EQ(hex(hmac_sha256(Bytes(20, 0x0b), "Hi There")),
            "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
  EXPECT_EQ(hex(hmac_sha256(bytes("Jefe"), "what do ya want for nothing?")),
            "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
  EXPECT_EQ(hex(hmac_sha256(Bytes(131, 0xaa), "Test Using Larger Than Block-Size Key - Hash Key First")),
            "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
}

TEST(Hmac, MessagesWithOneKeyAreSignedIndependently) {
  const std::string_view text = "what do ya want for nothing?";
  const auto expected = hex(hmac_sha256(bytes("Jefe"), text));
  const auto other = hex(hmac_sha256(bytes("Jefe"), "another text"));
  EXPECT_NE(other, expected);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(hex(hmac_sha256(bytes("Jefe"), text)), expected);
  EXPECT_NE(hex(hmac_sha256(bytes("Jeff"), text)), expected);
  EXPECT_EQ(hex(hmac_sha256(bytes("Jefe"), text)), expected);
  EXPECT_EQ(expected, "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
}

TEST(Hmac, AnEmptyKeyDoesNotReuseTheLastKey) {
  const auto expected = hex(hmac_sha256({}, ""));
  hmac_sha256(bytes("Jefe"), "");
  EXPECT_EQ(hex(hmac_sha256({}, "")), expected);
  EXPECT_EQ(expected, "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad");
}

// RFC 4648 section 10.
TEST(Base64, MatchesRfc4648) {
  for (const auto& [text, encoded] :
       std::initializer_list<std::pair<std::string_view, std::string_view>>{{"", ""},
                                                                            {"f", "Zg=="},
                                                                            {"fo", "Zm8="},
                                                                            {"foo", "Zm9v"},
                                                                            {"foob", "Zm9vYg=="},
                                                                            {"fooba", "Zm9vYmE="},
                                                                            {"foobar", "Zm9vYmFy"}}) {
    EXPECT_EQ(base64(bytes(text)), encoded);
    EXPECT_EQ(base64_decode(encoded), bytes(text));
    const auto bare = encoded.substr(0, encoded.find('='));
    EXPECT_EQ(base64url(bytes(text)), bare);
    EXPECT_EQ(base64url_decode(bare), bytes(text));
  }
  EXPECT_EQ(base64(Bytes{0xfb, 0xff}), "+/8=");
  EXPECT_EQ(base64url(Bytes{0xfb, 0xff}), "-_8");
}

TEST(Base64, DecodesExactlyOneForm) {
  for (const std::string_view text :
       {"Zg", "Zg=", "Zg===", "Zh==", "Zm9v\n", " Zm9v", "Zm9v=", "-_8=", "Zm9*", "Z", "====", "Zg==Zg=="}) {
    EXPECT_FALSE(base64_decode(text)) << text;
  }
  for (const std::string_view text : {"Zg==", "Zh", "+/8", "Zm9v ", "Z"}) {
    EXPECT_FALSE(base64url_decode(text)) << text;
  }
}

TEST(Random, ReturnsDifferentBytesOfTheRequestedCount) {
  EXPECT_TRUE(random_bytes(0).empty());
  EXPECT_EQ(random_bytes(32).size(), 32U);
  EXPECT_NE(random_bytes(32), random_bytes(32));
}

TEST(EqualConstantTime, ComparesContents) {
  EXPECT_TRUE(equal_constant_time("", ""));
  EXPECT_TRUE(equal_constant_time("secret", "secret"));
  EXPECT_FALSE(equal_constant_time("secret", "secreT"));
  EXPECT_FALSE(equal_constant_time("secret", "secrets"));
}

}  // namespace
}  // namespace waybill
