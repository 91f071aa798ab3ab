#include "api/gate/request_ids.hpp"

#include <string>

#include <gtest/gtest.h>

namespace waybill::api {
namespace {

TEST(RequestIds, ClientsIdsAreShortAndOfSafeCharacters) {
  EXPECT_TRUE(is_request_id("a-1_B.2"));
  EXPECT_TRUE(is_request_id(std::string(128, 'x')));
  EXPECT_FALSE(is_request_id(std::string(129, 'x')));
  for (const auto* bad : {"", "a b", "a\"b", "a\nb", "\xc3\xa4"}) EXPECT_FALSE(is_request_id(bad)) << bad;
}

TEST(RequestIds, OfTwoThreadsDifferAndOfOneFollowEachOther) {
  RequestIds one;
  RequestIds other;
  const auto first = one.next();
  const auto second = one.next();
  EXPECT_EQ(first.size(), 32U);
  EXPECT_NE(first, second);
  EXPECT_EQ(first.substr(0, 16), second.substr(0, 16));
  EXPECT_NE(first.substr(0, 16), other.next().substr(0, 16));
  EXPECT_TRUE(is_request_id(first));
}

}  // namespace
}  // namespace waybill::api
