// Recipients, shipping, sources and the users' own data of orders, and the defaults of the business.
#include "tests/api/fixtures/api_fixture.hpp"

namespace waybill::tests {
namespace {

constexpr std::string_view defaults = "/api/business/default-configuration";

class OrderFieldsTest : public ApiTest {
 protected:
  using Texts = std::vector<std::string>;

  static std::string path_of(std::string_view guid) { return "/api/v1/Orders/" + std::string(guid); }

  json::value created(const json::object& fields = {}) {
    const auto response = http.post("/api/v1/Orders", order_body(fields));
    EXPECT_EQ(response.status, 201) << response.text;
    return response.data();
  }

  Response filtered(std::string_view filter) {
    return http.get("/api/v1/Orders?$orderby=orderNumber&$filter=" + url_encode(filter));
  }

  /// The numbers of the orders that a filter finds.
  Texts found(std::string_view filter) {
    const auto response = filtered(filter);
    EXPECT_EQ(response.status, 200) << filter << ": " << response.text;
    return texts(response, "orderNumber");
  }

  Texts searched(std::string_view words) {
    const auto response = http.get("/api/v1/Orders?$orderby=orderNumber&$search=" + url_encode(words));
    EXPECT_EQ(response.status, 200) << words << ": " << response.text;
    return texts(response, "orderNumber");
  }

  std::string integration(std::string_view store) {
    return tenant.sql.value(
        "insert into integrations (business_id, provider, store_url, api_key, status, due_at) "
        "values ($1, 'medusa', $2, '', 'disabled', 'infinity') returning guid",
        {tenant.id, "https://" + std::string(store)});
  }

  std::string imported(std::string_view number, std::string_view integration, std::string_view store_id) {
    return tenant.insert_order({{"order_number", "'" + std::string(number) + "'"},
                                {"integration_id", "'" + std::string(integration) + "'"},
                                {"external_id", "'" + std::string(store_id) + "'"},
                                {"source_type", "'import'"},
                                {"source_url", "'https://shop.example.com/admin/1'"},
                                {"total_value", "77"}});
  }

