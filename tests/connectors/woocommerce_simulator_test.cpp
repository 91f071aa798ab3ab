#include "tests/simulators/woocommerce/woocommerce_simulator.hpp"

#include <filesystem>

#include <gtest/gtest.h>

#include "base/crypto.hpp"
#include "connectors/woocommerce/oauth1.hpp"
#include "tests/harness/http.hpp"
#include "tests/harness/packages.hpp"

namespace waybill::tests {
namespace {

using connectors::oauth1::Parameters;
using std::chrono::minutes;
using std::chrono::seconds;

const Time noon = *parse_timestamp("2026-07-01T12:00:00Z");  // 14:00 in Berlin

// WooCommerce's official client must accept the simulator as a store.
json::value official_client(const std::string& url, const std::string& key, const std::string& secret) {
  const auto folder = package_folder("woocommerce");
  const auto finished = run({"node", folder / "woocommerce_client.js", url, key, secret});
  EXPECT_EQ(finished.status, 0)
      << finished.standard_error
      << "\n./dev test installs its packages into tests/packages/woocommerce/node_modules";
  boost::system::error_code error;
  return json::parse(finished.standard_output, error);
}

TEST(WooCommerceSimulatorTest, TheOfficialClientIsAccepted) {
  WooCommerceSimulator store;
  const auto first =
      store.add_orders(5, system_clock().now() - std::chrono::hours(1), std::chrono::seconds(1));
  const auto result = official_client(store.url(), store.key(), store.secret());
  EXPECT_EQ(at(result, "status"), 200) << to_json(result);
  EXPECT_EQ(at(result, "ids"), (json::array{first + 2, first + 3}));
  EXPECT_EQ(at(result, "total"), "5");
  EXPECT_EQ(at(result, "pages"), "3");
  EXPECT_EQ(at(result, "made"), 201);
  EXPECT_EQ(at(result, "changed"), "completed");
}

TEST(WooCommerceSimulatorTest, TheOfficialClientWithTheWrongSecretIsRefused) {
  WooCommerceSimulator store;
  const auto result = official_client(store.url(), store.key(), "cs_wrong");
  EXPECT_EQ(at(result, "status"), 401) << to_json(result);
  EXPECT_EQ(at(result, "error.code"), "woocommerce_rest_authentication_error");
  EXPECT_EQ(at(result, "error.message"), "Invalid signature - provided signature does not match.");
  EXPECT_EQ(at(official_client(store.url(), "ck_unknown", store.secret()), "error.message"),
            "Consumer key is invalid.");
}

TEST(WooCommerceSimulatorTest, BasicAuthenticationIsIgnoredOverHttp) {
  WooCommerceSimulator store;
  const std::string target = store.url().substr(store.url().rfind(':') + 1);
  Http http("127.0.0.1", std::stoi(target));
  const std::string pair = store.key() + ":" + store.secret();
  const auto* const bytes = reinterpret_cast<const std::uint8_t*>(pair.data());
  const auto response =
      http.get("/wp-json/wc/v3/orders", {{"Authorization", "Basic " + base64({bytes, pair.size()})}});
  EXPECT_EQ(response.status, 401);
  EXPECT_EQ(at(response.body, "code"), "woocommerce_rest_cannot_view");
  EXPECT_EQ(at(response.body, "data.status"), 401);
}

/// Calls without a connector.
class Caller {
 public:
  explicit Caller(const WooCommerceSimulator& store)
      : store_(store), http_("127.0.0.1", std::stoi(store.url().substr(store.url().rfind(':') + 1))) {}

  std::string target(const std::string& route, const Parameters& parameters, const std::string& nonce,
                     Time now = system_clock().now(), const std::string& method = "GET") const {
    const std::string path = "/wp-json/" + route;
    return path + "?" +
           connectors::oauth1::signed_query(method, store_.url() + path, parameters,
                                            {store_.key(), store_.secret()}, now, nonce);
  }
  Response get(const std::string& route, const Parameters& parameters = {}) {
    return http_.get(target(route, parameters, "n" + std::to_string(++nonces_)));
  }
  Response get_target(const std::string& target) { return http_.get(target); }
  std::size_t found(const Parameters& parameters) {
    return get("wc/v3/orders", parameters).body.as_array().size();
  }

