// Erasing a person in texts of orders and shipments that stay: items, shipping method, data for customs.
#include <string>

#include "tests/api/customers/erasure_fixture.hpp"

namespace waybill::tests {
namespace {

class ErasedTexts : public ErasureTest {
 protected:
  std::string item_text(const std::string& order, const std::string& member) {
    return tenant.sql.value("select items -> 0 ->> $2 from orders where guid = $1", {order, member});
  }
  std::string create_order(const std::string& customer, const std::string& description) {
    return tenant.create_order({{"customer", nullptr},
                                {"customerId", customer},
                                {"items", {{{"description", description}, {"quantity", 2}, {"price", 4}}}}});
  }
  json::value customs_of(const std::string& shipment) {
    return at(http.get("/api/v1/shipments/" + shipment).data(), "customs");
  }
};

TEST_F(ErasedTexts, OfItemsAndShippingMethodsStayWithoutThePerson) {
  const auto customer = create_person();
  const auto order = tenant.create_order(
      {{"customer", nullptr},
       {"customerId", customer},
       {"shippingMethod", "Bring to zenobia QUUX"},
       {"items",
        {{{"description", "Mug (Gift text: Dear Zenobia Quux, call " + std::string(phone) + ")"},
          {"sku", email},
          {"quantity", 2},
          {"price", 4.5}}}}});
  const auto guid = item_text(order, "guid");
  tenant.put_order(order, {{"shippingMethod", "To " + std::string(email)}});
  tenant.settle();
  EXPECT_GT(traces().size(), 3U);
  erase(customer);
  EXPECT_EQ(traces(), std::vector<std::string>());
  const auto shown = http.get("/api/v1/Orders/" + order).data();
  EXPECT_EQ(text_at(shown, "shippingMethod"), "To Erased");
  EXPECT_EQ(text_at(shown, "items.0.description"), "Mug (Gift text: Dear Erased, call Erased)");
  EXPECT_EQ(text_at(shown, "items.0.sku"), "Erased");
  EXPECT_EQ(text_at(shown, "items.0.guid"), guid);
  EXPECT_EQ(at(shown, "items.0.quantity"), 2);
  EXPECT_EQ(at(shown, "totalValue"), 9);
  EXPECT_EQ(at(erase(customer), "events"), 0) << "a repeated request finds nothing";
}

TEST_F(ErasedTexts, KeepWhatIsPartOfTheNameOrOfAnotherWord) {
  const auto whole = create_person();
  const auto first_name = create_order(whole, "Zenobia lamp of quux, annual");
  erase(whole);
  EXPECT_EQ(item_text(first_name, "description"), "Zenobia lamp of quux, annual");

  const auto ann = text_at(http.post("/api/v1/Customers", {{"name", "Ann"}}).data(), "guid");
  const auto order = create_order(ann, "Annual planner for ANN, Joann and Ann's dog");
  erase(ann);
  EXPECT_EQ(item_text(order, "description"), "Annual planner for Erased, Joann and Erased's dog");
}

TEST_F(ErasedTexts, OfScriptsWithoutBlanksLoseTheNameInsideASentence) {
  const auto customer = text_at(http.post("/api/v1/Customers", {{"name", "王小明"}}).data(), "guid");
  const auto order = create_order(customer, "致王小明的礼物");
  erase(customer);
  EXPECT_EQ(item_text(order, "description"), "致Erased的礼物");
}

TEST_F(ErasedTexts, NameAlsoTheEarlierNamesAndRecipients) {
  const auto customer = create_person();
  const auto order = create_order(customer, "For Zenobia Quux and Wilhelmina Voss");
  tenant.put_order(order, {{"deliveryAddress", {{"name", "Wilhelmina Voss"}, {"city", "Porto"}}}});
  ASSERT_EQ(http.put("/api/v1/Customers/" + customer, {{"name", "Yolanda Brandt"}}).status, 200);
  erase(customer);
  EXPECT_EQ(item_text(order, "description"), "For Erased and Erased");
}

TEST_F(ErasedTexts, OfOtherCustomersStay) {
  const auto customer = create_person();
  const auto other = text_at(http.post("/api/v1/Customers", {{"name", "Bob"}}).data(), "guid");
  const auto order = create_order(other, "Lamp model Zenobia Quux");
  erase(customer);
  EXPECT_EQ(item_text(order, "description"), "Lamp model Zenobia Quux");
}

TEST_F(ErasedTexts, WrittenBySqlAreErasedInAnyShape) {
  const auto customer = create_person();
  const auto order = create_order(customer, "Mug");
  tenant.sql.rows(
      "update orders set items = jsonb_build_array($2::text, 7, jsonb_build_object('gift', "
      "jsonb_build_object('text', $2::text, 'size', 4), 'size', jsonb_build_object('width', 1.50))) where "
      "guid = $1",
      {order, "for " + std::string(name)});
  tenant.settle();
  erase(customer);
  EXPECT_EQ(traces(), std::vector<std::string>());
  EXPECT_EQ(tenant.sql.value(R"(select regexp_replace(items::text, ', "guid": "[^"]*"', '') from orders )"
                             "where guid = $1",
                             {order}),
            R"(["for Erased", 7, {"sku": null, "gift": null, "size": {"width": 1.50}, "price": null, )"
            R"("quantity": null, "productId": null, "dimensions": null, "description": null}])");
}

TEST_F(ErasedTexts, OfCustomsAreClearedAndTheirNumbersAndCodesStay) {
  const auto customer = create_person();
  const auto shipment = create_shipment_of(create_order_of(customer));
  ASSERT_EQ(http.put("/api/v1/shipments/" + shipment,
                     {{"customs",
                       {{"contents", "gift"},
                        {"incoterm", "DDP"},
                        {"items",
                         {{{"description", "for Zenobia Quux " + std::string(email)},
                           {"quantity", 2},
                           {"value", 7.5},
                           {"currency", "EUR"},
                           {"weight", 0.25},
                           {"hsCode", "691200"},
                           {"originCountry", "PT"}},
                          {{"description", "a secret surprise"}, {"quantity", 1}}}}}}})
                .status,
            200);
  tenant.settle();
  EXPECT_NE(dump().find("a secret surprise"), std::string::npos);
  erase(customer);
  EXPECT_EQ(traces(), std::vector<std::string>());
  EXPECT_EQ(dump().find("a secret surprise"), std::string::npos) << "in the shipment and in its events";
  const json::value expected{{"contents", "gift"},
                             {"incoterm", "DDP"},
                             {"items",
                              {{{"description", "Erased"},
                                {"quantity", 2},
                                {"value", 7.5},
                                {"currency", "EUR"},
                                {"weight", 0.25},
                                {"hsCode", "691200"},
                                {"originCountry", "PT"}},
                               {{"description", "Erased"},
                                {"quantity", 1},
                                {"value", nullptr},
                                {"currency", nullptr},
                                {"weight", nullptr},
                                {"hsCode", nullptr},
                                {"originCountry", nullptr}}}}};
  EXPECT_EQ(customs_of(shipment), expected);
  EXPECT_EQ(at(erase(customer), "events"), 0) << "a repeated request finds nothing";
  EXPECT_EQ(customs_of(shipment), expected);
}

TEST_F(ErasedTexts, OfCustomsThatSqlWroteLoseUnknownMembers) {
  const auto customer = create_person();
  const auto shipment = create_shipment_of(create_order_of(customer));
  tenant.sql.rows(
      "update shipments set customs = jsonb_build_object('signer', $2::text, 'contents', $2::text, 'items', "
      "jsonb_build_array(jsonb_build_object('hsCode', $2::text, 'invoice', $2::text, 'quantity', '2'), 7)) "
      "where guid = $1",
      {shipment, std::string(name)});
  tenant.settle();
  erase(customer);
  EXPECT_EQ(traces(), std::vector<std::string>());
  EXPECT_EQ(
      tenant.sql.value("select customs #>> '{items,0,quantity}' from shipments where guid = $1", {shipment}),
      "2");
}

}  // namespace
}  // namespace waybill::tests
