#include <algorithm>
#include <map>
#include <set>

#include "tests/connectors/shopify_fixture.hpp"

namespace waybill::tests {
namespace {

using connectors::StoreOrder;
using connectors::StorePage;
using std::chrono::seconds;

class Shopify : public ShopifyStoreTest {
 protected:
  OpenStore client(std::string_view api_secret) {
    auto with = credentials();
    with.api_secret = api_secret;
    return {connector(), with};
  }
  std::set<std::string> ids(const StorePage<StoreOrder>& page) {
    std::set<std::string> found;
    for (const auto& order : page.records) found.insert(order.external_id);
    return found;
  }
  Time time_of(std::int64_t order) {
    return *parse_timestamp(std::string(shop.order(order).at("updatedAt").as_string()));
  }
};

// Authentication

TEST_F(Shopify, GetsAnAccessTokenOnceAndKeepsIt) {
  store.wait(store->check(false));
  store.wait(store->check(true));
  EXPECT_EQ(shop.grants(), 1U);
  EXPECT_EQ(shop.paths(),
            (std::set<std::string>{"/admin/oauth/access_token", "/admin/api/2026-07/graphql.json"}));
}

TEST_F(Shopify, UsesTheGivenApiVersion) {
  OpenStore other(connector(), credentials(), {.shopify_version = "2025-10"});
  other.wait(other->check(false));
  EXPECT_TRUE(shop.paths().contains("/admin/api/2025-10/graphql.json"));
}

TEST_F(Shopify, RenewsAnExpiredToken) {
  store.wait(store->check(false));
  shop.expire_tokens();
  store.wait(store->check(false));
  EXPECT_EQ(shop.grants(), 2U);
}

TEST_F(Shopify, RenewsATokenAtMostOnceACall) {
  shop.fail_next(Fault::unauthorized, 2);
  EXPECT_EQ(store.error(store->check(false)).problem(), Problem::credentials);
  EXPECT_EQ(shop.grants(), 2U);
}

TEST_F(Shopify, UsesAGivenAccessToken) {
  auto with_token = client(ShopifySimulator::fixed_token);
  with_token.wait(with_token->check(true));
  EXPECT_EQ(shop.grants(), 0U);
  shop.expire_tokens();
  const auto error = with_token.error(with_token->check(false));
  EXPECT_EQ(error.problem(), Problem::credentials);
  EXPECT_EQ(std::string(error.what()).find(ShopifySimulator::fixed_token), std::string::npos);
  EXPECT_EQ(shop.grants(), 0U);
}

TEST_F(Shopify, DoesNotSendAMalformedToken) {
  auto broken = client("shpat_x\r\nX-Other: 1");
  EXPECT_EQ(broken.error(broken->check(false)).problem(), Problem::credentials);
  EXPECT_TRUE(shop.paths().empty());
}

TEST_F(Shopify, ReportsWrongCredentialsWithTheMessageOfTheStore) {
  auto wrong = client("shpss_wrong");
  const auto error = wrong.error(wrong->check(false));
  EXPECT_EQ(error.problem(), Problem::credentials);
  EXPECT_NE(std::string(error.what()).find("The client secret is wrong"), std::string::npos) << error.what();
  EXPECT_EQ(std::string(error.what()).find("shpss_wrong"), std::string::npos);
}

// Check

TEST_F(Shopify, CheckReportsMissingScopes) {
  const auto error_message = [&](std::set<std::string> scopes, bool writes) {
    shop.set_scopes(std::move(scopes));
    const auto error = store.error(store->check(writes));
    EXPECT_EQ(error.problem(), Problem::credentials);
    return std::string(error.what());
  };
  EXPECT_NE(error_message({"read_products"}, false).find("read_orders"), std::string::npos);
  EXPECT_NE(error_message({"read_orders"}, false).find("read_products"), std::string::npos);
  EXPECT_NE(
      error_message({"read_orders", "read_products"}, true).find("write_merchant_managed_fulfillment_orders"),
      std::string::npos);
  EXPECT_NE(error_message({"read_orders", "read_products", "write_fulfillments"}, true)
                .find("write_merchant_managed_fulfillment_orders"),
            std::string::npos);
  shop.set_scopes({"write_orders", "write_products", "write_assigned_fulfillment_orders"});
  store.wait(store->check(true));
}

TEST_F(Shopify, CheckReportsEachProblem) {
  const std::map<Fault, Problem> expected = {
      {Fault::forbidden, Problem::credentials},
      {Fault::not_found, Problem::wrong_store},
      {Fault::html, Problem::wrong_store},
      {Fault::no_data, Problem::wrong_store},
      {Fault::redirect, Problem::wrong_store},
      {Fault::server_error, Problem::failing},
      {Fault::unavailable, Problem::failing},
      {Fault::too_many, Problem::busy},
      {Fault::internal_error, Problem::busy},
      {Fault::frozen, Problem::busy},
      {Fault::cut, Problem::busy},
  };
  for (const auto& [fault, problem] : expected) {
    shop.fail_next(fault);
    const auto error = store.error(store->check(false));
    EXPECT_EQ(error.problem(), problem) << static_cast<int>(fault) << ": " << error.what();
    store.wait(store->check(false));
  }
}

TEST_F(Shopify, CheckReportsAnotherSiteAsAWrongStore) {
  Receiver site;
  site.on_request(
      [](const Received&) { return Reply::with_status(200, {{"Content-Type", "text/html"}}, "<html>"); });
  OpenStore other(connector(), {"id", "secret", site.url("")});
  EXPECT_EQ(other.error(other->check(false)).problem(), Problem::wrong_store);
  OpenStore with_token(connector(), {"id", "shpat_x", site.url("")});
  EXPECT_EQ(with_token.error(with_token->check(false)).problem(), Problem::wrong_store);
  OpenStore nowhere(connector(), {"id", "secret", "http://127.0.0.1:1"});
  EXPECT_EQ(nowhere.error(nowhere->check(false)).problem(), Problem::unreachable);
}

TEST_F(Shopify, NeverSendsTheTokenToAnotherHost) {
  Receiver other_host;
  Receiver redirecting_shop;
  redirecting_shop.on_request([&](const Received&) {
    return Reply::with_status(308, {{"Location", other_host.url("/admin/api/2026-07/graphql.json")}});
  });
  OpenStore other(connector(), {"id", "shpat_x", redirecting_shop.url("")});
  EXPECT_EQ(other.error(other->check(false)).problem(), Problem::wrong_store);
  EXPECT_EQ(other_host.connections(), 0U);
}

TEST_F(Shopify, ReadsARetryAfterWithDecimals) {
  shop.fail_next(Fault::too_many);
  EXPECT_EQ(store.error(store->check(false)).retry_after(), seconds(2));
}

// Orders

TEST_F(Shopify, ReadsAllFieldsOfAnOrder) {
  const auto id = shop.add_order({{"note", "Ring twice"}, {"email", "a@b.example"}});
  const auto page = store.orders();
  ASSERT_EQ(page.records.size(), 1U);
  const auto& order = page.records[0];
  EXPECT_EQ(order.external_id, std::to_string(id));
  EXPECT_EQ(order.number, "#1001");
  EXPECT_EQ(order.status, "processing");
  EXPECT_EQ(order.customer_name, "Anna Müller");
  EXPECT_EQ(order.customer_email, "a@b.example");
  EXPECT_EQ(order.delivery.city, "Berlin");
  EXPECT_EQ(order.recipient.name, "Anna Müller");
  EXPECT_EQ(order.recipient.phone, "+49 30 1234567");
  EXPECT_EQ(order.shipping_method, "Standard");
  EXPECT_EQ(order.shipping_cost, "4.90");
  EXPECT_EQ(order.total, "24.90");
  EXPECT_EQ(order.currency, "EUR");
  EXPECT_EQ(order.notes, "Ring twice");
  ASSERT_EQ(order.items.size(), 1U);
  EXPECT_EQ(order.items[0].quantity, 2);
  EXPECT_EQ(order.changed_at, time_of(id));
  EXPECT_EQ(page.reached, time_of(id));
}

TEST_F(Shopify, AGiftHasItsRecipientAndItsBuyer) {
  const auto id = shop.add_order();
  auto address = shop.order(id).at("shippingAddress").as_object();
  address["name"] = "Grace Hopper";
  address["company"] = "Navy";
  shop.change_order(id, {{"shippingAddress", address}});
  const auto order = store.orders().records.at(0);
  EXPECT_EQ(order.recipient.name, "Grace Hopper");
  EXPECT_EQ(order.recipient.company, "Navy");
  EXPECT_EQ(order.recipient.phone, "+49 30 1234567");
  EXPECT_EQ(order.customer_name, "Anna Müller");
  EXPECT_FALSE(order.customer_company);
  EXPECT_FALSE(order.customer_phone);
}

TEST_F(Shopify, ReadsOneOrderById) {
  const auto id = shop.add_order();
  EXPECT_EQ(store.wait(store->order(std::to_string(id))).records.at(0).external_id, std::to_string(id));
  for (const auto* const unknown : {"1", "no number", "", "1/2"}) {
    const auto page = store.wait(store->order(unknown));
    EXPECT_TRUE(page.records.empty() && page.unreadable.empty()) << unknown;
  }
  const auto test = shop.add_order({{"test", true}});
  EXPECT_TRUE(store.wait(store->order(std::to_string(test))).records.empty());
}

TEST_F(Shopify, ReadsOnlyOrdersChangedSinceTheGivenTime) {
  shop.add_orders(5);
  const auto last = shop.add_order();
  shop.add_orders(3);
  EXPECT_EQ(store.orders(time_of(last)).records.size(), 4U);
  EXPECT_TRUE(store.orders(time_of(last) + std::chrono::hours(1)).records.empty());
}

TEST_F(Shopify, ReadsMoreThanAHundredItems) {
  json::array items;
  for (int i = 0; i < 230; ++i) items.push_back(ShopifyShop::line_item("Tea " + std::to_string(i), i + 1));
  const auto id = shop.add_order({{"lineItems", items}});
  shop.add_order();
  const auto page = store.orders();
  ASSERT_EQ(page.records.size(), 2U);
  ASSERT_EQ(page.records[0].items.size(), 230U);
  for (std::size_t i = 0; i < 230; ++i)
    EXPECT_EQ(page.records[0].items[i].description, "Tea " + std::to_string(i));
  EXPECT_EQ(store.wait(store->order(std::to_string(id))).records.at(0).items.size(), 230U);
}

TEST_F(Shopify, ItemsAndTotalFollowEditsAndRefunds) {
  auto cup = ShopifyShop::line_item("Cup", 3, "5.00");
  cup["currentQuantity"] = 1;
  auto removed = ShopifyShop::line_item("Pot", 1, "50.00");
  removed["currentQuantity"] = 0;
  shop.add_order({{"lineItems", json::array{cup, removed}},
                  {"displayFinancialStatus", "PARTIALLY_REFUNDED"},
                  {"currentTotalPriceSet", ShopifyShop::money("5.00", "EUR")}});
  const auto order = store.orders().records.at(0);
  EXPECT_EQ(order.status, "processing");
  EXPECT_EQ(order.total, "5.00");
  ASSERT_EQ(order.items.size(), 1U);
  EXPECT_EQ(order.items[0].quantity, 1);
}

TEST_F(Shopify, ReadsACancelledOrder) {
  const auto id = shop.add_order();
  shop.change_order(id, {{"cancelledAt", "2026-07-01T11:00:00Z"}});
  EXPECT_EQ(store.orders().records.at(0).status, "cancelled");
}

TEST_F(Shopify, AnOrderOfADigitalProductHasNoAddress) {
  shop.add_order({{"shippingAddress", nullptr}});
  const auto order = store.orders().records.at(0);
  EXPECT_FALSE(order.delivery.street);
  EXPECT_EQ(order.customer_name, "Anna Müller");
}

TEST_F(Shopify, CustomersWithoutReadPermissionAreAbsent) {
  shop.set_scopes({"read_orders", "read_products"});
  shop.add_orders(3);
  const auto page = store.orders();
  ASSERT_EQ(page.records.size(), 3U);
  EXPECT_EQ(page.records[0].customer_name, "Anna Müller");  // the name in the address
}

TEST_F(Shopify, OrdersWithoutReadPermissionAreReported) {
  shop.set_scopes({"read_products"});
  const auto sweep = store->orders_since(std::nullopt);
  const auto error = store.error(sweep->next());
  EXPECT_EQ(error.problem(), Problem::credentials);
  EXPECT_NE(std::string(error.what()).find("read_orders"), std::string::npos);
}

TEST_F(Shopify, CurrenciesWithZeroOrThreeDecimalsAndForeignTextsAreExact) {
  shop.add_order({{"currentTotalPriceSet", ShopifyShop::money("1500", "JPY")},
                  {"lineItems", json::array{ShopifyShop::line_item("抹茶 “宇治” 🍵", 1, "1500")}}});
  shop.add_order({{"currentTotalPriceSet", ShopifyShop::money("1.234", "KWD")}});
  const auto page = store.orders();
  EXPECT_EQ(page.records.at(0).total, "1500");
  EXPECT_EQ(page.records.at(0).currency, "JPY");
  EXPECT_EQ(page.records.at(0).items.at(0).description, "抹茶 “宇治” 🍵");
  EXPECT_EQ(page.records.at(1).total, "1.234");
}

TEST_F(Shopify, TestOrdersAreSkipped) {
  shop.without_limits();
  for (int i = 0; i < 150; ++i) shop.add_order({{"test", true}});
  const auto real = shop.add_order();
  EXPECT_EQ(ids(store.orders()), (std::set<std::string>{std::to_string(real)}));
}

TEST_F(Shopify, AnUnreadableOrderDoesNotAffectOthers) {
  shop.add_order();
  const auto broken = shop.add_order({{"currentTotalPriceSet", nullptr}});
  shop.add_order();
  const auto page = store.orders();
  EXPECT_EQ(page.records.size(), 2U);
  ASSERT_EQ(page.unreadable.size(), 1U);
  EXPECT_EQ(page.unreadable[0].external_id, std::to_string(broken));
  EXPECT_EQ(page.unreadable[0].number, "#1002");
}

// Products

TEST_F(Shopify, ReadsProductsWithTheirVariants) {
  shop.without_limits();
  shop.add_product();
  json::array variants;
  for (int i = 0; i < 130; ++i)
    variants.push_back(ShopifyShop::variant("Size " + std::to_string(i), "S", "1.00", 2, "POUNDS"));
  shop.add_product({{"title", "Cup"}, {"hasOnlyDefaultVariant", false}, {"variants", variants}});
  const auto page = store.products();
  ASSERT_EQ(page.records.size(), 2U);
  EXPECT_EQ(page.records[0].sku, "TEA-1");
  EXPECT_EQ(page.records[0].weight, "0.25");
  ASSERT_EQ(page.records[1].variants.size(), 130U);
  EXPECT_EQ(page.records[1].variants[129].name, "Size 129");
  EXPECT_EQ(page.records[1].variants[129].weight, "0.907185");
  EXPECT_EQ(store.products(page.reached).records.size(), 1U);
}

TEST_F(Shopify, ReadsAProductByItsIdUntilItIsGone) {
  shop.without_limits();
  json::array variants;
  for (int i = 0; i < 130; ++i)
    variants.push_back(ShopifyShop::variant("Size " + std::to_string(i), "S" + std::to_string(i), "1.00"));
  const auto cup =
      shop.add_product({{"title", "Cup"}, {"hasOnlyDefaultVariant", false}, {"variants", variants}});
  const auto page = store.wait(store->product(std::to_string(cup)));
  ASSERT_EQ(page.records.size(), 1U);
  EXPECT_EQ(page.records[0].external_id, std::to_string(cup));
  ASSERT_EQ(page.records[0].variants.size(), 130U);
  EXPECT_EQ(page.records[0].variants[129].sku, "S129");
  shop.remove_product(cup);
  const auto gone = store.wait(store->product(std::to_string(cup)));
  EXPECT_TRUE(gone.records.empty());
  EXPECT_TRUE(gone.unreadable.empty());
  shop.set_scopes({"read_orders"});
  EXPECT_EQ(store.error(store->product(std::to_string(cup))).problem(), Problem::credentials);
}

}  // namespace
}  // namespace waybill::tests
