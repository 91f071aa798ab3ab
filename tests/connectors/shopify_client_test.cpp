#include <filesystem>

#include "tests/connectors/shopify_fixture.hpp"
#include "tests/harness/packages.hpp"
#include "tests/harness/process.hpp"

namespace waybill::tests {
namespace {

// Shopify's official client must accept the simulator as a store.
TEST(ShopifySimulator, ServesTheOfficialClientOfShopify) {
  ShopifySimulator shop;
  for (int i = 0; i < 5; ++i) shop.add_order();
  const auto script = package_folder("shopify") / "client.js";
  const auto ended = run({"node", script, shop.url(), std::string(ShopifySimulator::fixed_token)});
  ASSERT_EQ(ended.status, 0) << ended.standard_error;
  const auto output = json::parse(ended.standard_output).as_object();
  EXPECT_EQ(output.at("shop"), "Tea & Co");
  EXPECT_EQ(output.at("restoreRate").to_number<double>(), 100);
  EXPECT_EQ(output.at("numbers"),
            (json::array{"#1001 Tea", "#1002 Tea", "#1003 Tea", "#1004 Tea", "#1005 Tea"}));
  EXPECT_EQ(output.at("unknownField"), (json::array{"Field 'colour' doesn't exist on type 'Order'"}));
  EXPECT_EQ(output.at("withoutFirst"), (json::array{"you must provide one of first or last"}));
  EXPECT_EQ(output.at("missingVariable").as_array().size(), 1U);
  EXPECT_EQ(output.at("userErrors"), (json::array{"Fulfillment order does not exist."}));
}

TEST(ShopifySimulator, RefusesAForeignTokenAsShopifyDoes) {
  ShopifySimulator shop;
  const auto script = package_folder("shopify") / "client.js";
  const auto ended = run({"node", script, shop.url(), "shpat_stranger"});
  EXPECT_NE(ended.status, 0);
  EXPECT_EQ(shop.performed(), 0U);
}

TEST(ShopifySimulator, GrantsTokensForFormAndJsonRequests) {
  ShopifySimulator shop;
  const auto port = std::stoi(shop.url().substr(shop.url().rfind(':') + 1));
  Http http("127.0.0.1", port);
  const auto by_json =
      http.post("/admin/oauth/access_token", {{"grant_type", "client_credentials"},
                                              {"client_id", ShopifySimulator::client_id},
                                              {"client_secret", ShopifySimulator::client_secret}});
  EXPECT_EQ(by_json.status, 200);
  EXPECT_EQ(text_at(by_json.body, "access_token"), "shpat_1");
  EXPECT_EQ(at(by_json.body, "expires_in"), 86399);
  const auto by_form = http.request_text(
      "POST", "/admin/oauth/access_token",
      "grant_type=client_credentials&client_id=4f1c0ffee&client_secret=shpss_0123456789abcdef",
      {{"Content-Type", "application/x-www-form-urlencoded"}});
  EXPECT_EQ(by_form.status, 200);
  const auto wrong = http.request_text("POST", "/admin/oauth/access_token",
                                       "grant_type=client_credentials&client_id=4f1c0ffee&client_secret=x",
                                       {{"Content-Type", "application/x-www-form-urlencoded"}});
  EXPECT_EQ(wrong.status, 400);
  EXPECT_EQ(text_at(wrong.body, "error"), "invalid_client");
}

}  // namespace
}  // namespace waybill::tests
