#include <set>

#include "base/guid.hpp"
#include "tests/api/fixtures/api_fixture.hpp"

namespace waybill::tests {
namespace {

class CarriersTest : public ApiTest {
 protected:
  using Names = std::set<std::string>;

  static Names names_of(const json::value& object) {
    Names names;
    for (const auto& [name, value] : object.as_object()) names.insert(std::string(name));
    return names;
  }
  static std::string path_of(std::string_view guid) { return "/api/carriers/" + std::string(guid); }
  std::string builtin(std::string_view code) {
    return tenant.sql.value(
        "select guid from carriers where code = $1 and business_id = catalogue_business()",
        {std::string(code)});
  }
  std::string own(std::string_view code, const json::object& more = {}) {
    json::object body{{"name", "Own " + std::string(code)}, {"code", code}, {"type", "lastmile"}};
    for (const auto& [key, value] : more) body[key] = value;
    const auto response = http.post("/api/carriers", body);
    EXPECT_EQ(response.status, 201) << response.text;
    return text_at(response.data(), "guid");
  }
  Response configure(std::string_view carrier, const json::object& more = {}) {
    json::object body{{"carrierId", carrier}, {"accountNumber", "A-1"}};
    for (const auto& [key, value] : more) body[key] = value;
    return http.post("/api/carriers/configure", body);
  }
  json::value listed(std::string_view guid) {
    const auto list = http.get("/api/carriers");
    for (const auto& entry : list.data().as_array()) {
      if (text_at(entry, "guid") == guid) return entry;
    }
    return {};
  }
  /// A configuration in which only these are set.
  static json::value configuration_of(std::string_view account, const json::value& level) {
    return {{"accountNumber", account}, {"defaultServiceLevel", level}, {"apiUrl", nullptr},
            {"testMode", false},        {"serviceCodes", nullptr},      {"labelFormat", nullptr},
            {"trackingSync", true}};
  }
  Http with_role(std::string_view role) {
    auto token = world.waybill.token(tenant.name);
    tenant.sql.rows(
        "update api_tokens set role = $2 where guid = (select guid from api_tokens where "
        "business_id = $1 order by created_at desc limit 1)",
        {tenant.id, std::string(role)});
    return http.with_token(std::move(token));
  }
};

TEST_F(CarriersTest, EveryBusinessSeesTheCatalogue) {
  const auto list = http.get("/api/carriers");
  ASSERT_EQ(list.status, 200) << list.text;
  const auto& carriers = list.data().as_array();
  EXPECT_GE(carriers.size(), 12U);
  std::set<std::string> types;
  for (const auto& carrier : carriers) {
    types.insert(text_at(carrier, "type"));
    const auto code = text_at(carrier, "code");
    EXPECT_EQ(text_at(carrier, "guid"), Guid::from_name(namespace_url, "waybill:carrier:" + code).to_string())
        << code;
    EXPECT_EQ(carrier.at("isConfigured"), false);
    EXPECT_EQ(carrier.as_object().size(), 6U);
    const auto whole = http.get("/api/carriers/" + text_at(carrier, "guid"));
    ASSERT_EQ(whole.status, 200) << whole.text;
    EXPECT_FALSE(whole.data().at("serviceLevels").as_array().empty()) << code;
    EXPECT_FALSE(text_at(whole.data(), "serviceLevels.0.estimatedDays").empty()) << code;
    EXPECT_FALSE(whole.data().at("features").as_array().empty()) << code;
    EXPECT_TRUE(whole.data().at("configuration").is_null()) << code;
  }
  EXPECT_EQ(types, (std::set<std::string>{"courier", "freight", "lastmile"}));
  EXPECT_EQ(other_business().http.get("/api/carriers").data(), list.data());
}

TEST_F(CarriersTest, ACarrierOfAnotherBusinessIs404) {
  const auto own = other_business().sql.value(
      "insert into carriers (business_id, name, code, type) values ($1, 'Own', 'own', 'courier') "
      "returning "
      "guid",
      {other_business().id});
  EXPECT_EQ(other_business().http.get("/api/carriers/" + own).status, 200);
  expect_refused(http.get("/api/carriers/" + own), 404, "NOT_FOUND");
  expect_refused(http.get("/api/carriers/" + std::string(unknown_guid)), 404, "NOT_FOUND");
}

TEST_F(CarriersTest, ConfiguringShowsTheConfigurationEverywhereWithoutSecrets) {
  const auto ups = builtin("ups");
  const auto response = configure(ups, {{"apiKey", "key-secret-1"},
                                        {"apiSecret", "secret-secret-2"},
                                        {"testMode", true},
                                        {"defaultServiceLevel", "express"}});
  ASSERT_EQ(response.status, 200) << response.text;
  EXPECT_EQ(names_of(response.data()), (Names{"guid", "name", "isConfigured", "isActive", "inboundSecret"}));
  EXPECT_TRUE(text_at(response.data(), "inboundSecret").starts_with("whsec_"));
  EXPECT_EQ(listed(ups), json::value({{"guid", ups},
                                      {"name", "UPS"},
                                      {"code", "ups"},
                                      {"type", "courier"},
                                      {"isConfigured", true},
                                      {"isActive", true}}));
  const auto configured = http.get("/api/carriers/configured");
  EXPECT_EQ(configured.data(), json::value({{{"guid", ups},
                                             {"name", "UPS"},
                                             {"code", "ups"},
                                             {"type", "courier"},
                                             {"isConfigured", true},
                                             {"isActive", true},
                                             {"connector", "manual"},
                                             {"accountNumber", "A-1"},
                                             {"serviceLevels",
                                              {{{"code", "standard"}, {"name", "Standard"}},
                                               {{"code", "express"}, {"name", "Express Saver"}}}}}}));
  const auto whole = http.get(path_of(ups));
  EXPECT_EQ(names_of(whole.data()),
            (Names{"guid", "name", "code", "type", "isConfigured", "isActive", "serviceLevels",
                   "configuration", "features", "trackingUrlPattern", "connector"}));
  auto expected = configuration_of("A-1", "express");
  expected.as_object()["testMode"] = true;
  EXPECT_EQ(at(whole.data(), "configuration"), expected);
  EXPECT_EQ(names_of(at(whole.data(), "serviceLevels.0")), (Names{"code", "name", "estimatedDays"}));
  EXPECT_TRUE(at(whole.data(), "features").is_array());
  for (const auto& text : {response.text, configured.text, whole.text}) {
    EXPECT_EQ(text.find("key-secret-1"), std::string::npos);
    EXPECT_EQ(text.find("secret-secret-2"), std::string::npos);
  }
  const auto row = tenant.sql.value(
      "select carrier_configurations::text || encode(sealed_api_key, 'escape') from "
      "carrier_configurations "
      "where business_id = $1",
      {tenant.id});
  EXPECT_FALSE(row.empty());
  EXPECT_EQ(row.find("secret"), std::string::npos) << "encrypted at rest";
  EXPECT_EQ(other_business().http.get(path_of(ups)).data().at("isConfigured"), false);
}

TEST_F(CarriersTest, AnAccountNumberMustNotBeEmpty) {
  const auto ups = builtin("ups");
  for (const json::value& number : json::array{"", " \t", nullptr}) {
    const auto response = configure(ups, {{"accountNumber", number}});
    expect_refused(response, 400, "CONFIGURATION_ERROR");
    EXPECT_TRUE(response.details().contains("accountNumber")) << response.text;
  }
  expect_refused(http.post("/api/carriers/configure", {{"carrierId", ups}}), 400, "CONFIGURATION_ERROR");
  EXPECT_TRUE(http.get("/api/carriers/configured").data().as_array().empty());
}

TEST_F(CarriersTest, BadConfigurationsAreRefused) {
  expect_invalid(http.post("/api/carriers/configure", {{"accountNumber", 5},
                                                       {"apiKey", std::string(10'001, 'k')},
                                                       {"testMode", "yes"},
                                                       {"password", "x"}}),
                 {"carrierId", "accountNumber", "apiKey", "testMode", "password"});
  expect_refused(configure(unknown_guid), 404, "NOT_FOUND");
  expect_invalid(configure(builtin("ups"), {{"defaultServiceLevel", "sameday"}}), {"defaultServiceLevel"});
  const auto foreign_carrier = text_at(
      other_business().http.post("/api/carriers", {{"name", "x"}, {"code", "x"}, {"type", "courier"}}).data(),
      "guid");
  expect_refused(configure(foreign_carrier), 404, "NOT_FOUND");
}

TEST_F(CarriersTest, ConfiguringAgainReplacesTheConfiguration) {
  const auto ups = builtin("ups");
  EXPECT_EQ(configure(ups, {{"apiKey", "k"}, {"defaultServiceLevel", "express"}}).status, 200);
  EXPECT_EQ(http.patch(path_of(ups), {{"isActive", false}}).status, 200);
  EXPECT_EQ(configure(ups, {{"accountNumber", "B-2"}}).data().at("isActive"), true);
  EXPECT_EQ(at(http.get(path_of(ups)).data(), "configuration"), configuration_of("B-2", nullptr));
  EXPECT_EQ(tenant.sql.value("select sealed_api_key from carrier_configurations where business_id = $1",
                             {tenant.id}),
            "");
}

TEST_F(CarriersTest, PatchChangesOnlyTheNamedFields) {
  const auto ups = builtin("ups");
  const auto sealed = [&] {
    return tenant.sql.value(
        "select sealed_api_key || sealed_api_secret from carrier_configurations where business_id = $1",
        {tenant.id});
  };
  EXPECT_EQ(configure(ups, {{"apiKey", "k"}, {"apiSecret", "s"}, {"defaultServiceLevel", "express"}}).status,
            200);
  const auto before = sealed();
  const auto response = http.patch(path_of(ups), {{"isActive", false}});
  ASSERT_EQ(response.status, 200) << response.text;
  EXPECT_EQ(response.data(), json::value({{"guid", ups}, {"name", "UPS"}, {"isActive", false}}));
  EXPECT_EQ(listed(ups).at("isActive"), false);
  EXPECT_EQ(listed(ups).at("isConfigured"), true);
  EXPECT_EQ(sealed(), before);
  EXPECT_EQ(http.patch(path_of(ups), {{"apiKey", "other"}, {"defaultServiceLevel", nullptr}}).status, 200);
  EXPECT_NE(sealed(), before);
  EXPECT_EQ(at(http.get(path_of(ups)).data(), "configuration"), configuration_of("A-1", nullptr));
  EXPECT_EQ(http.patch(path_of(ups), {{"configuration", {{"defaultServiceLevel", "standard"}}}}).status, 200)
      << "nested";
  EXPECT_EQ(text_at(http.get(path_of(ups)).data(), "configuration.defaultServiceLevel"), "standard");
  EXPECT_EQ(http.patch(path_of(ups), http.get(path_of(ups)).data()).status, 200)
      << "a GET response can be sent back";

  expect_invalid(http.patch(path_of(ups), {{"isActive", nullptr}, {"apiKey", 1}}), {"isActive", "apiKey"});
  expect_invalid(http.patch(path_of(ups), {{"defaultServiceLevel", "express"},
                                           {"configuration", {{"defaultServiceLevel", "standard"}}}}),
                 {"configuration.defaultServiceLevel"});
  expect_invalid(http.patch(path_of(ups), {{"defaultServiceLevel", "sameday"}}), {"defaultServiceLevel"});
  expect_refused(http.patch(path_of(ups), {{"accountNumber", " "}}), 400, "CONFIGURATION_ERROR");
  expect_refused(http.patch(path_of(unknown_guid), {{"isActive", true}}), 404, "NOT_FOUND");
  expect_refused(http.patch(path_of(builtin("dpd")), {{"isActive", true}}), 409, "CONFLICT");
}

TEST_F(CarriersTest, ACarrierWithoutAGatewayShowsWhatItsConfigurationHas) {
  const auto ups = builtin("ups");
  ASSERT_EQ(configure(ups, {{"testMode", true}, {"trackingSync", false}, {"labelFormat", "zpl"}}).status,
            200);
  json::value shown = at(http.get(path_of(ups)).data(), "configuration");
  EXPECT_EQ(at(shown, "testMode"), true);
  EXPECT_EQ(at(shown, "trackingSync"), false);
  EXPECT_EQ(at(shown, "labelFormat"), "zpl");
  ASSERT_EQ(http.patch(path_of(ups), {{"testMode", false}, {"serviceCodes", {{"express", "X"}}}}).status,
            200);
  shown = at(http.get(path_of(ups)).data(), "configuration");
  EXPECT_EQ(at(shown, "testMode"), false);
  EXPECT_EQ(at(shown, "trackingSync"), false) << "not named";
  EXPECT_EQ(at(shown, "serviceCodes"), json::value({{"express", "X"}}));
  EXPECT_EQ(http.patch(path_of(ups), http.get(path_of(ups)).data()).status, 200)
      << "a GET response can be sent back";
  EXPECT_EQ(at(http.get(path_of(ups)).data(), "configuration"), shown);
}

TEST_F(CarriersTest, NullClearsAFieldThatCanBeEmptyAndIsRefusedForAnother) {
  const auto ups = builtin("ups");
  ASSERT_EQ(configure(ups, {{"labelFormat", "zpl"},
                            {"serviceCodes", {{"express", "X"}}},
                            {"defaultServiceLevel", "express"}})
                .status,
            200);
  const json::value before = at(http.get(path_of(ups)).data(), "configuration");
  for (const std::string name : {"accountNumber", "testMode", "trackingSync"}) {
    expect_invalid(http.patch(path_of(ups), json::object{{name, nullptr}}), {name});
    expect_invalid(http.patch(path_of(ups), {{"configuration", json::object{{name, nullptr}}}}),
                   {"configuration." + name});
  }
  for (const std::string name : {"connector", "isActive"})
    expect_invalid(http.patch(path_of(ups), json::object{{name, nullptr}}), {name});
  EXPECT_EQ(at(http.get(path_of(ups)).data(), "configuration"), before);
  EXPECT_EQ(http.patch(path_of(ups),
                       {{"labelFormat", nullptr},
                        {"configuration", {{"serviceCodes", nullptr}, {"defaultServiceLevel", nullptr}}}})
                .status,
            200);
  EXPECT_EQ(at(http.get(path_of(ups)).data(), "configuration"), configuration_of("A-1", nullptr));
}

TEST_F(CarriersTest, DeletingABuiltInCarrierRemovesItsConfiguration) {
  const auto ups = builtin("ups");
  EXPECT_EQ(configure(ups).status, 200);
  const auto response = http.del(path_of(ups));
  ASSERT_EQ(response.status, 200) << response.text;
  EXPECT_EQ(response.data(), json::value({{"guid", ups}}));
  EXPECT_TRUE(at(http.get(path_of(ups)).data(), "configuration").is_null());
  EXPECT_EQ(listed(ups).at("isConfigured"), false);
  expect_refused(http.del(path_of(ups)), 404, "NOT_FOUND");
  expect_refused(http.del(path_of(unknown_guid)), 404, "NOT_FOUND");
}

TEST_F(CarriersTest, ACarrierOfTheBusinessIsInvisibleToOthers) {
  const auto response =
      http.post("/api/carriers", {{"name", "Bike Post"},
                                  {"code", "bike"},
                                  {"type", "lastmile"},
                                  {"serviceLevels",
                                   {{{"code", "noon"}, {"name", "By noon"}, {"estimatedDays", "0-1"}},
                                    {{"code", "eve"}, {"name", "By evening"}}}}});
  ASSERT_EQ(response.status, 201) << response.text;
  const auto guid = text_at(response.data(), "guid");
  EXPECT_EQ(response.header("Location"), path_of(guid));
  EXPECT_EQ(response.data(), listed(guid));
  EXPECT_EQ(response.data(), json::value({{"guid", guid},
                                          {"name", "Bike Post"},
                                          {"code", "bike"},
                                          {"type", "lastmile"},
                                          {"isConfigured", false},
                                          {"isActive", false}}));
  EXPECT_EQ(at(http.get(path_of(guid)).data(), "serviceLevels"),
            json::value({{{"code", "noon"}, {"name", "By noon"}, {"estimatedDays", "0-1"}},
                         {{"code", "eve"}, {"name", "By evening"}, {"estimatedDays", nullptr}}}));
  expect_refused(other_business().http.get(path_of(guid)), 404, "NOT_FOUND");
  expect_refused(other_business().http.del(path_of(guid)), 404, "NOT_FOUND");
  EXPECT_EQ(configure(guid, {{"defaultServiceLevel", "noon"}}).status, 200);
  EXPECT_EQ(at(http.get(path_of(own("plain"))).data(), "serviceLevels").as_array().size(), 3U);
}

TEST_F(CarriersTest, BadCarriersAreRefused) {
  const auto post = [&](const json::object& body) { return http.post("/api/carriers", body); };
  expect_invalid(post({}), {"name", "code", "type"});
  expect_invalid(post({{"name", " "},
                       {"code", std::string(51, 'c')},
                       {"type", "airmail"},
                       {"serviceLevels", {{{"code", "x"}}}}}),
                 {"name", "code", "type", "serviceLevels[0].name"});
  const json::object level{{"code", "x"}, {"name", "X"}};
  expect_invalid(post({{"name", "x"}, {"code", "x"}, {"type", "courier"}, {"serviceLevels", {level, level}}}),
                 {"serviceLevels[1].code"});
  json::array many;
  for (int i = 0; i < 50; ++i) many.push_back({{"code", std::to_string(i)}, {"name", "X"}});
  own("many", {{"serviceLevels", many}});
  many.push_back(level);
  expect_invalid(post({{"name", "x"}, {"code", "x"}, {"type", "courier"}, {"serviceLevels", many}}),
                 {"serviceLevels"});
  own("mine");
  expect_refused(post({{"name", "x"}, {"code", "mine"}, {"type", "courier"}}), 409, "CONFLICT");
  expect_refused(post({{"name", "x"}, {"code", "UPS"}, {"type", "courier"}}), 409, "CONFLICT");
}

TEST_F(CarriersTest, ABusinessHasAtMostAThousandCarriers) {
  tenant.sql.rows(
      "insert into carriers (business_id, name, code, type) select $1, 'C' || n, 'c' || n, 'courier' "
      "from generate_series(1, 1000 - (select count(*)::int from carriers "
      "where business_id = catalogue_business())) n",
      {tenant.id});
  EXPECT_EQ(http.get("/api/carriers").data().as_array().size(), 1000U);
  expect_refused(http.post("/api/carriers", {{"name", "x"}, {"code", "x"}, {"type", "courier"}}), 409,
                 "CONFLICT");
}

TEST_F(CarriersTest, DeletingACarrierLeavesItsNameOnOrders) {
  const auto guid = own("bike");
  const auto order = tenant.create_order({{"carrierId", guid}});
  EXPECT_EQ(configure(guid).status, 200);
  EXPECT_EQ(http.post("/api/carriers/contacts", {{"carrierId", guid}, {"name", "Bob"}}).status, 201);
  EXPECT_EQ(http.del(path_of(guid)).data(), json::value({{"guid", guid}}));
  expect_refused(http.get(path_of(guid)), 404, "NOT_FOUND");
  EXPECT_TRUE(listed(guid).is_null());
  EXPECT_TRUE(http.get("/api/carriers/configured").data().as_array().empty());
  EXPECT_TRUE(http.get("/api/carriers/contacts").data().as_array().empty());
  EXPECT_EQ(text_at(http.get("/api/v1/Orders/" + order).data(), "carrier.name"), "Own bike");
  expect_refused(http.del(path_of(guid)), 404, "NOT_FOUND");
  expect_refused(configure(guid), 404, "NOT_FOUND");
  expect_refused(http.post("/api/v1/Orders/assign-carrier", {{"orderIds", {order}}, {"carrierId", guid}}),
                 404, "NOT_FOUND");
  expect_refused(http.post("/api/v1/Orders", order_body({{"carrierId", guid}})), 404, "NOT_FOUND");
  own("bike");  // its code is free again
}

TEST_F(CarriersTest, LookupsNameTypesServiceLevelsAndConnectors) {
  const json::array formats{"pdf", "zpl", "png"};
  EXPECT_EQ(
      http.get("/api/carriers/lookups").data(),
      json::value(
          {{"carrierTypes",
            {{{"code", "courier"}, {"name", "Courier"}},
             {{"code", "freight"}, {"name", "Freight"}},
             {{"code", "lastmile"}, {"name", "Last mile"}}}},
           {"serviceLevels",
            {{{"code", "standard"}, {"name", "Standard"}},
             {{"code", "express"}, {"name", "Express"}},
             {{"code", "sameday"}, {"name", "Same day"}}}},
           {"connectors",
            {{{"code", "manual"},
              {"features", {"own_labels", "inbound_scans"}},
              {"labelFormats", json::array()}},
             {{"code", "karrio"},
              {"features", {"rates", "labels", "void", "tracking", "several_parcels", "returns", "customs"}},
              {"labelFormats", formats}},
             {{"code", "easypost"},
              {"features", {"rates", "labels", "void", "tracking", "returns", "customs"}},
              {"labelFormats", formats}}}}}));
}

TEST_F(CarriersTest, ContactsBelongToACarrier) {
  const auto ups = builtin("ups");
  const auto response = http.post("/api/carriers/contacts", {{"carrierId", ups},
                                                             {"name", "Bob"},
                                                             {"email", "bob@example.com"},
                                                             {"phone", "+1"},
                                                             {"role", "Sales"}});
  ASSERT_EQ(response.status, 201) << response.text;
  const auto guid = text_at(response.data(), "guid");
  EXPECT_EQ(response.data(), json::value({{"guid", guid}, {"name", "Bob"}, {"email", "bob@example.com"}}));
  EXPECT_EQ(response.header("Location"), "/api/carriers/contacts/" + guid);
  EXPECT_EQ(http.get(response.header("Location")).data(), at(http.get("/api/carriers/contacts").data(), "0"));
  EXPECT_EQ(http.get("/api/carriers/contacts").data(), json::value({{{"guid", guid},
                                                                     {"name", "Bob"},
                                                                     {"email", "bob@example.com"},
                                                                     {"phone", "+1"},
                                                                     {"role", "Sales"},
                                                                     {"carrierId", ups}}}));
  EXPECT_TRUE(other_business().http.get("/api/carriers/contacts").data().as_array().empty());
  expect_invalid(http.post("/api/carriers/contacts", {{"email", "x"}, {"phone", std::string(201, '1')}}),
                 {"carrierId", "name", "email", "phone"});
  expect_refused(http.post("/api/carriers/contacts", {{"carrierId", unknown_guid}, {"name", "x"}}), 404,
                 "NOT_FOUND");
}

TEST_F(CarriersTest, OnlyAdministratorsChangeConfigurations) {
  const auto ups = builtin("ups");
  EXPECT_EQ(configure(ups).status, 200);
  for (const auto* const role : {"viewer", "operator"}) {
    auto client = with_role(role);
    EXPECT_EQ(client.get("/api/carriers/configured").status, 200);
    expect_refused(client.post("/api/carriers/configure", {{"carrierId", ups}, {"accountNumber", "x"}}), 403,
                   "FORBIDDEN");
    expect_refused(client.post("/api/carriers", {{"name", "x"}, {"code", "x"}, {"type", "courier"}}), 403,
                   "FORBIDDEN");
    expect_refused(client.patch(path_of(ups), {{"isActive", false}}), 403, "FORBIDDEN");
    expect_refused(client.del(path_of(ups)), 403, "FORBIDDEN");
  }
  EXPECT_EQ(with_role("operator").post("/api/carriers/contacts", {{"carrierId", ups}, {"name", "x"}}).status,
            201);
  expect_refused(with_role("viewer").post("/api/carriers/contacts", {{"carrierId", ups}, {"name", "x"}}), 403,
                 "FORBIDDEN");
}

TEST_F(CarriersTest, ADeletedCarrierIsRemovedFromTheDefaults) {
  constexpr std::string_view defaults = "/api/business/default-configuration";
  const auto guid = own("bike");
  ASSERT_EQ(http.put(defaults, {{"defaultCarrier", guid}}).status, 200);
  ASSERT_EQ(http.del(path_of(guid)).status, 200);
  EXPECT_TRUE(http.get(defaults).data().at("defaultCarrier").is_null());
  expect_refused(http.put(defaults, {{"defaultCarrier", guid}}), 404, "NOT_FOUND");
}

}  // namespace
}  // namespace waybill::tests
