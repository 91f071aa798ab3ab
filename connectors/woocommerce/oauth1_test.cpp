#include "connectors/woocommerce/oauth1.hpp"

#include <gtest/gtest.h>

namespace waybill::connectors::oauth1 {
namespace {

// RFC 5849, section 3.4.1.1 (its realm is not a parameter).
TEST(OAuth1, BaseStringMatchesTheRfc) {
  const Parameters parameters = {
      {"b5", "=%3D"},
      {"a3", "a"},
      {"c@", ""},
      {"a2", "r b"},
      {"oauth_consumer_key", "9djdj82h48djs9d2"},
      {"oauth_token", "kkk9d7dh3k39sjv7"},
      {"oauth_signature_method", "HMAC-SHA1"},
      {"oauth_timestamp", "137131201"},
      {"oauth_nonce", "7d8f3e4a"},
      {"c2", ""},
      {"a3", "2 q"},
  };
  EXPECT_EQ(base_string("POST", "http://example.com/request", parameters),
            "POST&http%3A%2F%2Fexample.com%2Frequest&a2%3Dr%2520b%26a3%3D2%2520q%26a3%3Da%26b5%3D%253D%25253D"
            "%26c%2540%3D%26c2%3D%26oauth_consumer_key%3D9djdj82h48djs9d2%26oauth_nonce%3D7d8f3e4a"
            "%26oauth_signature_method%3DHMAC-SHA1%26oauth_timestamp%3D137131201"
            "%26oauth_token%3Dkkk9d7dh3k39sjv7");
}

TEST(OAuth1, NamesWithBracketsAreEncodedInTheQueryAndTwiceInTheBaseString) {
  const Parameters parameters = {{"status[1]", "on-hold"}, {"status[0]", "a&b=c d"}};
  EXPECT_EQ(query(parameters), "status%5B1%5D=on-hold&status%5B0%5D=a%26b%3Dc%20d");
  EXPECT_EQ(base_string("GET", "http://shop.example", parameters),
            "GET&http%3A%2F%2Fshop.example&status%255B0%255D%3Da%2526b%253Dc%2520d"
            "%26status%255B1%255D%3Don-hold");
}

TEST(OAuth1, SortsByTheEncodedNames) {
  EXPECT_EQ(base_string("GET", "u", {{"a_b", "1"}, {"a", "2"}, {"é", "3"}, {"Z", "4"}, {"a", "10"}}),
            "GET&u&%25C3%25A9%3D3%26Z%3D4%26a%3D10%26a%3D2%26a_b%3D1");
}

TEST(OAuth1, SignsWithTheEncodedSecretAndAnAmpersand) {
  // printf 'GET&x&y' | openssl dgst -sha256 -hmac 'cs%2F1&' -binary | base64
  EXPECT_EQ(signature("GET&x&y", "cs/1"), "jwSQK4DVFR3HfXki+s/dWl2ia6yZmTlQlSCiOfHbBDc=");
}

TEST(OAuth1, TheQueryHasTheProtocolsParametersAndTheSignatureOverThem) {
  const Time now = Time(std::chrono::seconds(1'700'000'000));
  const std::string text = signed_query("GET", "http://shop.example/wp-json/wc/v3/orders", {{"page", "2"}},
                                        {"ck_1", "cs_1"}, now, "n1");
  const std::string unsigned_part =
      "page=2&oauth_consumer_key=ck_1&oauth_nonce=n1&oauth_signature_method=HMAC-SHA256"
      "&oauth_timestamp=1700000000";
  EXPECT_TRUE(text.starts_with(unsigned_part + "&oauth_signature=")) << text;
  EXPECT_TRUE(text.ends_with("%3D")) << "a base64 text of 32 bytes, encoded";
  EXPECT_NE(text, signed_query("GET", "http://shop.example/wp-json/wc/v3/orders", {{"page", "2"}},
                               {"ck_1", "cs_2"}, now, "n1"));
}

}  // namespace
}  // namespace waybill::connectors::oauth1
