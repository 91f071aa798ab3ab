#include "net/http/resending.hpp"

#include <gtest/gtest.h>

namespace waybill::net {
namespace {

TEST(Resending, ARequestLostOnAKeptConnectionIsSentAgainOnce) {
  Resending resending;
  EXPECT_FALSE(resending.has_sent());
  EXPECT_TRUE(resending.may_send(true));
  EXPECT_TRUE(resending.has_sent());
  EXPECT_TRUE(resending.must_resend(true));
  EXPECT_TRUE(resending.may_send(false));
  EXPECT_FALSE(resending.must_resend(true));
}

TEST(Resending, ARequestIsHeldBackFromASecondKeptConnection) {
  Resending resending;
  EXPECT_TRUE(resending.may_send(true));
  EXPECT_FALSE(resending.may_send(true)) << "libcurl itself tries the next kept connection";
  EXPECT_TRUE(resending.must_resend(false));
  EXPECT_TRUE(resending.may_send(false));
  EXPECT_FALSE(resending.must_resend(false));
}

TEST(Resending, ARequestLostOnANewConnectionIsNotSentAgain) {
  Resending resending;
  EXPECT_TRUE(resending.may_send(false));
  EXPECT_FALSE(resending.must_resend(false));
}

}  // namespace
}  // namespace waybill::net
