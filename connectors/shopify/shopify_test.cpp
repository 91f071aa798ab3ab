#include "connectors/shopify/shopify.hpp"

#include <map>
#include <stdexcept>

#include <gtest/gtest.h>

#include "base/crypto.hpp"

namespace waybill::connectors {
namespace {

const Connector& shopify_connector() { return *find_connector("shopify"); }

TEST(Shopify, IsInTheCatalogue) {
  ASSERT_NE(find_connector("shopify"), nullptr);
  const auto& terms = shopify_connector().terms();
  EXPECT_EQ(terms.code, "shopify");
  EXPECT_EQ(terms.name, "Shopify");
  EXPECT_EQ(terms.type, "ecommerce");
}

TEST(Shopify, KnowsAShopByOneAddress) {
  for (const auto* const url : {
           "tea.myshopify.com",
           " tea.myshopify.com ",
           "TEA.MyShopify.com",
           "http://tea.myshopify.com",
           "https://tea.myshopify.com/",
           "https://tea.myshopify.com:443/admin/orders?x=1#y",
           "https://admin.shopify.com/store/tea",
           "https://admin.shopify.com/store/tea/orders?a=b",
           "admin.shopify.com/store/tea/",
       }) {
    EXPECT_EQ(shopify_connector().normal_url(url), "https://tea.myshopify.com") << url;
  }
}

TEST(Shopify, KeepsOtherAddressesAsTheyAre) {
  const std::map<std::string, std::string> kept = {
      {"http://127.0.0.1:8080/", "http://127.0.0.1:8080"},
      {"https://Proxy.Example/tea/", "https://proxy.example/tea"},
      {"https://tea.myshopify.com.evil.example", "https://tea.myshopify.com.evil.example"},
      {"https://evilmyshopify.com", "https://evilmyshopify.com"},
      {"https://a.b.myshopify.com", "https://a.b.myshopify.com"},
      {"https://tea.myshopify.com:8443", "https://tea.myshopify.com:8443"},
  };
  for (const auto& [url, expected] : kept) EXPECT_EQ(shopify_connector().normal_url(url), expected);
}

TEST(Shopify, RefusesInvalidAddresses) {
  for (const auto* const url :
       {"", "tea", "tea.example", "ftp://tea.myshopify.com", "https://tea.myshopify.com@evil.example",
        "https://user:secret@tea.myshopify.com", "https://proxy.example/?a=b"}) {
    EXPECT_THROW(shopify_connector().normal_url(url), std::invalid_argument) << url;
  }
}

class ShopifyWebhook : public testing::Test {
 protected:
  InboundVerdict verify(std::string_view body) {
    const InboundCall call{body, [this](std::string_view name) -> std::optional<std::string_view> {
                             const auto found = headers.find(name);
                             if (found == headers.end()) return std::nullopt;
                             return found->second;
                           }};
    return shopify_connector().verify({"id", secret, "https://tea.myshopify.com"}, call);
  }
  std::string signature(std::string_view body) const {
    return base64(hmac_sha256({reinterpret_cast<const std::uint8_t*>(secret.data()), secret.size()}, body));
  }

  std::string secret = "shpss_secret";
  std::map<std::string, std::string, std::less<>> headers;
};

TEST_F(ShopifyWebhook, IsAHintWhenItsRawBodyIsSigned) {
  const std::string body = "{ \"id\": 1,\n \"name\":\"Mü\\u00fcller\" }";
  headers = {{"x-shopify-hmac-sha256", signature(body)}, {"x-shopify-webhook-id", "b54557e4"}};
  const auto verdict = verify(body);
  EXPECT_EQ(verdict.kind, InboundVerdict::Kind::hint);
  EXPECT_EQ(verdict.delivery_id, "b54557e4");
}

TEST_F(ShopifyWebhook, IsRefusedWithAnyOtherSignature) {
  const std::string body = R"({"id":1})";
  const std::string good = signature(body);
  EXPECT_EQ(verify(body).kind, InboundVerdict::Kind::bad_signature);
  for (const auto& bad :
       {std::string(), std::string("x"), good.substr(1), good + "=", signature(body + " ")}) {
    headers = {{"x-shopify-hmac-sha256", bad}};
    EXPECT_EQ(verify(body).kind, InboundVerdict::Kind::bad_signature) << bad;
  }
  headers = {{"x-shopify-hmac-sha256", good}};
  EXPECT_EQ(verify(body).kind, InboundVerdict::Kind::hint);
  EXPECT_FALSE(verify(body).delivery_id);
  secret = "another";
  EXPECT_EQ(verify(body).kind, InboundVerdict::Kind::bad_signature);
  secret.clear();  // an empty secret must not be usable as a key
  headers = {{"x-shopify-hmac-sha256", signature(body)}};
  EXPECT_EQ(verify(body).kind, InboundVerdict::Kind::bad_signature);
}

}  // namespace
}  // namespace waybill::connectors
