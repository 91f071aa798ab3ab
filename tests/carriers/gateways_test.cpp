// Carriers that are reached through a gateway: configuration, rates and scans, with a simulator of EasyPost.
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "api/shipments/quoted_rate.hpp"
#include "tests/carriers/gateway_world.hpp"
#include "tests/simulators/store_simulator.hpp"
#include "tests/workflows/fixtures/workflow_fixture.hpp"

namespace waybill::tests {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using Call = EasyPostSimulator::Call;

class Gateways : public testing::Test {
 protected:
  // The program ends with these tests, because it has many connections to the cluster that all tests share.
  static void SetUpTestSuite() { shared_world = std::make_unique<GatewayWorld>(); }
  static void TearDownTestSuite() { shared_world.reset(); }

  void SetUp() override { give_address("Germany"); }

  void give_address(const std::optional<std::string>& country) {
    tenant.sql.rows(
        "update businesses set street = '1 Quay', city = 'Bonn', postal_code = '53111', country = $2 where "
        "guid = $1",
        {tenant.id, country});
  }
  std::string builtin(const std::string& code) {
    return tenant.sql.value(
        "select guid from carriers where code = $1 and business_id = catalogue_business()", {code});
  }
  json::object account(const json::object& more = {}) {
    json::object body{
        {"carrierId", carrier},           {"connector", "easypost"},
        {"apiUrl", world.easypost.url()}, {"accountNumber", ca},
        {"apiKey", user.live_key},        {"serviceCodes", {{"standard", "Ground"}, {"express", "Express"}}}};
    for (const auto& [name, value] : more) body[name] = value;
    return body;
  }
  Response configure(const json::object& more = {}) {
    return tenant.http.post("/api/carriers/configure", account(more));
  }
  /// The fields of a refusal; "none" if nothing is refused.
  std::string refused(const json::object& more) {
    const Response response = configure(more);
    if (response.status != 400) return "status " + std::to_string(response.status) + " " + response.text;
    EXPECT_EQ(response.error_code(), "CONFIGURATION_ERROR") << response.text;
    EXPECT_EQ(
        tenant.sql.number("select count(*) from carrier_configurations where business_id = $1", {tenant.id}),
        0);
    std::string fields;
    const json::value details = at(response.body, "error.details");
    for (const auto& [field, message] : details.as_object()) fields += std::string(field);
    return fields;
  }
  json::value carrier_now() { return tenant.http.get("/api/carriers/" + carrier).data(); }
  std::string shipment(const std::string& number = {}) {
    return tenant.sql.value(
        "insert into shipments (business_id, tracking_number, carrier_id, carrier_tracking_number, "
        "recipient_name, "
        "recipient_street, recipient_city, recipient_postal_code, packages, status) "
        "values ($1, $2, $3, nullif($4, ''), 'Ada', '2 Street', 'Koeln', '50667', '[{\"weight\": 2}]', "
        "'created') "
        "returning guid",
        {tenant.id, "WB" + std::to_string(++numbers), carrier, number});
  }
  Response rates(const std::string& of, const json::object& body = {}) {
    return tenant.http.post("/api/v1/shipments/" + of + "/rates", body);
  }