  std::string carrier(std::string_view name) {
    const auto carriers = http.get("/api/carriers").data();
    for (const auto& entry : carriers.as_array()) {
      if (text_at(entry, "name") == name) return text_at(entry, "guid");
    }
    ADD_FAILURE() << "no carrier " << name;
    return {};
  }
};

const json::object gift_address{{"street", "Rua Augusta 1"}, {"city", "Lisbon"},
                                {"name", "Grace Hopper"},    {"company", "Navy"},
                                {"phone", "+351 1"},         {"email", "grace@example.org"}};

TEST_F(OrderFieldsTest, TheRecipientIsKeptChangedAndCleared) {
  const auto order = created({{"deliveryAddress", gift_address}});
  const auto guid = text_at(order, "guid");
  for (const auto* const name : {"name", "company", "phone", "email"}) {
    const auto path = "deliveryAddress." + std::string(name);
    EXPECT_EQ(text_at(order, path), gift_address.at(name).as_string());
    EXPECT_EQ(text_at(http.get("/api/v1/Orders").data(), "0." + path), gift_address.at(name).as_string());
  }
  const auto changed =
      http.put(path_of(guid), {{"deliveryAddress", {{"phone", nullptr}, {"name", "Rear Admiral Hopper"}}}});
  EXPECT_EQ(text_at(changed.data(), "deliveryAddress.name"), "Rear Admiral Hopper");
  EXPECT_EQ(text_at(changed.data(), "deliveryAddress.company"), "Navy");
  EXPECT_TRUE(at(changed.data(), "deliveryAddress.phone").is_null());
  EXPECT_TRUE(at(created(), "deliveryAddress.name").is_null()) << "nothing is filled in";
}

TEST_F(OrderFieldsTest, WrongRecipientsAndShippingAreRefused) {
  expect_invalid(http.post("/api/v1/Orders", order_body({{"deliveryAddress",
                                                          {{"street", "S"},
                                                           {"city", "C"},
                                                           {"name", std::string(201, 'n')},
                                                           {"company", 1},
                                                           {"phone", std::string(201, '1')},
                                                           {"email", "grace"}}},
                                                         {"shippingMethod", std::string(201, 'm')},
                                                         {"shippingCost", -1}})),
                 {"deliveryAddress.name", "deliveryAddress.company", "deliveryAddress.phone",
                  "deliveryAddress.email", "shippingMethod", "shippingCost"});
  const auto guid = text_at(created(), "guid");
  expect_invalid(http.put(path_of(guid), {{"shippingCost", 1.005}, {"shippingMethod", 7}}),
                 {"shippingCost", "shippingMethod"});
  expect_invalid(http.put(path_of(guid), {{"shippingCost", 1e12}}), {"shippingCost"});
}

TEST_F(OrderFieldsTest, ShippingIsKeptExactlyAndCleared) {
  const auto order = created({{"shippingMethod", "Express (1-2 days)"}, {"shippingCost", 1234567.89}});
  const auto guid = text_at(order, "guid");
  EXPECT_EQ(text_at(order, "shippingMethod"), "Express (1-2 days)");
  EXPECT_EQ(tenant.sql.value("select shipping_cost from orders where guid = $1", {guid}), "1234567.89");
  EXPECT_EQ(at(order, "totalValue").to_number<double>(), 39.98) << "the sum of the items";
  EXPECT_EQ(http.put(path_of(guid), {{"shippingCost", 100}}).data().at("shippingCost"), 100);
  const auto cleared = http.put(path_of(guid), {{"shippingMethod", nullptr}, {"shippingCost", nullptr}});
  EXPECT_TRUE(cleared.data().at("shippingMethod").is_null());
  EXPECT_TRUE(cleared.data().at("shippingCost").is_null());
}

TEST_F(OrderFieldsTest, EveryOrderHasASourceThatNoClientChanges) {
  const json::value api{{"type", "api"}, {"integration", nullptr}, {"externalId", nullptr}, {"url", nullptr}};
  const auto order = created({{"source", {{"type", "import"}, {"url", "https://forged.example.com"}}}});
  EXPECT_EQ(order.at("source"), api) << "a read-only field is ignored";
  EXPECT_EQ(http.put(path_of(text_at(order, "guid")), {{"source", {{"type", "sql"}}}}).data().at("source"),
            api);

  const auto store = integration("shop.example.com");
  const auto import = http.get(path_of(imported("1001", store, "9"))).data().at("source");
  EXPECT_EQ(
      import,
      json::value({{"type", "import"},
                   {"integration", {{"guid", store}, {"name", "shop.example.com"}, {"provider", "medusa"}}},
                   {"externalId", "9"},
                   {"url", "https://shop.example.com/admin/1"}}));
  EXPECT_EQ(text_at(http.get(path_of(tenant.insert_order())).data(), "source.type"), "sql");
}

TEST_F(OrderFieldsTest, OrdersOlderThanTheirSourceHaveOneToo) {
  const auto store = integration("shop.example.com");
  const auto import = imported("1001", store, "9");
  const auto plain = tenant.insert_order({{"order_number", "'2'"}});
  tenant.update_orders("source_type = null, status_changed_at = null where true");
  EXPECT_EQ(text_at(http.get(path_of(import)).data(), "source.type"), "import");
  const auto shown = http.get(path_of(plain)).data();
  EXPECT_EQ(text_at(shown, "source.type"), "api");
  EXPECT_TRUE(shown.at("statusChangedAt").is_null());
  EXPECT_EQ(found("source/type eq 'import'"), Texts{"1001"});
  EXPECT_EQ(found("source/type eq 'api'"), Texts{"2"});
}

TEST_F(OrderFieldsTest, AMoveSetsTheTimeOfTheStatus) {
  const auto order = created();
  const auto guid = text_at(order, "guid");
  EXPECT_EQ(order.at("statusChangedAt"), order.at("createdAt"));
  const auto edited = http.put(path_of(guid), {{"notes", "n"}, {"statusChangedAt", "2020-01-01T00:00:00Z"}});
  EXPECT_EQ(edited.data().at("statusChangedAt"), order.at("createdAt"));
  tenant.move_order(guid, "ready");
  const auto moved = http.get(path_of(guid)).data();
  EXPECT_GE(text_at(moved, "statusChangedAt"), text_at(edited.data(), "updatedAt"));
  EXPECT_EQ(found("statusChangedAt gt createdAt").size(), 1U);
}

TEST_F(OrderFieldsTest, AnImportKeepsTheTotalOfItsStore) {
  const auto guid = imported("1001", integration("shop.example.com"), "9");
  const auto changed =
      http.put(path_of(guid), {{"items", {{{"description", "y"}, {"quantity", 2}, {"price", 4}}}}});
  ASSERT_EQ(changed.status, 200) << changed.text;
  EXPECT_EQ(at(changed.data(), "totalValue"), 77);
}

TEST_F(OrderFieldsTest, AFieldIsPutAloneAsWithOthers) {
  const auto alone = text_at(created(), "guid");
  const auto together = text_at(created(), "guid");
  const json::object bodies[] = {
      {{"notes", "a\nb \u00e9"}},
      {{"notes", ""}},
      {{"shippingMethod", "Sled"}, {"shippingCost", 12.50}},
      {{"shippingCost", 0}, {"shippingMethod", nullptr}},
      {{"collectionDate", "2026-12-01T10:00:00.1239+02:00"}},
      {{"collectionDate", nullptr}, {"shippingCost", nullptr}},
      {{"externalReference", "r"}, {"tags", {"a", "A", "b"}}},
      {{"metadata", {{"x", 1}, {"y", 0.10}, {"z", "t"}}}},
      {{"metadata", {{"x", nullptr}, {"w", true}}}, {"notes", nullptr}},
      {{"metadata", json::object()}},
      {{"metadata", nullptr}, {"tags", json::array()}, {"externalReference", nullptr}},
      {{"tags", nullptr}},
      {{"deliveryAddress", {{"street", "2 Quay"}, {"phone", "+1"}, {"state", nullptr}}}},
      {{"deliveryAddress", {{"city", "Cork"}, {"name", nullptr}}}, {"notes", "n"}},
      json::object(),
      {{"deliveryAddress", json::object()}},
  };
  for (const json::object& body : bodies) {
    json::object with_another = body;
    with_another.emplace("currency", "EUR");
    const auto changed = http.put(path_of(alone), body);
    const auto other = http.put(path_of(together), with_another);
    ASSERT_EQ(changed.status, 200) << changed.text;
    ASSERT_EQ(other.status, 200) << other.text;
    for (const auto* const name : {"notes", "shippingMethod", "shippingCost", "collectionDate",
                                   "externalReference", "tags", "metadata", "deliveryAddress"})
      EXPECT_EQ(changed.data().at(name), other.data().at(name)) << name << " after " << json::serialize(body);
  }
  EXPECT_EQ(events_of(alone), events_of(together));
}

TEST_F(OrderFieldsTest, APlainFieldOfAnOrderThatIsOverCannotBePut) {
  const auto guid = text_at(created(), "guid");
  tenant.sql.exec("update orders set status = 'shipped' where guid = '" + guid + "'");
  expect_refused(http.put(path_of(guid), {{"notes", "n"}}), 409, "CONFLICT");
  tenant.sql.exec("update orders set status = 'pending', deleted_at = now() where guid = '" + guid + "'");
  expect_refused(http.put(path_of(guid), {{"notes", "n"}}), 404, "NOT_FOUND");
  expect_refused(other_business().http.put(path_of(text_at(created(), "guid")), {{"notes", "n"}}), 404,
                 "NOT_FOUND");
}

TEST_F(OrderFieldsTest, OnlyADraftLosesItsStreetOrCity) {
  const auto guid = text_at(created(), "guid");
  const auto draft = text_at(created({{"status", "draft"}}), "guid");
  const std::pair<json::object, std::string> changes[] = {
      {{{"street", nullptr}}, "deliveryAddress.street"},
      {{{"city", " "}, {"street", "1 Quay"}}, "deliveryAddress.city"},
  };
  for (const auto& [address, field] : changes) {
    expect_invalid(http.put(path_of(guid), {{"deliveryAddress", address}}), {field});
    EXPECT_EQ(http.put(path_of(draft), {{"deliveryAddress", address}}).status, 200);
  }
  EXPECT_EQ(http.put(path_of(guid), {{"deliveryAddress", nullptr}}).details().size(), 2U);
}

TEST_F(OrderFieldsTest, OwnDataAreMergedAndCleared) {
  const auto order = created({{"externalReference", "ERP-7"},
                              {"tags", {"Vip", "new", "VIP"}},
                              {"metadata", {{"erp.id", 7}, {"gift", true}, {"cost-center", "CC 1"}}}});
  const auto guid = text_at(order, "guid");
  EXPECT_EQ(text_at(order, "externalReference"), "ERP-7");
  EXPECT_EQ(order.at("tags"), json::value({"Vip", "new"})) << "the first spelling stays";
  auto changed = http.put(path_of(guid),
                          {{"metadata", {{"gift", nullptr}, {"shelf", "A"}}}, {"tags", json::array{"b"}}});
  ASSERT_EQ(changed.status, 200) << changed.text;
  EXPECT_EQ(changed.data().at("metadata"),
            json::value({{"erp.id", 7}, {"shelf", "A"}, {"cost-center", "CC 1"}}));
  EXPECT_EQ(changed.data().at("tags"), json::value(json::array{"b"}));
  const auto events = events_of(guid);
  const auto same = http.put(path_of(guid), http.get(path_of(guid)).data());
  EXPECT_EQ(same.data(), changed.data());
  EXPECT_EQ(events_of(guid), events) << "a GET response changes nothing";
  changed = http.put(path_of(guid),
                     {{"externalReference", nullptr}, {"tags", json::array{}}, {"metadata", nullptr}});
  for (const auto* const name : {"externalReference", "metadata"})
    EXPECT_TRUE(changed.data().at(name).is_null()) << name;
  EXPECT_EQ(changed.data().at("tags"), json::array());
  EXPECT_EQ(at(http.get("/api/v1/Orders").data(), "0.tags"), json::array());
}

TEST_F(OrderFieldsTest, WrongOwnDataAreRefused) {
  expect_invalid(http.post("/api/v1/Orders",
                           order_body({{"externalReference", std::string(201, 'r')},
                                       {"tags", {"ok", "", std::string(51, 't'), 7}},
                                       {"metadata", {{"a b", 1}, {"list", json::array{}}, {"ok", 1}}}})),
                 {"externalReference", "tags[1]", "tags[2]", "tags[3]", "metadata.a b", "metadata.list"});
  json::object many;
  for (int i = 0; i < 50; ++i) many["k" + std::to_string(i)] = i;
  const auto guid = text_at(created({{"metadata", many}}), "guid");
  expect_invalid(http.put(path_of(guid), {{"metadata", {{"one-more", 1}}}}), {"metadata"});
  EXPECT_EQ(http.put(path_of(guid), {{"metadata", {{"k0", nullptr}, {"one-more", 1}}}}).status, 200);
}

TEST_F(OrderFieldsTest, FiltersFindOwnData) {
  created({{"orderNumber", "1"},
           {"externalReference", "ERP-7"},
           {"tags", {"Vip", "New York"}},
           {"metadata", {{"erp.id", 7}, {"cost-center", "CC-1"}, {"gift", true}}}});
  created({{"orderNumber", "2"},
           {"tags", json::array{"plain"}},
           {"metadata", {{"erp.id", "7"}, {"cost-center", "CC-2"}, {"gift", false}}}});
  created({{"orderNumber", "3"}});
  EXPECT_EQ(found("externalReference eq 'ERP-7'"), Texts{"1"});
  EXPECT_EQ(found("tags eq 'vip'"), Texts{"1"});
  EXPECT_EQ(found("'NEW YORK' eq tags"), Texts{"1"});
  EXPECT_EQ(found("tags ne 'vip'"), (Texts{"2", "3"}));
  EXPECT_EQ(found("tags in ('vip', 'PLAIN')"), (Texts{"1", "2"}));
  EXPECT_EQ(found("tags eq null"), Texts{"3"});
  EXPECT_EQ(found("tags ne null and not (tags eq 'plain')"), Texts{"1"});
  EXPECT_EQ(found("metadata/erp.id eq 7"), Texts{"1"});
  EXPECT_EQ(found("metadata/erp.id eq 7.0"), Texts{"1"});
  EXPECT_EQ(found("metadata.erp.id eq '7'"), Texts{"2"});
  EXPECT_EQ(found("metadata/erp.id gt 6"), Texts{"1"}) << "a text is not compared with a number";
  EXPECT_EQ(found("metadata/erp.id in (7, '7')"), (Texts{"1", "2"}));
  EXPECT_EQ(found("metadata/cost-center eq 'CC-1'"), Texts{"1"});
  EXPECT_EQ(found("startswith(metadata/cost-center,'CC-')"), (Texts{"1", "2"}));
  EXPECT_EQ(found("tolower(metadata/cost-center) eq 'cc-2'"), Texts{"2"});
  EXPECT_EQ(found("metadata/gift eq true"), Texts{"1"});
  EXPECT_EQ(found("metadata/gift ne true"), (Texts{"2", "3"}));
  EXPECT_EQ(found("metadata/gift eq null"), Texts{"3"});
  EXPECT_EQ(found("metadata/GIFT eq true"), Texts{}) << "the case of keys matters";
  for (const auto* const wrong :
       {"tags eq 7", "tags gt 'a'", "tags eq orderNumber", "contains(tags,'v')", "tags", "metadata eq 1",
        "metadata/ eq 1", "metadata/a/b eq 1", "metadata/a eq metadata/b", "metadata/a",
        "metadata/a eq createdAt", "source/integration eq null"}) {
    expect_invalid(filtered(wrong), {"$filter"});
  }
  for (const auto* const order : {"tags", "metadata/gift", "metadata"})
    expect_invalid(http.get("/api/v1/Orders?$orderby=" + url_encode(order)), {"$orderby"});
}

TEST_F(OrderFieldsTest, FiltersAndSearchesFindSourcesAndRecipients) {
  const auto first = integration("first.example.com");
  const auto second = integration("second.example.com");
  imported("#1001", first, "9");
  const auto other = imported("#1001", second, "9");
  created({{"orderNumber", "3"},
           {"deliveryAddress", gift_address},
           {"shippingMethod", "Express"},
           {"shippingCost", 4.9}});
  tenant.insert_order({{"order_number", "'4'"}});
  EXPECT_EQ(texts(filtered("source/integration/guid eq " + second), "guid"), Texts{other});
  EXPECT_EQ(texts(filtered("source/integration/name eq 'second.example.com'"), "guid"), Texts{other});
  EXPECT_EQ(found("source/integration/provider eq 'medusa'").size(), 2U);
  EXPECT_EQ(found("source.type eq 'import'").size(), 2U);
  EXPECT_EQ(found("source.type ne 'import'"), (Texts{"3", "4"}));
  EXPECT_EQ(found("source.type eq 'sql'"), Texts{"4"});
  EXPECT_EQ(found("source/externalId eq '9' and source/url ne null").size(), 2U);
  EXPECT_EQ(found("shippingMethod eq 'Express' and shippingCost lt 5"), Texts{"3"});
  EXPECT_EQ(found("deliveryAddress/name eq 'Grace Hopper'"), Texts{"3"});
  EXPECT_EQ(found("tolower(deliveryAddress/email) eq 'grace@example.org'"), Texts{"3"});
  EXPECT_EQ(searched("hopper navy"), Texts{"3"});
  EXPECT_EQ(searched("GRACE@EXAMPLE.ORG"), Texts{"3"});
  EXPECT_EQ(http.get("/api/v1/Orders?$search=grace&$orderby=source/type").status, 200);
}

TEST_F(OrderFieldsTest, DefaultsApplyToNewOrdersThatNameNone) {
  const auto dhl = carrier("DHL Express");
  const auto fedex = carrier("FedEx");
  EXPECT_TRUE(created().at("serviceLevel").is_null()) << "a default that was never set does not apply";
  ASSERT_EQ(http.put(defaults, {{"notifications", {{"pushEnabled", false}}}}).status, 200);
  EXPECT_TRUE(created().at("serviceLevel").is_null());
  ASSERT_EQ(http.put(defaults, {{"defaultCarrier", dhl},
                                {"defaultServiceLevel", "express"},
                                {"defaultDimensions", {{"length", 12}, {"unit", "in"}}}})
                .status,
            200);
  const auto order =
      created({{"items",
                {{{"description", "a"}, {"quantity", 1}, {"price", 1}},
                 {{"description", "b"}, {"quantity", 1}, {"price", 1}, {"dimensions", {{"length", 1}}}},
                 {{"description", "c"}, {"quantity", 1}, {"price", 1}, {"dimensions", {{"weight", 2}}}}}}});
  EXPECT_EQ(text_at(order, "carrier.guid"), dhl);
  EXPECT_EQ(text_at(order, "serviceLevel"), "express");
  EXPECT_EQ(at(order, "items.0.dimensions"),
            json::value({{"length", 30.48}, {"width", 50.8}, {"height", 25.4}, {"weight", nullptr}}))
      << "in the unit of the products";
  EXPECT_EQ(at(order, "items.2.dimensions.weight"), 2);
  EXPECT_EQ(at(order, "items.2.dimensions.length").to_number<double>(), 30.48);
  EXPECT_TRUE(at(order, "items.1.dimensions.width").is_null()) << "dimensions that are given stay";

  const auto named = created({{"carrierId", fedex}, {"serviceLevel", "sameday"}});
  EXPECT_EQ(text_at(named, "carrier.guid") + text_at(named, "serviceLevel"), fedex + "sameday");
  EXPECT_EQ(text_at(created({{"carrierId", fedex}}), "serviceLevel"), "express");
  EXPECT_TRUE(created({{"serviceLevel", "sameday"}}).at("carrier").is_null())
      << "the default carrier does not have it";
  EXPECT_EQ(text_at(created({{"carrierId", nullptr}}), "carrier.guid"), dhl);

  const auto guid = text_at(named, "guid");
  const auto cleared = http.put(path_of(guid), {{"carrierId", nullptr}, {"serviceLevel", nullptr}});
  EXPECT_TRUE(cleared.data().at("carrier").is_null()) << "defaults are for new orders";
  EXPECT_TRUE(http.get(path_of(tenant.insert_order())).data().at("carrier").is_null());
}

TEST_F(OrderFieldsTest, TheDefaultServiceLevelOfACarriersAccountComesFirst) {
  const auto ups = carrier("UPS");
  const auto configured =
      http.post("/api/carriers/configure",
                {{"carrierId", ups}, {"accountNumber", "A-1"}, {"defaultServiceLevel", "express"}});
  ASSERT_EQ(configured.status, 200) << configured.text;
  EXPECT_EQ(text_at(created({{"carrierId", ups}}), "serviceLevel"), "express");
  EXPECT_EQ(text_at(created({{"carrierId", ups}, {"serviceLevel", "standard"}}), "serviceLevel"), "standard");
  EXPECT_TRUE(created().at("serviceLevel").is_null()) << "without a carrier";

  ASSERT_EQ(http.put(defaults, {{"defaultCarrier", ups}, {"defaultServiceLevel", "standard"}}).status, 200);
  EXPECT_EQ(text_at(created(), "serviceLevel"), "express") << "the account of the default carrier";
  EXPECT_EQ(text_at(created({{"carrierId", carrier("FedEx")}}), "serviceLevel"), "standard");
  // The carrier does not have the level any more.
  tenant.sql.rows("update carrier_configurations set default_service_level = 'gone' where business_id = $1",
                  {tenant.id});
  EXPECT_EQ(text_at(created(), "serviceLevel"), "standard");
}

TEST_F(OrderFieldsTest, DefaultsThatAreClearedDoNotApply) {
  ASSERT_EQ(http.put(defaults, {{"defaultCarrier", carrier("DHL Express")},
                                {"defaultServiceLevel", "express"},
                                {"defaultDimensions", {{"length", 12}}}})
                .status,
            200);
  const auto shown = http.put(
      defaults,
      {{"defaultCarrier", nullptr}, {"defaultServiceLevel", nullptr}, {"defaultDimensions", nullptr}});
  EXPECT_EQ(text_at(shown.data(), "defaultServiceLevel"), "standard");
  const auto order = created();
  EXPECT_TRUE(order.at("carrier").is_null());
  EXPECT_TRUE(order.at("serviceLevel").is_null());
  EXPECT_TRUE(at(order, "items.0.dimensions").is_null());
}

TEST_F(OrderFieldsTest, AnItemHasTheDimensionsOfItsProductBeforeTheDefault) {
  ASSERT_EQ(http.put(defaults, {{"defaultDimensions", {{"length", 9}}}}).status, 200);
  const auto product = text_at(
      http.post(
              "/api/v1/Products",
              {{"name", "Lamp"}, {"sku", "L"}, {"price", 1}, {"weight", 2}, {"dimensions", {{"length", 3}}}})
          .data(),
      "guid");
  const auto order = created({{"items", {{{"productId", product}, {"quantity", 1}}}}});
  EXPECT_EQ(at(order, "items.0.dimensions"),
            json::value({{"length", 3}, {"width", nullptr}, {"height", nullptr}, {"weight", 2}}));
}

TEST_F(OrderFieldsTest, TemplatesKnowTheNewFields) {
  const auto address_of = [&](const std::string& order) {
    const auto made =
        http.post("/api/workflows/templates",
                  {{"code", "t-" + order},
                   {"name", "T"},
                   {"entityType", "Order"},
                   {"type", "send_email"},
                   {"subject", "{{source.type}} {{metadata.gift}} {{externalReference}}"},
                   {"body", "{{#tags}}{{.}};{{/tags}}{{#deliveryAddress}}{{name}}{{/deliveryAddress}}"}});
    EXPECT_EQ(made.status, 201) << made.text;
    return http.post("/api/workflows/templates/" + text_at(made.data(), "guid") + "/preview",
                     {{"entityId", order}});
  };
  const auto order = text_at(created({{"deliveryAddress", gift_address},
                                      {"externalReference", "R"},
                                      {"tags", {"a", "b"}},
                                      {"metadata", {{"gift", true}}}}),
                             "guid");
  const auto preview = address_of(order);
  EXPECT_EQ(text_at(preview.data(), "subject"), "api true R");
  EXPECT_EQ(text_at(preview.data(), "body"), "a;b;Grace Hopper");
}

}  // namespace
}  // namespace waybill::tests
