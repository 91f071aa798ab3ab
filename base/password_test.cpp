#include "base/password.hpp"

#include <gtest/gtest.h>

namespace waybill {
namespace {

TEST(Password, MatchesOnlyItsOwnHash) {
  const auto hash = hash_password("correct horse");
  EXPECT_TRUE(hash.starts_with("$argon2id$v=19$m=65536,t=2,p=1$")) << hash;
  EXPECT_TRUE(password_matches("correct horse", hash));
  EXPECT_FALSE(password_matches("correct horsf", hash));
  EXPECT_FALSE(password_matches("", hash));
}

TEST(Password, EachHashHasANewSalt) { EXPECT_NE(hash_password("same"), hash_password("same")); }

TEST(Password, NothingMatchesAMalformedHash) {
  EXPECT_FALSE(password_matches("x", ""));
  EXPECT_FALSE(password_matches("x", "$argon2id$"));
}

}  // namespace
}  // namespace waybill