  static inline std::unique_ptr<GatewayWorld> shared_world;
  GatewayWorld& world = *shared_world;
  Tenant tenant{world.waybill, testing::UnitTest::GetInstance()->current_test_info()->name()};
  EasyPostSimulator::User user = world.easypost.add_user();
  std::string ca = world.easypost.add_carrier_account(user);
  std::string carrier = builtin("ups");
  int numbers = static_cast<int>(std::hash<std::string>()(tenant.id) % 1'000'000) * 100;
};

TEST_F(Gateways, AreShownWithTheirConnectionButWithoutTheKey) {
  const Response configured = configure();
  ASSERT_EQ(configured.status, 200) << configured.text;
  const Response shown = tenant.http.get("/api/carriers/" + carrier);
  EXPECT_EQ(at(shown.data(), "connector"), "easypost");
  EXPECT_EQ(at(shown.data(), "connection.status"), "ok");
  EXPECT_TRUE(at(shown.data(), "connection.checkedAt").is_string());
  EXPECT_EQ(at(shown.data(), "features"),
            (json::array{"rates", "labels", "void", "tracking", "returns", "customs"}));
  EXPECT_EQ(at(shown.data(), "configuration.serviceCodes.express"), "Express");
  EXPECT_EQ(text_at(shown.data(), "configuration.apiUrl"), world.easypost.url());
  EXPECT_THAT(shown.text, Not(HasSubstr(user.live_key)));
  EXPECT_EQ(at(tenant.http.get("/api/carriers/configured").data().as_array().at(0), "connector"), "easypost");
}

TEST_F(Gateways, AreRefusedWithTheFieldThatIsWrong) {
  EXPECT_EQ(refused({{"apiKey", "EZAKunknown"}}), "apiKey");
  EXPECT_EQ(refused({{"apiKey", nullptr}}), "apiKey");
  EXPECT_EQ(refused({{"apiKey", user.test_key}}), "testMode");
  EXPECT_EQ(refused({{"testMode", true}}), "testMode");
  EXPECT_EQ(refused({{"accountNumber", "ca_none"}}), "accountNumber");
  EXPECT_EQ(refused({{"accountNumber", " "}}), "accountNumber");
  EXPECT_EQ(refused({{"apiUrl", "https://93.184.216.34"}}), "apiUrl") << "only Karrio is the business's own";
  EXPECT_EQ(refused({{"connector", "manual"}}), "apiUrl");
  give_address(std::nullopt);
  EXPECT_EQ(refused({}), "business.address");
}

TEST_F(Gateways, TakeAKeyWithoutTheBlanksAroundIt) {
  const auto stored_key_works = [&] { return at(rates(shipment()).data(), "rates").as_array().size() > 0; };
  ASSERT_EQ(configure({{"apiKey", "\n " + user.live_key + "\r\n"}}).status, 200);
  EXPECT_TRUE(stored_key_works());
  const std::string path = "/api/carriers/" + carrier;
  ASSERT_EQ(tenant.http.patch(path, {{"apiKey", "\u00a0" + user.live_key + "\u200b\n"}}).status, 200);
  EXPECT_TRUE(stored_key_works());
  for (const char* const field : {"apiKey", "apiSecret"}) {
    for (const Response& response :
         {configure({{field, "key\nrest"}}), tenant.http.patch(path, {{field, "a\tb"}})}) {
      EXPECT_EQ(response.error_code(), "CONFIGURATION_ERROR") << response.text;
      EXPECT_EQ(response.details().size(), 1U) << response.text;
      EXPECT_TRUE(response.details().contains(field)) << response.text;
    }
  }
  EXPECT_TRUE(stored_key_works()) << "nothing is saved";
}

TEST_F(Gateways, HaveNoBlankServiceCodes) {
  const auto fields = [](const Response& response) {
    EXPECT_EQ(response.status, 400) << response.text;
    std::string names;
    for (const auto& [field, message] : response.details()) names += std::string(field) + " ";
    return names;
  };
  const json::object blank{{"serviceCodes", {{"standard", " "}, {"express", ""}, {"sameday", "\t"}}}};
  EXPECT_EQ(fields(configure(blank)), "serviceCodes.express serviceCodes.standard serviceCodes.sameday ");
  ASSERT_EQ(configure().status, 200);
  const std::string path = "/api/carriers/" + carrier;
  EXPECT_EQ(fields(tenant.http.patch(path, {{"serviceCodes", {{"standard", " "}}}})),
            "serviceCodes.standard ");
  EXPECT_EQ(fields(tenant.http.patch(path, {{"configuration", {{"serviceCodes", {{"standard", " "}}}}}})),
            "configuration.serviceCodes.standard ");
  EXPECT_EQ(at(carrier_now(), "configuration.serviceCodes.standard"), "Ground");
}

TEST_F(Gateways, KeepTheServiceCodesThatAChangeDoesNotName) {
  ASSERT_EQ(configure().status, 200);
  const auto codes_after = [&](const json::value& codes) {
    const Response changed = tenant.http.patch("/api/carriers/" + carrier, {{"serviceCodes", codes}});
    EXPECT_EQ(changed.status, 200) << changed.text;
    return at(carrier_now(), "configuration.serviceCodes");
  };
  EXPECT_EQ(codes_after({{"express", "Air"}}), json::value({{"standard", "Ground"}, {"express", "Air"}}));
  EXPECT_EQ(codes_after({{"standard", nullptr}, {"sameday", "Bike"}}),
            json::value({{"express", "Air"}, {"sameday", "Bike"}}));
  EXPECT_EQ(codes_after({{"express", nullptr}, {"sameday", nullptr}}), json::value());
  EXPECT_EQ(codes_after({{"standard", "Ground"}}), json::value({{"standard", "Ground"}}));
}

TEST_F(Gateways, OfABusinessAreGuardedLikeWebhooks) {
  const auto problem = [&](const json::value& url) {
    return refused({{"connector", "karrio"}, {"apiUrl", url}});
  };
  EXPECT_EQ(problem(nullptr), "apiUrl");
  EXPECT_EQ(problem("http://karrio.example.com"), "apiUrl");
  EXPECT_EQ(problem("https://127.0.0.1:5002"), "apiUrl");
  EXPECT_EQ(problem("https://169.254.169.254"), "apiUrl");
  EXPECT_EQ(problem(json::value(world.easypost.url() + "/../x")), "apiUrl")
      << "equal to the operator's, or guarded";
}

TEST_F(Gateways, MayHaveAHostBeyondAscii) {
  const Response asked = configure({{"connector", "karrio"}, {"apiUrl", "https://bücher.invalid"}});
  EXPECT_THAT(asked.text, HasSubstr("cannot be reached"));
  EXPECT_EQ(refused({{"connector", "karrio"}, {"apiUrl", "https://１２７.0.0.1"}}), "apiUrl")
      << "full-width digits are those of a private address";
}

TEST_F(Gateways, ThatAreBusySaveNothing) {
  world.easypost.fail(Call::create_shipment, failing_with(503), 9);
  const Response busy = configure();
  world.easypost.stop_failing();
  EXPECT_EQ(busy.status, 503) << busy.text;
  EXPECT_EQ(
      tenant.sql.number("select count(*) from carrier_configurations where business_id = $1", {tenant.id}),
      0);
}

TEST_F(Gateways, WithoutRatesAreUnchecked) {
  world.easypost.set_offers(ca, {});
  ASSERT_EQ(configure().status, 200);
  EXPECT_EQ(at(carrier_now(), "connection.status"), "unchecked");
  EXPECT_TRUE(at(carrier_now(), "connection.error").is_null());
  world.easypost.set_messages(ca, {{{"type", "rate_error"}, {"message", "No service from this address"}}});
  ASSERT_EQ(configure().status, 200);
  EXPECT_THAT(text_at(carrier_now(), "connection.error"), HasSubstr("No service from this address"));
}

TEST_F(Gateways, KeepTheirKeyThroughChangesThatAreCheckedAgain) {
  ASSERT_EQ(configure().status, 200);
  const std::string path = "/api/carriers/" + carrier;
  EXPECT_EQ(tenant.http.patch(path, {{"accountNumber", "ca_none"}}).status, 400);
  EXPECT_EQ(at(tenant.http.patch(path, {{"connector", "karrio"}}).body, "error.details"),
            (json::object{{"apiKey", "is required"}}))
      << "a stored key is not sent to another place";
  EXPECT_EQ(tenant.http.patch(path, {{"apiKey", user.test_key}, {"testMode", true}}).status, 200);
  EXPECT_EQ(at(carrier_now(), "configuration.testMode"), true);
  EXPECT_EQ(text_at(carrier_now(), "configuration.accountNumber"), ca);
  const json::value nested{{"configuration", {{"testMode", false}, {"trackingSync", true}}}};
  EXPECT_EQ(tenant.http.patch(path, nested).status, 400) << "the stored key is of the test mode";
  EXPECT_EQ(tenant.http.patch(path, carrier_now()).status, 200) << "sent back";
  const std::size_t calls = world.easypost.count(Call::create_shipment);
  EXPECT_EQ(tenant.http.patch(path, {{"defaultServiceLevel", "express"}, {"trackingSync", false}}).status,
            200);
  EXPECT_EQ(world.easypost.count(Call::create_shipment), calls) << "nothing of the connection changed";
  EXPECT_EQ(at(carrier_now(), "configuration.serviceCodes.standard"), "Ground");
  EXPECT_EQ(at(carrier_now(), "configuration.trackingSync"), false);
  const Response back =
      tenant.http.patch(path, {{"connector", "manual"}, {"apiUrl", nullptr}, {"serviceCodes", nullptr}});
  ASSERT_EQ(back.status, 200) << back.text;
  EXPECT_EQ(at(carrier_now(), "connector"), "manual");
  EXPECT_EQ(at(carrier_now(), "features"), (json::array{"own_labels", "inbound_scans"}));
  EXPECT_FALSE(carrier_now().as_object().contains("connection"));
}

TEST_F(Gateways, GiveRatesCheapestFirst) {
  world.easypost.set_offers(ca, {{.service = "Express", .price = "21.50", .days = 1},
                                 {.service = "Ground", .price = "7.3334", .days = 4},
                                 {.service = "Priority", .price = "7.3334", .days = 2},
                                 {.service = "Odd", .price = "nan"},
                                 {.service = "Odder", .price = ".5"}});
  ASSERT_EQ(configure().status, 200);
  const std::string parcel = shipment();
  const Response all = rates(parcel);
  ASSERT_EQ(all.status, 200) << all.text;
  const json::array& list = at(all.data(), "rates").as_array();
  ASSERT_EQ(list.size(), 3U);
  std::vector<std::string> services;
  for (const json::value& rate : list) services.push_back(text_at(rate, "serviceCode"));
  EXPECT_THAT(services, ElementsAre("Priority", "Ground", "Express"));
  EXPECT_THAT(all.text, HasSubstr(R"("price":7.3334)"));
  EXPECT_EQ(at(list[1], "serviceLevel"), "standard");
  EXPECT_TRUE(at(list[0], "serviceLevel").is_null());
  EXPECT_EQ(at(list[2], "transitDays"), 1);
  EXPECT_EQ(text_at(list[0], "carrier.guid"), carrier);
  EXPECT_FALSE(text_at(list[0], "rateId").empty());
  EXPECT_GT(text_at(list[0], "expiresAt"), tenant.sql.value("select iso(now() + interval '50 minutes')"));
  const Response one = rates(parcel, {{"serviceLevel", "express"}, {"carrierIds", {carrier}}});
  EXPECT_EQ(at(one.data(), "rates").as_array().size(), 1U) << one.text;
  for (const char* const level : {"sameday", "nope", ""}) {
    const Response none = rates(parcel, {{"serviceLevel", level}});
    EXPECT_EQ(none.status, 400) << none.text;
    EXPECT_TRUE(none.details().contains("serviceLevel")) << "no carrier sells it: " << none.text;
  }
}

TEST_F(Gateways, GiveTheRatesOfEachLevelThatHasTheSameCode) {
  world.easypost.set_offers(ca, {{.service = "Ground", .price = "7.30", .days = 4}});
  ASSERT_EQ(configure({{"serviceCodes", {{"standard", "Ground"}, {"express", "Ground"}}}}).status, 200);
  for (const std::string level : {"standard", "express"}) {
    const Response found = rates(shipment(), {{"serviceLevel", level}});
    EXPECT_EQ(text_at(found.data(), "rates.0.serviceLevel"), level) << found.text;
  }
}

TEST_F(Gateways, SellARateThatWasShown) {
  world.easypost.set_offers(ca, {{.service = "Ground", .price = "7.3334", .days = 4}});
  ASSERT_EQ(configure().status, 200);
  const std::string parcel = shipment(), path = "/api/v1/shipments/" + parcel + "/label";
  const std::string rate = text_at(rates(parcel).data(), "rates.0.rateId");
  const auto refused = [&](const std::string& at_path, json::object body, int status) {
    body["rateId"] = rate;
    const Response response = tenant.http.post(at_path, body);
    EXPECT_EQ(response.status, status) << response.text;
    return response.details().empty() ? std::string() : std::string(response.details().begin()->key());
  };
  EXPECT_EQ(refused("/api/v1/shipments/" + shipment() + "/label", {}, 400), "rateId")
      << "of another shipment";
  EXPECT_EQ(refused(path, {{"serviceCodes", {"Express"}}}, 400), "serviceCodes");
  EXPECT_EQ(refused(path, {{"carrierIds", {builtin("fedex")}}}, 400), "carrierIds");
  refused(path, {{"maxPrice", 7.33}}, 409);
  tenant.sql.rows("update businesses set currency = 'CHF' where guid = $1", {tenant.id});
  refused(path, {{"maxPrice", 100}}, 409);
  const Response bought = tenant.http.post(path, {{"rateId", rate}});
  ASSERT_EQ(bought.status, 202) << bought.text;
  EXPECT_EQ(text_at(bought.data(), "carrier.guid"), carrier);
  EXPECT_EQ(text_at(bought.data(), "serviceLevel"), "standard");
  EXPECT_EQ(
      tenant.sql.value("select wanted -> 'rate' ->> 'serviceCode' || ' ' || (wanted -> 'rate' ->> 'price') "
                       "from purchases where shipment_id = $1",
                       {parcel}),
      "Ground 7.3334");
}

TEST_F(Gateways, SellNoRateThatHasExpiredOrIsOlderThanTheParcel) {
  ASSERT_EQ(configure().status, 200);
  const std::string parcel = shipment(), path = "/api/v1/shipments/" + parcel + "/label";
  const auto refusal = [&](const std::string& rate) {
    const Response response = tenant.http.post(path, {{"rateId", rate}});
    EXPECT_EQ(response.status, 400) << response.text;
    return text_at(response.body, "error.details.rateId");
  };
  const std::string rate = text_at(rates(parcel).data(), "rates.0.rateId");
  const Guid business = Guid::parse(tenant.id).value(), of = Guid::parse(parcel).value();
  const SecretBox secrets(SecretBox::read_key(world.waybill.secret_key_file()));
  auto quoted = api::open_rate(secrets, business, of, rate).value();
  quoted.expires_at = Time();
  EXPECT_THAT(refusal(api::seal_rate(secrets, business, of, quoted)), HasSubstr("has expired"));
  EXPECT_THAT(refusal(api::seal_rate(SecretBox(SecretBox::Key{7}), business, of, quoted)),
              HasSubstr("is not a rate of this shipment"))
      << "of a key that is no longer known";
  tenant.sql.rows("update shipments set packages = '[{\"weight\": 3}]' where guid = $1", {parcel});
  EXPECT_THAT(refusal(rate), HasSubstr("older than the packages"));
  tenant.sql.rows(
      "update shipments set packages = '[{\"weight\": 2}]', recipient_name = 'Grace' where guid = $1",
      {parcel});
  EXPECT_EQ(tenant.http.post(path, {{"rateId", rate}}).status, 202) << "a name has no price";
}

TEST_F(Gateways, ThatRefuseTheCredentialsOfRatesAreFailingUntilACallSucceeds) {
  ASSERT_EQ(configure().status, 200);
  const auto version = [&] {
    return tenant.sql.value("select xmin from carrier_configurations where business_id = $1", {tenant.id});
  };
  const std::string parcel = shipment(), before = version();
  ASSERT_EQ(rates(parcel).status, 200);
  EXPECT_EQ(version(), before) << "a success writes nothing";
  world.easypost.fail(Call::create_shipment, easypost_refusal(401, "UNAUTHORIZED"));
  ASSERT_EQ(rates(parcel).status, 200);
  EXPECT_EQ(text_at(carrier_now(), "connection.status"), "failing");
  EXPECT_THAT(text_at(carrier_now(), "connection.error"), HasSubstr("not authorized"));
  world.easypost.stop_failing();
  ASSERT_EQ(rates(parcel).status, 200);
  EXPECT_EQ(text_at(carrier_now(), "connection.status"), "ok");
  EXPECT_TRUE(at(carrier_now(), "connection.error").is_null());
}

TEST_F(Gateways, ThatRefuseTheCredentialsOfAPurchaseAreFailing) {
  ASSERT_EQ(configure().status, 200);
  world.easypost.revoke_key(user.live_key);
  const std::string parcel = shipment();
  ASSERT_EQ(tenant.http.post("/api/v1/shipments/" + parcel + "/label", json::object()).status, 202);
  EXPECT_TRUE(eventually([&] { return text_at(carrier_now(), "connection.status") == "failing"; }));
  EXPECT_FALSE(text_at(carrier_now(), "connection.error").empty());
}

TEST_F(Gateways, KeepTheirAccountWhilePurchasesAreOpen) {
  ASSERT_EQ(configure().status, 200);
  const std::string parcel = shipment(), other = world.easypost.add_carrier_account(user);
  tenant.sql.rows(
      "insert into purchases (business_id, guid, shipment_id, attempt, reference, shard, carrier_id, "
      "connector, "
      "status, unknown_since) select $1, gen_random_uuid(), $2, 1, gen_random_uuid(), shard_of($1::uuid), "
      "$3, "
      "'easypost', 'unknown', now()",
      {tenant.id, parcel, carrier});
  const std::string path = "/api/carriers/" + carrier;
  EXPECT_EQ(configure({{"accountNumber", other}}).status, 409);
  EXPECT_EQ(configure({{"apiKey", user.test_key}, {"testMode", true}}).status, 409);
  EXPECT_EQ(tenant.http.patch(path, {{"accountNumber", other}}).status, 409);
  EXPECT_EQ(text_at(carrier_now(), "configuration.accountNumber"), ca) << "nothing is saved";
  EXPECT_EQ(configure({{"serviceCodes", {{"standard", "Express"}}}}).status, 200) << "the same account";
  EXPECT_EQ(tenant.http.patch(path, {{"apiKey", user.live_key}}).status, 200)
      << "a new token is not another account";
  tenant.sql.rows("update purchases set status = 'refused' where shipment_id = $1", {parcel});
  EXPECT_EQ(configure({{"accountNumber", other}}).status, 200);
}

TEST_F(Gateways, ThatDoNotAnswerLeaveTheRatesOfTheOthers) {
  ASSERT_EQ(configure().status, 200);
  carrier = builtin("fedex");
  const auto other = world.easypost.add_user();
  const std::string dead = world.easypost.add_carrier_account(other);
  ASSERT_EQ(configure({{"apiKey", other.live_key}, {"accountNumber", dead}}).status, 200);
  world.easypost.revoke_key(other.live_key);
  const Response partial = rates(shipment());
  ASSERT_EQ(partial.status, 200) << partial.text;
  EXPECT_EQ(at(partial.data(), "rates").as_array().size(), 2U);
  ASSERT_EQ(at(partial.data(), "messages").as_array().size(), 1U);
  EXPECT_EQ(text_at(at(partial.data(), "messages").as_array()[0], "carrier.guid"), carrier);
  EXPECT_THAT(partial.text, Not(HasSubstr(other.live_key)));
}

TEST_F(Gateways, RatesNeedWhatCarriersNeed) {
  ASSERT_EQ(configure().status, 200);
  const std::string parcel = shipment();
  tenant.sql.rows(
      "update shipments set recipient_country = 'Atlantis', recipient_city = null, packages = '[{\"length\": "
      "2}]' "
      "where guid = $1",
      {parcel});
  const Response refusal = rates(parcel);
  EXPECT_EQ(refusal.status, 400) << refusal.text;
  const json::value details = at(refusal.body, "error.details");
  for (const char* const field : {"recipient.country", "recipient.city", "packages[0].weight"})
    EXPECT_TRUE(details.as_object().contains(field)) << refusal.text;
  EXPECT_EQ(rates(tenant.id).status, 404);
}

TEST_F(Gateways, AShipmentToAnotherCustomsTerritoryNeedsDataForCustoms) {
  ASSERT_EQ(configure().status, 200);
  const std::string parcel = shipment();
  const auto set = [&](const std::string& what) {
    tenant.sql.rows("update shipments set " + what + " where guid = $1", {parcel});
  };
  const auto refused_fields = [&] {
    const Response response = rates(parcel);
    EXPECT_EQ(response.status, 400) << response.text;
    std::vector<std::string> fields;
    for (const auto& [field, message] : at(response.body, "error.details").as_object())
      fields.emplace_back(field);
    return fields;
  };
  set("recipient_country = 'Portugal'");
  EXPECT_EQ(rates(parcel).status, 200) << "both are in the Union";
  set("recipient_country = 'Schweiz'");
  EXPECT_THAT(refused_fields(), ElementsAre("customs"));
  set("recipient_country = 'DEU', recipient_postal_code = '27498'");
  EXPECT_THAT(refused_fields(), ElementsAre("customs")) << "Helgoland";
  set("recipient_country = 'CH', recipient_postal_code = '8001', customs = "
      "'{\"contents\": \"gift\", \"items\": [{\"description\": \"Mug\", \"quantity\": 1, \"weight\": "
      "0.3}]}'");
  EXPECT_THAT(refused_fields(), ElementsAre("customs.items[0].value"));
  set("customs = jsonb_set(customs, '{items,0,value}', '7.5')");
  EXPECT_EQ(rates(parcel).status, 200);
  set("customs = customs_without(customs, '{mug}')");
  EXPECT_EQ(rates(parcel).status, 200) << "a purchase under way when the person is erased";
}

TEST_F(Gateways, DataForCustomsAreThoseOfTheItemsInTheParcel) {
  ASSERT_EQ(configure().status, 200);
  const std::string product = tenant.sql.value(
      "insert into products (business_id, name, sku, hs_code, origin_country) values ($1, 'Mug', 'MUG', "
      "'691200', "
      "'PT') returning guid",
      {tenant.id});
  const std::string order = tenant.sql.value(
      "insert into orders (business_id, order_number, status, currency, total_value, items) values ($1, '1', "
      "'ready', 'EUR', 9, json_build_array(json_build_object('guid', '11111111-1111-4111-8111-111111111111', "
      "'description', 'Mug', 'quantity', 1, 'price', 9, 'productId', $2::text, 'dimensions', "
      "json_build_object('weight', 0.3)), json_build_object('guid', "
      "'22222222-2222-4222-8222-222222222222'))) "
      "returning guid",
      {tenant.id, product});
  const std::string parcel = shipment();
  tenant.sql.rows(
      "update shipments set recipient_country = 'CH', order_id = $2, order_items = "
      "'{11111111-1111-4111-8111-111111111111}' where guid = $1",
      {parcel, order});
  const Response complete = rates(parcel);
  EXPECT_EQ(complete.status, 200) << complete.text;
  tenant.sql.rows("update products set origin_country = null where guid = $1", {product});
  EXPECT_THAT(rates(parcel).text, HasSubstr("customs.items[0].originCountry"));
  tenant.sql.rows("update shipments set order_items = null where guid = $1", {parcel});
  EXPECT_THAT(rates(parcel).text, HasSubstr("customs.items[1].description"));
}

TEST_F(Gateways, ThatTakeOneParcelRefuseSeveralByName) {
  ASSERT_EQ(configure().status, 200);
  const std::string parcel = shipment();
  tenant.sql.rows("update shipments set packages = '[{\"weight\": 1}, {\"weight\": 2}]' where guid = $1",
                  {parcel});
  const Response refusal = rates(parcel);
  EXPECT_EQ(refusal.status, 400) << refusal.text;
  EXPECT_TRUE(at(refusal.body, "error.details").as_object().contains("packages")) << refusal.text;
}

TEST_F(Gateways, AManualCarrierHasNeitherRatesNorScansToAskFor) {
  const std::string parcel = shipment("1Z1");
  for (const char* const path : {"/rates", "/track"}) {
    const Response none = tenant.http.post("/api/v1/shipments/" + parcel + path, json::object());
    EXPECT_EQ(none.status, 409) << none.text;
  }
  ASSERT_EQ(
      tenant.http.post("/api/carriers/configure", {{"carrierId", carrier}, {"accountNumber", "A-1"}}).status,
      200);
  for (const char* const path : {"/rates", "/track"}) {
    const Response refusal = tenant.http.post("/api/v1/shipments/" + parcel + path, json::object());
    EXPECT_EQ(refusal.status, 409) << refusal.text;
    EXPECT_THAT(refusal.text, HasSubstr("manual"));
  }
}

TEST_F(Gateways, TellTheScansOfAParcelOnceEach) {
  ASSERT_EQ(configure().status, 200);
  const std::string number = "EZ" + tenant.id.substr(0, 8);
  const std::string parcel = shipment(number);
  world.easypost.add_scan(number, {.status = "in_transit", .message = "Accepted", .city = "Bonn"});
  const auto track = [&] { return tenant.http.post("/api/v1/shipments/" + parcel + "/track").data(); };
  EXPECT_EQ(track(), (json::object{{"added", 1}, {"moved", true}}));
  EXPECT_EQ(tenant.status_of(parcel), "in_transit");
  EXPECT_EQ(track(), (json::object{{"added", 0}, {"moved", false}}));
  world.easypost.add_scan(
      number, {.status = "delivered", .message = "Delivered", .datetime = "2100-01-01T00:00:00Z"});
  EXPECT_EQ(track(), (json::object{{"added", 1}, {"moved", true}})) << "a time in the future counts as now";
  EXPECT_EQ(tenant.status_of(parcel), "delivered");
}

TEST_F(Gateways, AScanWithAMisreadZoneHoldsNoParcelStill) {
  ASSERT_EQ(configure().status, 200);
  const std::string number = "EZ" + tenant.id.substr(0, 8);
  const std::string parcel = shipment(number);
  const auto track = [&] {
    EXPECT_EQ(tenant.http.post("/api/v1/shipments/" + parcel + "/track").status, 200);
    return tenant.status_of(parcel);
  };
  const Time now = system_clock().now();
  // The local time of a place east of Greenwich, which is in the future as UTC.
  std::string local = format_timestamp(now + std::chrono::hours(8));
  local.pop_back();
  world.easypost.add_scan(number, {.status = "in_transit", .message = "Accepted", .datetime = local});
  EXPECT_EQ(track(), "in_transit");
  world.easypost.add_scan(number, {.status = "delivered",
                                   .message = "Delivered",
                                   .datetime = format_timestamp(now - std::chrono::minutes(10))});
  EXPECT_EQ(track(), "delivered") << "though the first scan counted as now";
  EXPECT_EQ(track(), "delivered");
  EXPECT_THAT(tenant.http.get("/api/v1/shipments/" + parcel + "/traces").text,
              HasSubstr("Accepted (exact time unknown)"));
}

/// Parcels with the same scans: one is asked for after each scan, the other one only at the end.
class ListsOfScans : public Gateways {
 protected:
  void SetUp() override {
    Gateways::SetUp();
    ASSERT_EQ(configure().status, 200);
  }
  static std::string hours_ago(int hours) {
    return format_timestamp(system_clock().now() - std::chrono::hours(hours));
  }
  void add(const EasyPostSimulator::Scan& scan) {
    world.easypost.add_scan(step_number, scan);
    world.easypost.add_scan(once_number, scan);
  }
  std::string track(const std::string& parcel) {
    const Response tracked = tenant.http.post("/api/v1/shipments/" + parcel + "/track");
    EXPECT_EQ(tracked.status, 200) << tracked.text;
    return tenant.status_of(parcel);
  }
  std::string add_and_track(const EasyPostSimulator::Scan& scan) {
    add(scan);
    return track(in_steps);
  }
  /// Status, times and traces of a shipment.
  std::string state(const std::string& parcel) {
    return tenant.sql.value(
        "select concat_ws(' ', status, delivered_at, last_trace_at, "
        "(select string_agg(concat_ws(' ', t.at, t.status, t.description, t.is_move), ', ' order by t.at, "
        "t.description) "
        "from shipment_traces t where t.shipment_id = s.guid and t.external_id is not null)) "
        "from shipments s where guid = $1",
        {parcel});
  }
  void expect_one_reading() {
    track(once);
    EXPECT_EQ(state(in_steps), state(once));
    const std::string before = state(in_steps);
    track(in_steps);
    EXPECT_EQ(state(in_steps), before) << "read again";
  }

