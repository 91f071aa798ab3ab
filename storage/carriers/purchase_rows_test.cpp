#include "storage/carriers/purchase_rows.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "base/utf8.hpp"

namespace waybill::storage {
namespace {

const Time start = parse_timestamp("2026-11-20T08:00:00.123456Z").value();

StoredPurchase bought_purchase() {
  StoredPurchase purchase;
  purchase.service_level = "standard";
  purchase.test_mode = false;
  domain::Purchase& facts = purchase.facts;
  facts.status = domain::PurchaseStatus::bought;
  facts.connector = "karrio";
  facts.gateway_id = "shp_1";
  facts.quote = {"rat_1", "ground", "Ground", {"7.50", "EUR"}};
  facts.price = {"7.5000000000000000001", "EUR"};
  facts.tracking_numbers = {"1Z1", "1Z2"};
  facts.requested_at = start;
  facts.bought_at = start;
  return purchase;
}

json::object written(const StoredPurchase& purchase) { return json::parse(facts_json(purchase)).as_object(); }

TEST(FactsOfPurchases, KeepAmountsExactAndTimesToTheMicrosecond) {
  const json::object facts = written(bought_purchase());
  EXPECT_EQ(facts.at("price"), "7.5000000000000000001");
  EXPECT_EQ(facts.at("quote"), "7.50");
  EXPECT_EQ(facts.at("bought_at"), "2026-11-20 08:00:00.123456+00");
  EXPECT_EQ(facts.at("status"), "bought");
  EXPECT_EQ(facts.at("service_code"), "ground");  // that of the quote while the answer has none
  EXPECT_TRUE(facts.at("next_at").is_null());
  EXPECT_TRUE(facts.at("void_state").is_null());
  EXPECT_EQ(texts_of(to_json(facts.at("tracking_numbers"))), (std::vector<std::string>{"1Z1", "1Z2"}));
}

// A paid label is stored whatever texts the gateway sends with it.
TEST(FactsOfPurchases, HaveOnlyTextsAndAmountsThatTheDatabaseTakes) {
  StoredPurchase purchase = bought_purchase();
  purchase.facts.price = {"seven", "EUR"};
  purchase.facts.tracking_numbers = {std::string("1Z\0\xff", 4)};
  purchase.facts.tracking_url = std::string(5'000, 'x');
  purchase.facts.error = {std::string("\0", 1), "caf\xc3\xa9 \xc3"};
  const json::object facts = written(purchase);
  EXPECT_TRUE(facts.at("price").is_null());
  EXPECT_EQ(texts_of(to_json(facts.at("tracking_numbers"))), std::vector<std::string>{"1Z"});
  EXPECT_EQ(facts.at("tracking_url").as_string().size(), 2'000U);
  EXPECT_TRUE(facts.at("error_code").is_null());
  EXPECT_EQ(facts.at("error_text"), "caf\xc3\xa9 ");
  purchase.facts.error.text = std::string(1'999, 'x') + "\xc3\xa9";
  EXPECT_TRUE(is_utf8(written(purchase).at("error_text").as_string()));
}

/// A row as facts.inc gives it.
struct Row {
  Guid guid = Guid::from_name(namespace_url, "purchase"),
       shipment_id = Guid::from_name(namespace_url, "shipment");
  std::int32_t attempt = 2;
  std::string_view status = "voiding";
  std::optional<Guid> stray_of;
  Guid reference = guid;
  std::optional<Guid> carrier_id;
  std::string_view connector = "karrio", wanted = "{}";
  std::optional<std::string_view> gateway_id = "shp_1", rate_id, service_level, service_code = "ground",
                                  service_name, quote = "7.50", quote_currency = "EUR", price = "7.60",
                                  currency = "EUR";
  bool is_dearer = true;
  std::optional<std::string_view> max_price = "10", max_currency = "EUR";
  std::string_view format = "zpl";
  std::optional<bool> test_mode = true;
  std::string_view tracking_numbers = R"(["1Z1"])";
  std::optional<std::string_view> tracking_url;
  bool has_label = true;
  std::optional<std::string_view> error_code, error_text, void_state = "pending", resolution = "not_bought";
  Time requested_at = start;
  std::optional<Time> looked_up_at, draft_begun_at, buy_begun_at = start, unknown_since, resolved_at,
                                                    bought_at = start, voiding_since, void_begun_at,
                                                    voided_at, erased_at;
  std::int32_t attempts = 1, lookups = 3;
  std::optional<Time> next_at, estimated_delivery = start;
};

TEST(RowsOfPurchases, AreReadAsTheyAreWritten) {
  const Guid business = Guid::from_name(namespace_url, "business");
  const Row row;
  const StoredPurchase purchase = purchase_of(business, row);
  EXPECT_EQ(purchase.key, (PurchaseKey{business, row.shipment_id, row.guid}));
  EXPECT_EQ(purchase.facts.max_price, (domain::Money{"10", "EUR"}));
  EXPECT_FALSE(purchase.facts.is_stray);
  const json::object facts = written(purchase);
  EXPECT_EQ(facts.at("status"), "voiding");
  EXPECT_EQ(facts.at("price"), "7.60");
  EXPECT_EQ(facts.at("void_state"), "pending");
  EXPECT_EQ(facts.at("resolution"), "not_bought");
  EXPECT_EQ(facts.at("lookups"), 3);
  EXPECT_EQ(facts.at("test_mode"), true);
  EXPECT_EQ(facts.at("is_dearer"), true);
  EXPECT_EQ(facts.at("estimated_delivery").as_string(), format_sql_timestamp(start));
}

}  // namespace
}  // namespace waybill::storage
