#include "net/web_push/vapid.hpp"

#include <gtest/gtest.h>

#include "base/crypto.hpp"

namespace waybill::net {
namespace {

TEST(Vapid, AKeyPairIsAPointAndAScalar) {
  const auto keys = make_vapid_keys();
  EXPECT_TRUE(is_push_key(keys.public_key)) << keys.public_key;
  EXPECT_EQ(base64url_decode(keys.private_key)->size(), 32U);
  EXPECT_NE(make_vapid_keys().private_key, keys.private_key);
}

TEST(Vapid, APushKeyIsAnUncompressedPointOnTheCurve) {
  // RFC 8291 appendix A
  EXPECT_TRUE(
      is_push_key("BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4"));
  auto point = base64url_decode(make_vapid_keys().public_key).value();
  point[64] ^= 1;
  EXPECT_FALSE(is_push_key(base64url(point))) << "not on the curve";
  point[64] ^= 1;
  point[0] = 6;
  EXPECT_FALSE(is_push_key(base64url(point))) << "another form";
  EXPECT_FALSE(is_push_key(base64url(Bytes(65, 4))));
  EXPECT_FALSE(is_push_key(""));
  EXPECT_FALSE(is_push_key("BCVxsr7N"));
}

TEST(Vapid, APushSecretIsSixteenBytes) {
  EXPECT_TRUE(is_push_secret("BTBZMqHH6r4Tts7J_aSIgg"));
  EXPECT_FALSE(is_push_secret("BTBZMqHH6r4Tts7J/aSIgg==")) << "base64, not base64url";
  EXPECT_FALSE(is_push_secret(base64url(Bytes(15))));
  EXPECT_FALSE(is_push_secret(base64url(Bytes(17))));
  EXPECT_FALSE(is_push_secret(""));
}

}  // namespace
}  // namespace waybill::net