  std::string step_number = "EZS" + tenant.id.substr(0, 8), once_number = "EZO" + tenant.id.substr(0, 8);
  std::string in_steps = shipment(step_number), once = shipment(once_number);
};

TEST_F(ListsOfScans, WithATimeInTheFutureHoldNoParcelStill) {
  for (const std::string& depot : {std::string("2099-01-01T00:00:00Z"), hours_ago(-2)}) {
    step_number += "N";
    once_number += "N";
    in_steps = shipment(step_number);
    once = shipment(once_number);
    add_and_track({.status = "pre_transit", .message = "Announced", .datetime = hours_ago(6)});
    EXPECT_EQ(add_and_track({.status = "in_transit", .message = "Depot", .datetime = depot}), "in_transit");
    EXPECT_EQ(add_and_track({.status = "out_for_delivery", .message = "Out", .datetime = hours_ago(2)}),
              "out_for_delivery");
    EXPECT_EQ(add_and_track({.status = "delivered", .message = "Delivered", .datetime = hours_ago(1)}),
              "delivered");
    expect_one_reading();
  }
}

TEST_F(ListsOfScans, ThatTellAnOlderFailureLateMoveNoParcelThatIsUnderway) {
  add_and_track({.status = "in_transit", .message = "Departed", .datetime = hours_ago(5)});
  add_and_track({.status = "in_transit", .message = "Arrived", .datetime = hours_ago(2)});
  const auto changed_at = [&] {
    return tenant.sql.value("select status_changed_at from shipments where guid = $1", {in_steps});
  };
  const std::string before = changed_at();
  EXPECT_EQ(add_and_track({.status = "failure", .message = "Failure", .datetime = hours_ago(3)}),
            "in_transit");
  EXPECT_EQ(changed_at(), before) << "a timer on it fires once for each move";
  expect_one_reading();
}

TEST_F(ListsOfScans, ThatTellAReturnLateHaveOneTraceOfTheDelivery) {
  add_and_track({.status = "in_transit", .message = "Accepted", .datetime = hours_ago(5)});
  EXPECT_EQ(add_and_track({.status = "delivered", .message = "Delivered", .datetime = hours_ago(1)}),
            "delivered");
  EXPECT_EQ(add_and_track({.status = "return_to_sender", .message = "Return", .datetime = hours_ago(3)}),
            "returned");
  expect_one_reading();
  const std::string path = "/api/v1/shipments/" + in_steps;
  EXPECT_TRUE(at(tenant.http.get(path).data(), "deliveredAt").is_null());
  const json::value last = tenant.http.get(path + "/history").data().as_array().back();
  EXPECT_EQ(text_at(last, "from"), "delivered");
  EXPECT_EQ(text_at(last, "to"), "returned");
  EXPECT_EQ(tenant.sql.value("select detail #>> '{trace,description}' from events where entity_id = $1 and "
                             "(shipment_after).status = 'returned'",
                             {in_steps}),
            "Delivered")
      << "the event of the move has the scan that makes it";
}

TEST_F(ListsOfScans, ThatAreReadAgainDoNotUndoAMoveOfSomebodyElse) {
  EXPECT_EQ(
      add_and_track({.status = "out_for_delivery", .message = "Out", .datetime = "2099-01-01T00:00:00Z"}),
      "out_for_delivery");
  const json::object driver{{"status", "exception"}, {"description", "Nobody at home"}};
  ASSERT_EQ(tenant.http.post("/api/v1/shipments/" + in_steps + "/traces", driver).status, 200);
  EXPECT_EQ(track(in_steps), "exception");
  EXPECT_EQ(add_and_track({.status = "in_transit", .message = "Depot", .datetime = hours_ago(1)}),
            "exception");
  EXPECT_EQ(add_and_track({.status = "delivered", .message = "Delivered", .datetime = hours_ago(-1)}),
            "delivered");
}

TEST_F(Gateways, ABusyGatewayOfScansIs503WithItsPauseAndARefusalIs409) {
  ASSERT_EQ(configure().status, 200);
  const std::string path = "/api/v1/shipments/" + shipment("EZ" + tenant.id.substr(0, 8)) + "/track";
  world.easypost.fail(EasyPostSimulator::Call::list_trackers, easypost_busy("70"));
  const Response busy = tenant.http.post(path);
  EXPECT_EQ(busy.status, 503) << busy.text;
  EXPECT_EQ(busy.header("retry-after"), "70");
  world.easypost.fail(EasyPostSimulator::Call::list_trackers, easypost_refusal(401, "UNAUTHORIZED"));
  const Response refused = tenant.http.post(path);
  EXPECT_EQ(refused.status, 409) << refused.text;
  EXPECT_THAT(refused.text, HasSubstr("UNAUTHORIZED"));
  world.easypost.stop_failing();
}

// The delivery is read in a later call than the scan that tells of the return.
TEST_F(Gateways, AParcelThatComesBackIsReturnedAndNotDelivered) {
  ASSERT_EQ(configure().status, 200);
  const std::string number = "EZ" + tenant.id.substr(0, 8);
  const std::string parcel = shipment(number);
  const auto track = [&] {
    EXPECT_EQ(tenant.http.post("/api/v1/shipments/" + parcel + "/track").status, 200);
    return tenant.status_of(parcel);
  };
  world.easypost.add_scan(number, {.status = "in_transit", .message = "Accepted", .city = "Bonn"});
  EXPECT_EQ(track(), "in_transit");
  world.easypost.add_scan(number, {.status = "return_to_sender", .message = "Refused by the recipient"});
  EXPECT_EQ(track(), "exception");
  world.easypost.add_scan(number, {.status = "delivered", .message = "Delivered to the sender"});
  EXPECT_EQ(track(), "returned");
}

/// A shipment with a number that its carrier had given to another parcel 200 days before.
class UsedNumbers : public Gateways {
 protected:
  void SetUp() override {
    Gateways::SetUp();
    ASSERT_EQ(configure().status, 200);
    parcel = shipment(number);
    tell(200 * 24);
  }
  void tell(int hours_ago) {
    world.easypost.add_scan(
        number, {.status = "delivered",
                 .message = "Delivered " + std::to_string(hours_ago),
                 .datetime = format_timestamp(system_clock().now() - std::chrono::hours(hours_ago))});
  }
  /// A label that is bought now, with a further column.
  void buy(const std::string& column = "stray_of", const std::string& value = "null") {
    tenant.sql.rows(
        "insert into purchases (business_id, guid, shipment_id, attempt, reference, shard, status, "
        "bought_at, "
        "carrier_id, connector, tracking_numbers, requested_at, " +
            column +
            ") values ($1, gen_random_uuid(), $2, 1, gen_random_uuid(), shard_of($1::uuid), 'bought', now(), "
            "$3, 'easypost', array[$4], now(), " +
            value + ")",
        {tenant.id, parcel, carrier, number});
  }
  std::string track() {
    const Response tracked = tenant.http.post("/api/v1/shipments/" + parcel + "/track");
    EXPECT_EQ(tracked.status, 200) << tracked.text;
    return tenant.status_of(parcel);
  }
  std::int64_t traces() {
    return tenant.sql.number(
        "select count(*) from shipment_traces where shipment_id = $1 and external_id is not null", {parcel});
  }

