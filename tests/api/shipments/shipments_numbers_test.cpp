// Recipients, carriers' numbers and links, own data, defaults and the list's parameters of shipments.
#include <algorithm>
#include <cctype>

#include "tests/api/fixtures/shipments_fixture.hpp"

namespace waybill::tests {
namespace {

class ShipmentsNumbersTest : public ShipmentsFixture {
 protected:
  std::string own_carrier(std::string_view pattern) {
    const auto response = http.post(
        "/api/carriers",
        {{"name", "Bikes"}, {"code", "bikes"}, {"type", "lastmile"}, {"trackingUrlPattern", pattern}});
    EXPECT_EQ(response.status, 201) << response.text;
    return text_at(response.data(), "guid");
  }
  Response schedule(std::string_view guid, const json::object& fields) {
    json::object body{{"shipmentId", guid}};
    for (const auto& [key, value] : fields) body[key] = value;
    return http.patch(collection, body);
  }
  std::vector<std::string> found(std::string_view query) {
    const auto response = http.get(std::string(collection) + "?" + std::string(query));
    EXPECT_EQ(response.status, 200) << response.text;
    EXPECT_EQ(response.body.at("totalCount").to_number<std::size_t>(), response.data().as_array().size());
    return texts(response, "guid");
  }
  std::string ship(const json::object& order) {
    const auto response =
        http.post("/api/v1/Orders/" + tenant.create_order(order) + "/shipment", json::object{});
    EXPECT_EQ(response.status, 201) << response.text;
    return text_at(response.data(), "guid");
  }
};

using Guids = std::vector<std::string>;

TEST_F(ShipmentsNumbersTest, SenderAndRecipientHaveACompanyAndTheRecipientAnEmail) {
  const auto guid =
      create({{"sender", {{"name", "Bob"}, {"company", "Engines Ltd"}, {"street", "1"}, {"city", "Lisbon"}}},
              {"recipient",
               {{"name", "Ada"},
                {"company", "Analytical"},
                {"email", "ada@example.com"},
                {"street", "1"},
                {"city", "Porto"}}}});
  EXPECT_EQ(text_at(get(guid), "sender.company"), "Engines Ltd");
  EXPECT_EQ(text_at(get(guid), "recipient.company"), "Analytical");
  EXPECT_EQ(text_at(get(guid), "recipient.email"), "ada@example.com");
  EXPECT_EQ(
      http.put(path_of(guid), {{"recipient", {{"company", nullptr}, {"email", "x@example.com"}}}}).status,
      200);
  EXPECT_TRUE(at(get(guid), "recipient.company").is_null());
  EXPECT_EQ(text_at(get(guid), "recipient.email"), "x@example.com");
  EXPECT_EQ(http.put(path_of(guid), get(guid)).status, 200) << "a GET response can be sent back";
  expect_invalid(http.put(path_of(guid), {{"sender", {{"email", "x@example.com"}}},
                                          {"recipient", {{"email", "x"}, {"company", 5}}}}),
                 {"sender.email", "recipient.email", "recipient.company"});
}

TEST_F(ShipmentsNumbersTest, TheRecipientOfAnOrdersShipmentIsABlock) {
  const json::object buyer{{"name", "Buyer"}, {"email", "buyer@example.com"}, {"phone", "+1 1"}};
  const json::object address{{"street", "Main St 1"}, {"city", "Porto"}};
  const auto to_buyer = get(ship({{"customer", buyer}, {"deliveryAddress", address}}));
  EXPECT_EQ(text_at(to_buyer, "recipient.name"), "Buyer");
  EXPECT_EQ(text_at(to_buyer, "recipient.email"), "buyer@example.com");
  EXPECT_EQ(text_at(to_buyer, "recipient.phone"), "+1 1");

  const auto order = tenant.create_order({{"customer", buyer}, {"deliveryAddress", address}});
  tenant.sql.exec("update customers set company = 'Buyers Ltd' where business_id = '" + tenant.id + "'");
  tenant.sql.exec(
      "update orders set delivery_company = 'Gifts Ltd', delivery_email = 'gift@example.com' where guid = '" +
      order + "'");
  const auto response = http.post("/api/v1/Orders/" + order + "/shipment", json::object{});
  const auto gift = get(text_at(response.data(), "guid"));
  EXPECT_TRUE(at(gift, "recipient.name").is_null());
  EXPECT_EQ(text_at(gift, "recipient.company"), "Gifts Ltd");
  EXPECT_TRUE(at(gift, "recipient.phone").is_null()) << "never the buyer's";
  EXPECT_EQ(text_at(gift, "recipient.email"), "gift@example.com");

  json::object blank = address;
  blank["name"] = " ";
  blank["phone"] = "+1 2";
  const auto unnamed = get(ship({{"customer", buyer}, {"deliveryAddress", blank}}));
  EXPECT_EQ(text_at(unnamed, "recipient.name"), "Buyer") << "a blank name is none";
  EXPECT_EQ(text_at(unnamed, "recipient.phone"), "+1 1");
}

TEST_F(ShipmentsNumbersTest, TheLinkIsMadeFromThePatternOrGiven) {
  const auto bikes = own_carrier("https://bikes.example/p/{number}?n={number}");
  const auto guid = create({{"carrierId", bikes}, {"carrierTrackingNumber", "A+1/ü"}});
  const auto made = "https://bikes.example/p/A%2B1%2F%C3%BC?n=A%2B1%2F%C3%BC";
  EXPECT_EQ(text_at(get(guid), "carrierTrackingNumber"), "A+1/ü");
  EXPECT_EQ(text_at(get(guid), "carrierTrackingUrl"), made);

  auto echo = get(guid).as_object();
  echo["carrierTrackingNumber"] = "B2";
  EXPECT_EQ(http.put(path_of(guid), echo).status, 200);
  EXPECT_EQ(text_at(get(guid), "carrierTrackingUrl"), "https://bikes.example/p/B2?n=B2")
      << "the made link that a GET shows is not the caller's";
  EXPECT_EQ(schedule(guid, {{"carrierTrackingUrl", "https://other.example/1"}}).status, 200);
  EXPECT_EQ(text_at(get(guid), "carrierTrackingUrl"), "https://other.example/1");
  EXPECT_EQ(schedule(guid, {{"carrierTrackingUrl", nullptr}, {"carrierTrackingNumber", "C3"}}).status, 200);
  EXPECT_EQ(text_at(get(guid), "carrierTrackingUrl"), "https://bikes.example/p/C3?n=C3");
  EXPECT_EQ(http.put(path_of(guid), {{"carrierTrackingNumber", nullptr}}).status, 200);
  EXPECT_TRUE(at(get(guid), "carrierTrackingUrl").is_null());

  const auto ups = create({{"carrierId", carrier("ups")}, {"carrierTrackingNumber", "1Z1"}});
  EXPECT_EQ(text_at(get(ups), "carrierTrackingUrl"), "https://www.ups.com/track?tracknum=1Z1");
  const auto list = http.get(std::string(collection) + "?trackingNumber=1z1");
  EXPECT_EQ(text_at(list.data(), "0.carrierTrackingUrl"), "https://www.ups.com/track?tracknum=1Z1");
}

TEST_F(ShipmentsNumbersTest, TheListIsFilteredByTheLinkThatItShows) {
  const auto carrier = own_carrier("https://x.example/{number}");
  const auto made = create({{"carrierId", carrier}, {"carrierTrackingNumber", "T 1"}});
  const auto given = create({{"carrierId", carrier},
                             {"carrierTrackingNumber", "T2"},
                             {"carrierTrackingUrl", "https://other.example/2"}});
  const auto without = create();
  const auto filtered = [&](std::string_view filter) {
    auto guids = found("$filter=" + url_encode(filter));
    std::ranges::sort(guids);
    return guids;
  };
  const auto sorted = [](Guids guids) {
    std::ranges::sort(guids);
    return guids;
  };
  EXPECT_EQ(text_at(get(made), "carrierTrackingUrl"), "https://x.example/T1");
  EXPECT_EQ(filtered("carrierTrackingUrl eq 'https://x.example/T1'"), Guids{made});
  EXPECT_EQ(filtered("carrierTrackingUrl in ('https://x.example/T1')"), Guids{made});
  EXPECT_EQ(filtered("startswith(carrierTrackingUrl,'https://x.')"), Guids{made});
  EXPECT_EQ(filtered("contains(tolower(carrierTrackingUrl),'/t1')"), Guids{made});
  EXPECT_EQ(filtered("carrierTrackingUrl eq 'https://x.example/T2'"), Guids{}) << "the given link is shown";
  EXPECT_EQ(filtered("carrierTrackingUrl ne 'https://x.example/T1'"), sorted({given, without}));
  EXPECT_EQ(filtered("carrierTrackingUrl ne null"), sorted({made, given}));
  EXPECT_EQ(filtered("carrierTrackingUrl eq null"), Guids{without});
}

TEST_F(ShipmentsNumbersTest, BadNumbersAndLinksAreRefused) {
  const auto guid = create();
  const json::array links{"",
                          "carrier.example",
                          "javascript:alert(1)",
                          "ftp://carrier.example/1",
                          "https://",
                          "https://a b",
                          5,
                          "https://carrier.example/" + std::string(2'000, 'x')};
  for (const auto& link : links) {
    expect_invalid(http.put(path_of(guid), {{"carrierTrackingUrl", link}}), {"carrierTrackingUrl"});
    expect_invalid(schedule(guid, {{"carrierTrackingUrl", link}}), {"carrierTrackingUrl"});
  }
  const json::array numbers{"", " ", 5, std::string(201, '1')};
  for (const auto& number : numbers) {
    expect_invalid(http.post(collection, shipment_body({{"carrierTrackingNumber", number}})),
                   {"carrierTrackingNumber"});
    expect_invalid(schedule(guid, {{"carrierTrackingNumber", number}}), {"carrierTrackingNumber"});
  }
}

TEST_F(ShipmentsNumbersTest, NumberAndLinkOfAFinalShipmentStay) {
  for (const auto* const status : {"delivered", "returned", "cancelled"}) {
    const auto guid = create({{"carrierTrackingNumber", "N1"}});
    update(guid, std::string("status = '") + status + "'");
    expect_refused(http.put(path_of(guid), {{"carrierTrackingNumber", "N2"}}), 409, "CONFLICT");
    expect_refused(schedule(guid, {{"carrierTrackingUrl", "https://a.example/1"}}), 409, "CONFLICT");
    expect_refused(schedule(guid, {{"carrierTrackingNumber", nullptr}}), 409, "CONFLICT");
    EXPECT_EQ(http.put(path_of(guid), get(guid)).status, 200) << "without a change";
    EXPECT_EQ(schedule(guid, {{"carrierTrackingNumber", "N1"}}).status, 200);
    EXPECT_EQ(text_at(get(guid), "carrierTrackingNumber"), "N1");
  }
}

TEST_F(ShipmentsNumbersTest, AnotherCarrierDoesNotChangeTheLinkOfAFinalShipment) {
  const auto ups = carrier("ups");
  const json::object to_bikes{{"carrierId", own_carrier("https://bikes.example/p/{number}")}};
  const auto made = create({{"carrierId", ups}, {"carrierTrackingNumber", "1Z1"}});
  const auto given = create(
      {{"carrierId", ups}, {"carrierTrackingNumber", "1Z2"}, {"carrierTrackingUrl", "https://a.example/1"}});
  const auto without = create({{"carrierId", ups}});
  for (const auto& guid : {made, given, without}) update(guid, "status = 'delivered'");
  expect_refused(http.put(path_of(made), to_bikes), 409, "CONFLICT");
  EXPECT_EQ(text_at(get(made), "carrierTrackingUrl"), "https://www.ups.com/track?tracknum=1Z1");
  EXPECT_EQ(http.put(path_of(made), {{"carrierId", ups}}).status, 200) << "without a change";
  for (const auto& guid : {given, without}) EXPECT_EQ(http.put(path_of(guid), to_bikes).status, 200);
  EXPECT_EQ(text_at(get(given), "carrierTrackingUrl"), "https://a.example/1");
}

TEST_F(ShipmentsNumbersTest, OwnDataIsMergedAndValidated) {
  const auto guid = create({{"externalReference", "PO-1"},
                            {"tags", {"VIP", "vip", "gift"}},
                            {"metadata", {{"color", "red"}, {"floor", 3}, {"lift", true}}}});
  EXPECT_EQ(at(get(guid), "tags"), json::value({"VIP", "gift"}));
  EXPECT_EQ(http.put(path_of(guid), {{"metadata", {{"color", nullptr}, {"door", "left"}}}}).status, 200);
  EXPECT_EQ(at(get(guid), "metadata"), json::value({{"floor", 3}, {"lift", true}, {"door", "left"}}));
  EXPECT_EQ(text_at(get(guid), "externalReference"), "PO-1");
  EXPECT_EQ(http.put(path_of(guid), {{"tags", json::array{}}, {"externalReference", nullptr}}).status, 200);
  EXPECT_EQ(at(get(guid), "tags"), json::array());
  EXPECT_TRUE(at(get(guid), "externalReference").is_null());
  expect_invalid(http.put(path_of(guid), {{"externalReference", std::string(201, 'x')},
                                          {"tags", {"a", std::string(51, 't'), 5}},
                                          {"metadata", {{"b c", 1}, {"list", json::array{}}}}}),
                 {"externalReference", "tags[1]", "tags[2]", "metadata.b c", "metadata.list"});
}

TEST_F(ShipmentsNumbersTest, TheTrackingUrlHasThePublicAddressAndAToken) {
  const auto url = text_at(get(create()), "trackingUrl");
  const auto token = url.substr(url.rfind('/') + 1);
  EXPECT_NE(url.find("/track/"), std::string::npos) << url;
  EXPECT_EQ(token.size(), 32U);
  EXPECT_EQ(token.find_first_not_of("0123456789abcdef"), std::string::npos) << token;
  EXPECT_NE(text_at(get(create()), "trackingUrl"), url);
}

TEST_F(ShipmentsNumbersTest, TheListFindsByEitherNumber) {
  const auto guid = create({{"carrierTrackingNumber", "1Z-Abc"}});
  create({{"carrierTrackingNumber", "1Z-Abcd"}});
  auto ours = text_at(get(guid), "trackingNumber");
  EXPECT_EQ(found("trackingNumber=" + ours), (Guids{guid}));
  for (char& c : ours) c = static_cast<char>(std::tolower(c));
  EXPECT_EQ(found("trackingNumber=" + ours), (Guids{guid}));
  EXPECT_EQ(found("trackingNumber=1z-aBC"), (Guids{guid}));
  EXPECT_EQ(found("trackingNumber=1z"), (Guids{}));
  EXPECT_EQ(found("trackingNumber=1z-abc&status=delivered"), (Guids{}));
}

TEST_F(ShipmentsNumbersTest, TheListSearchesNumbersRecipientsAndCities) {
  const auto guid = create(
      {{"carrierTrackingNumber", "1Z999"},
       {"recipient",
        {{"name", "Grace Hopper"}, {"company", "Navy Yard"}, {"street", "Elm 1"}, {"city", "Braga"}}}});
  create();
  for (const auto* const text :
       {"hopper", "GRACE", "braga", "navy", "z99", "hopper%20braga", "navy%20grace", "br"}) {
    EXPECT_EQ(found(std::string("search=") + text), (Guids{guid})) << text;
  }
  EXPECT_EQ(found("search=" + text_at(get(guid), "trackingNumber").substr(3, 8)), (Guids{guid}));
  for (const auto* const text : {"elm", "hopper%20york", "100%25", "gra_e"}) {
    EXPECT_EQ(found(std::string("search=") + text), (Guids{})) << text;
  }
  EXPECT_EQ(found("search=engines"), (Guids{})) << "the sender is not searched";
  EXPECT_EQ(found("search=%20").size(), 2U);
  expect_invalid(http.get(std::string(collection) + "?search=" + std::string(201, 'x')), {"search"});
}

TEST_F(ShipmentsNumbersTest, TheListFindsByTagAndReference) {
  const auto guid = create({{"tags", {"VIP", "gift \"a\""}}, {"externalReference", "PO-1"}});
  create({{"tags", {"other"}}, {"externalReference", "PO-2"}});
  EXPECT_EQ(found("tag=vip"), (Guids{guid}));
  EXPECT_EQ(found("tag=" + url_encode("GIFT \"a\"")), (Guids{guid}));
  EXPECT_EQ(found("tag=vi"), (Guids{}));
  EXPECT_EQ(found("externalReference=PO-1"), (Guids{guid}));
  EXPECT_EQ(found("externalReference=po-1"), (Guids{}));
  EXPECT_EQ(found("externalReference=PO-1&tag=other"), (Guids{}));
}

TEST_F(ShipmentsNumbersTest, DefaultsThatAreOnlyShownStayUnsetWhenTheyArePutBack) {
  constexpr std::string_view defaults = "/api/business/default-configuration";
  const auto expect_unset = [&] {
    const auto made = get(create({{"packages", {{{"weight", 2}}}}}));
    EXPECT_TRUE(at(made, "serviceLevel").is_null());
    EXPECT_TRUE(at(made, "packages.0.length").is_null());
  };
  auto shown = http.get(defaults).data().as_object();
  ASSERT_EQ(http.put(defaults, shown).status, 200);
  expect_unset();
  shown["notifications"].as_object()["pushEnabled"] = false;
  EXPECT_EQ(http.put(defaults, shown).data(), json::value(shown));
  expect_unset();
  shown["defaultServiceLevel"] = "express";
  EXPECT_EQ(http.put(defaults, shown).data(), json::value(shown));
  auto made = get(create({{"packages", {{{"weight", 2}}}}}));
  EXPECT_EQ(text_at(made, "serviceLevel"), "express");
  EXPECT_TRUE(at(made, "packages.0.length").is_null());
  shown["defaultServiceLevel"] = "standard";
  ASSERT_EQ(http.put(defaults, shown).status, 200);
  EXPECT_EQ(text_at(get(create({})), "serviceLevel"), "standard") << "one that is set can become any other";
}

TEST_F(ShipmentsNumbersTest, ADefaultThatIsPutAloneIsSetAlsoToTheValueThatGetShows) {
  constexpr std::string_view defaults = "/api/business/default-configuration";
  const auto shown = http.get(defaults).data();
  ASSERT_EQ(http.put(defaults, {{"defaultServiceLevel", "standard"},
                                {"defaultDimensions", at(shown, "defaultDimensions")}})
                .status,
            200);
  const auto made = get(create({{"packages", {{{"weight", 2}}}}}));
  EXPECT_EQ(text_at(made, "serviceLevel"), "standard");
  EXPECT_EQ(at(made, "packages.0.length"), 30);
  EXPECT_EQ(http.put(defaults, http.get(defaults).data()).data(), shown);
  EXPECT_EQ(text_at(get(create({})), "serviceLevel"), "standard") << "what is set stays set";
}

TEST_F(ShipmentsNumbersTest, DefaultsApplyToShipmentsThatNameNone) {
  constexpr std::string_view defaults = "/api/business/default-configuration";
  const auto ups = carrier("ups");
  ASSERT_EQ(http.put(defaults,
                     {{"defaultCarrier", ups},
                      {"defaultServiceLevel", "express"},
                      {"defaultDimensions", {{"length", 40}, {"width", 30}, {"height", 20}, {"unit", "cm"}}}})
                .status,
            200);
  const auto plain = get(create({{"packages", {{{"weight", 2}}, {{"length", 5}}}}}));
  EXPECT_EQ(text_at(plain, "carrier.guid"), ups);
  EXPECT_EQ(text_at(plain, "serviceLevel"), "express");
  EXPECT_EQ(at(plain, "packages"),
            json::value({{{"length", 40}, {"width", 30}, {"height", 20}, {"weight", 2}},
                         {{"length", 5}, {"width", nullptr}, {"height", nullptr}, {"weight", nullptr}}}));
  const auto other = get(create({{"carrierId", carrier("colissimo")}}));
  EXPECT_EQ(text_at(other, "carrier.name"), "Colissimo");
  EXPECT_TRUE(at(other, "serviceLevel").is_null()) << "Colissimo has no express";
  const auto standard = get(create({{"serviceLevel", "standard"}}));
  EXPECT_EQ(text_at(standard, "carrier.guid"), ups);
  EXPECT_EQ(text_at(standard, "serviceLevel"), "standard");
  const auto strange = get(create({{"serviceLevel", "overnight"}}));
  EXPECT_TRUE(at(strange, "carrier").is_null()) << "UPS has no overnight";

  const auto account =
      http.post("/api/carriers/configure",
                {{"carrierId", ups}, {"accountNumber", "A"}, {"defaultServiceLevel", "standard"}});
  ASSERT_EQ(account.status, 200) << account.text;
  EXPECT_EQ(text_at(get(create({})), "serviceLevel"), "standard") << "the account's default comes first";
  EXPECT_EQ(text_at(get(create({{"serviceLevel", "express"}})), "serviceLevel"), "express");
}

}  // namespace
}  // namespace waybill::tests
