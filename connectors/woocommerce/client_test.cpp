#include "connectors/woocommerce/client.hpp"

#include <gtest/gtest.h>

namespace waybill::connectors {
namespace {

TEST(WooClient, ARedirectNamesTheAddressOfTheShopWithItsPortAndFolder) {
  const auto advice = [](std::string_view location) {
    return woo_redirect_text("http://shop.example/old", location);
  };
  const auto instead = [](const std::string& address) {
    return "The store's address redirects to another one, at " + address + ": give that address instead.";
  };
  const std::string api = "/wp-json/wc/v3/orders";
  EXPECT_EQ(advice("https://shop.example" + api), instead("https://shop.example"));
  EXPECT_EQ(advice("http://127.0.0.1:41859" + api), instead("http://127.0.0.1:41859"));
  EXPECT_EQ(advice("https://shop.example:8443/new/shop" + api + "?consumer_secret=cs_1"),
            instead("https://shop.example:8443/new/shop"));
  EXPECT_EQ(advice("http://[2001:db8::1]:8080/wp-json"), instead("http://[2001:db8::1]:8080"));
  EXPECT_EQ(advice("//www.shop.example" + api), instead("http://www.shop.example"));
  EXPECT_EQ(advice("/new" + api), instead("http://shop.example/new"));
}

TEST(WooClient, ARedirectElsewhereNamesOnlyItsServer) {
  const auto text = [](std::string_view location) {
    return woo_redirect_text("https://shop.example", location);
  };
  const std::string redirects = "The store's address redirects to another one";
  EXPECT_EQ(text("https://shop.example:8443/wp-login.php?redirect_to=/wp-json/wc/v3/orders"),
            redirects + ", on https://shop.example:8443.");
  EXPECT_EQ(text("https://parked.example"), redirects + ", on https://parked.example.");
  EXPECT_EQ(text("https://shop.example/wp-jsonp/orders"), redirects + ", on https://shop.example.");
  for (const auto* const unknown : {"", "wp-json/wc/v3/orders", "https://user:cs_1@shop.example/wp-json/"})
    EXPECT_EQ(text(unknown), redirects + ".") << unknown;
  EXPECT_EQ(text("https://shop.example/wp-json/wc/v3/orders/"), "The store redirects the calls of its API.");
}

}  // namespace
}  // namespace waybill::connectors