  std::string number = "EZ" + tenant.id.substr(0, 8), parcel;
};

TEST_F(UsedNumbers, OfABoughtLabelHaveOnlyTheScansOfItsParcel) {
  buy("buy_begun_at", "now()");
  EXPECT_EQ(track(), "created");
  EXPECT_EQ(traces(), 0);
  tell(20);
  EXPECT_EQ(track(), "delivered") << "zones and clocks differ";
  EXPECT_EQ(traces(), 1);
  EXPECT_EQ(
      tenant.sql.value("select delivered_at > created_at - interval '1 day' from shipments where guid = $1",
                       {parcel}),
      "t");
}

TEST_F(UsedNumbers, OfALabelThatWasAdoptedHaveTheScansSinceTheShipmentWasMade) {
  tenant.sql.rows("update shipments set created_at = now() - interval '9 days' where guid = $1", {parcel});
  buy();
  EXPECT_EQ(track(), "created");
  tell(8 * 24);
  EXPECT_EQ(track(), "delivered") << "the label was bought before the purchase was requested";
}

TEST_F(UsedNumbers, ThatAPersonHasGivenHaveAllScans) {
  buy("resolution", "'bought'");
  EXPECT_EQ(track(), "delivered");
}

/// Dates of delivery that a carrier announces for the parcels of a business in New York.
class AnnouncedDeliveries : public Gateways {
 protected:
  void SetUp() override {
    Gateways::SetUp();
    tenant.sql.rows("update businesses set timezone = 'America/New_York' where guid = $1", {tenant.id});
    ASSERT_EQ(configure().status, 200);
    parcel = shipment(number);
    track();
  }
  /// Noon UTC of a later day, in which New York's clocks differ by a whole number of hours.
  static Time noon_in(int days) {
    return std::chrono::floor<std::chrono::days>(system_clock().now()) + std::chrono::days(days) +
           std::chrono::hours(12);
  }
  void track() {
    const Response tracked = tenant.http.post("/api/v1/shipments/" + parcel + "/track");
    ASSERT_EQ(tracked.status, 200) << tracked.text;
  }
  void announce(const std::string& time) { announce(number, time); }
  void announce(const std::string& of, const std::string& time) {
    world.easypost.set_estimated_delivery(of, time);
    track();
  }
  std::string estimated() {
    return text_at(tenant.http.get("/api/v1/shipments/" + parcel).data(), "estimatedDelivery");
  }
  std::int64_t events() {
    return tenant.sql.number("select count(*) from events where entity_id = $1", {parcel});
  }
  void set(const json::value& date) {
    const Response changed =
        tenant.http.patch("/api/v1/shipments", {{"shipmentId", parcel}, {"deliveryDate", date}});
    ASSERT_EQ(changed.status, 200) << changed.text;
  }