 private:
  const WooCommerceSimulator& store_;
  Http http_;
  int nonces_ = 0;
};

TEST(WooCommerceSimulatorTest, FiltersAreStrictAndInLocalTimeUnlessGmt) {
  WooCommerceSimulator store;
  store.add_order({}, noon);
  Caller call(store);
  const auto after = [&](const char* time, bool gmt) {
    Parameters parameters = {{"modified_after", time}};
    if (gmt) parameters.emplace_back("dates_are_gmt", "true");
    return call.found(parameters);
  };
  EXPECT_EQ(after("2026-07-01T11:59:59", true), 1U);
  EXPECT_EQ(after("2026-07-01T12:00:00", true), 0U) << "strictly after";
  EXPECT_EQ(after("2026-07-01T13:59:59", false), 1U);
  EXPECT_EQ(after("2026-07-01T14:00:00", false), 0U);
  EXPECT_EQ(after("2026-07-01T10:00:00Z", true), 0U) << "a Z makes it 12:00, on the GMT column";
  EXPECT_EQ(after("2026-07-01T09:59:59Z", true), 1U);
  EXPECT_EQ(after("2026-07-01T11:59:59Z", false), 1U);
  EXPECT_EQ(call.get("wc/v3/orders", {{"modified_after", "yesterday"}}).status, 400);
}

TEST(WooCommerceSimulatorTest, ListsBehaveAsInTheCrudController) {
  WooCommerceSimulator store;
  const auto first = store.add_orders(25, noon, seconds(1));
  store.add_order({{"status", "checkout-draft"}}, noon);
  store.add_order({{"status", "trash"}}, noon);
  Caller call(store);
  EXPECT_EQ(call.found({}), 10U);
  for (const auto* const per_page : {"0", "101", "x"}) {
    const auto refused = call.get("wc/v3/orders", {{"per_page", per_page}});
    EXPECT_EQ(refused.status, 400);
    EXPECT_EQ(at(refused.body, "code"), "rest_invalid_parameter");
    EXPECT_EQ(at(refused.body, "data.status"), 400);
  }
  const auto last = call.get("wc/v3/orders", {{"page", "3"}, {"order", "asc"}, {"orderby", "modified"}});
  EXPECT_EQ(last.body.as_array().size(), 5U);
  EXPECT_EQ(at(last.body, "4.id"), first + 24);
  EXPECT_EQ(last.header("x-wp-total"), "25");
  EXPECT_EQ(last.header("x-wp-totalpages"), "3");
  EXPECT_NE(last.header("link").find("rel=\"prev\""), std::string::npos);
  const auto beyond = call.get("wc/v3/orders", {{"page", "4"}});
  EXPECT_EQ(beyond.status, 200);
  EXPECT_TRUE(beyond.body.as_array().empty());
  EXPECT_EQ(call.found({{"status", "trash"}}), 1U);
  EXPECT_EQ(at(call.get("wc/v3/orders", {{"_fields", "id,total"}}).body, "0").as_object().size(), 2U);
}

TEST(WooCommerceSimulatorTest, OrdersHaveTheFormatOfWooCommerce) {
  WooCommerceSimulator store;
  const auto id = store.add_order({}, noon);
  Caller call(store);
  const auto order = call.get("wc/v3/orders/" + std::to_string(id)).body;
  EXPECT_EQ(at(order, "date_modified"), "2026-07-01T14:00:00");
  EXPECT_EQ(at(order, "date_modified_gmt"), "2026-07-01T12:00:00");
  EXPECT_TRUE(at(order, "total").is_string());
  EXPECT_TRUE(at(order, "line_items.0.price").is_number());
  store.delete_order(id);
  const auto gone = call.get("wc/v3/orders/" + std::to_string(id));
  EXPECT_EQ(gone.status, 404);
  EXPECT_EQ(at(gone.body, "code"), "woocommerce_rest_shop_order_invalid_id");
  EXPECT_EQ(at(call.get("wc-ast/v3/orders/1/shipment-trackings").body, "code"), "rest_no_route");
}

TEST(WooCommerceSimulatorTest, ANonceIsValidOnceAndATimestampForFifteenMinutes) {
  WooCommerceSimulator store;
  Caller call(store);
  const auto target = call.target("wc/v3/orders", {}, "once");
  EXPECT_EQ(call.get_target(target).status, 200);
  EXPECT_EQ(at(call.get_target(target).body, "message"), "Invalid nonce - nonce has already been used.");
  const Time now = system_clock().now();
  EXPECT_EQ(call.get_target(call.target("wc/v3/orders", {}, "a", now - minutes(14))).status, 200);
  EXPECT_EQ(call.get_target(call.target("wc/v3/orders", {}, "b", now - minutes(16))).status, 401);
  EXPECT_EQ(call.get_target(call.target("wc/v3/orders", {}, "c", now + minutes(16))).status, 401);
  EXPECT_EQ(call.get_target(call.target("wc/v3/orders", {}, "d") + "&page=2").status, 401) << "not signed";
  const auto missing = call.get_target("/wp-json/wc/v3/orders?oauth_nonce=1");
  EXPECT_EQ(at(missing.body, "code"), "woocommerce_rest_authentication_missing_parameter");
}

TEST(WooCommerceSimulatorTest, TheLastOfTwoEqualParametersCounts) {
  WooCommerceSimulator store;
  Caller call(store);
  const auto target = call.target("wc/v3/orders", {{"page", "2"}}, "twice");
  EXPECT_EQ(call.get_target(target + "&" + target.substr(target.find('?') + 1)).status, 200);
  EXPECT_EQ(query_parameters("/?a=1&a=2&b[]=x&b[]=y&c=%2B+1"),
            (std::map<std::string, std::string>{{"a", "2"}, {"b[0]", "x"}, {"b[1]", "y"}, {"c", "+ 1"}}));
}

}  // namespace
}  // namespace waybill::tests
