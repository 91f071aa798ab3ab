#include "domain/values/web_address.hpp"

#include <string>

#include <gtest/gtest.h>

namespace waybill::domain {
namespace {

TEST(WebAddress, HttpAndHttpsAddressesAreAccepted) {
  for (const auto* const text :
       {"https://carrier.example/track/1?x=%20#/y", "HTTP://carrier.example", "https://[::1]/"}) {
    EXPECT_FALSE(web_address_problem(text)) << text;
  }
}

TEST(WebAddress, OtherTextsAreRefused) {
  for (const auto* const text :
       {"", "carrier.example", "ftp://carrier.example", "javascript:alert(1)", "https://", "https:///x",
        "https://a b", "https://a/\"", "https://user@a/", "https://a/{number}"}) {
    EXPECT_TRUE(web_address_problem(text)) << text;
  }
}

TEST(WebAddress, APatternIsHttpsWithTheNumberBehindTheHost) {
  for (const auto* const text : {"https://a.example/{number}", "https://a.example?n={number}&m={number}",
                                 "https://a.example/#{number}"}) {
    EXPECT_FALSE(tracking_pattern_problem(text)) << text;
  }
  for (const auto* const text :
       {"http://a.example/{number}", "https://a.example/", "https://{number}/",
        "https://{number}.a.example/x", "https://a.example/{number}/{order}", "https:///{number}"}) {
    EXPECT_TRUE(tracking_pattern_problem(text)) << text;
  }
}

}  // namespace
}  // namespace waybill::domain