  std::string number = "EZ" + tenant.id.substr(0, 8), parcel;
};

TEST_F(AnnouncedDeliveries, AreThoseOfTheShipmentAndOneEventEach) {
  const std::string computed = estimated();
  const std::int64_t before = events();
  const std::string first = format_timestamp(noon_in(9)), second = format_timestamp(noon_in(11));
  announce(first);
  EXPECT_EQ(estimated(), first);
  EXPECT_EQ(events(), before + 1);
  EXPECT_EQ(tenant.sql.value("select (cause ->> 'by') is not null from events where entity_id = $1 "
                             "order by id desc limit 1",
                             {parcel}),
            "t");
  track();
  EXPECT_EQ(events(), before + 1) << "the same answer changes nothing";
  announce(second);
  EXPECT_EQ(estimated(), second) << "a delay";
  tenant.sql.rows("update shipments set service_level = 'express' where guid = $1", {parcel});
  EXPECT_EQ(estimated(), second) << "the default date follows the service level, the carrier's does not";
  EXPECT_NE(first, computed);
}

TEST_F(AnnouncedDeliveries, OfADayLastUntilItsEndInTheZoneOfTheBusiness) {
  announce(format_timestamp(noon_in(9) - std::chrono::hours(12)));
  EXPECT_EQ(
      tenant.sql.value("select estimated_delivery at time zone 'America/New_York' = "
                       "($2::timestamptz at time zone 'UTC')::date + interval '1 day' - interval '1 ms' "
                       "from shipments where guid = $1",
                       {parcel, format_timestamp(noon_in(9))}),
      "t")
      << estimated();
}

TEST_F(AnnouncedDeliveries, DoNotReplaceADateThatARequestHasSet) {
  const std::string own = format_timestamp(noon_in(30));
  announce(format_timestamp(noon_in(9)));
  set(json::value(own));
  const std::int64_t before = events();
  announce(format_timestamp(noon_in(10)));
  EXPECT_EQ(estimated(), own);
  EXPECT_EQ(events(), before);
  set(nullptr);
  EXPECT_EQ(estimated(), format_timestamp(noon_in(9))) << "the last one that was taken";
  track();
  EXPECT_EQ(estimated(), format_timestamp(noon_in(10)));
}

TEST_F(AnnouncedDeliveries, OfOtherNumbersOrOtherYearsOrAfterTheEndAreIgnored) {
  announce(format_timestamp(noon_in(9)));
  const std::string known = estimated();
  tenant.sql.rows(
      "insert into purchases (business_id, guid, shipment_id, attempt, reference, shard, status, bought_at, "
      "carrier_id, connector, tracking_numbers) values ($1, gen_random_uuid(), $2, 1, gen_random_uuid(), "
      "shard_of($1::uuid), 'bought', now(), $3, 'easypost', array[$4, $4 || 'B'])",
      {tenant.id, parcel, carrier, number});
  tenant.sql.rows(
      "update shipments set packages = jsonb_build_array(jsonb_build_object('weight', 2, "
      "'carrierTrackingNumber', $2::text), jsonb_build_object('weight', 2, 'carrierTrackingNumber', $2 || "
      "'B')) where guid = $1",
      {parcel, number});
  announce(number + "B", format_timestamp(noon_in(12)));
  EXPECT_EQ(estimated(), known) << "a further parcel";
  for (const char* const year : {"0001", "2101"}) {
    announce(std::string(year) + "-01-01T12:00:00Z");
    EXPECT_EQ(estimated(), known) << year;
  }
  world.easypost.add_scan(number, {.status = "delivered", .message = "Delivered"});
  announce(format_timestamp(noon_in(13)));
  EXPECT_EQ(tenant.status_of(parcel), "delivered");
  EXPECT_EQ(estimated(), known) << "the date that was known at the delivery";
}

}  // namespace
}  // namespace waybill::tests
