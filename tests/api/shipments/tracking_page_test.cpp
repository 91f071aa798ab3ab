// GET /track/{token}: the public page of a shipment.
#include <thread>

#include "tests/api/fixtures/shipments_fixture.hpp"

namespace waybill::tests {
namespace {

class TrackingPageTest : public ShipmentsFixture {
 protected:
  /// The path of a shipment's page.
  std::string page_of(std::string_view guid) {
    const auto url = text_at(get(guid), "trackingUrl");
    return url.substr(url.find("/track/"));
  }

  Http anonymous = world.waybill.http();
};

TEST_F(TrackingPageTest, AnyoneWithTheLinkSeesTheShipmentButNoPersonalData) {
  const auto guid = create({{"carrierId", carrier("ups")},
                            {"carrierTrackingNumber", "1Z1"},
                            {"recipient",
                             {{"name", "Grace Hopper"},
                              {"company", "Navy Yard"},
                              {"street", "Elm Street 7"},
                              {"city", "Braga"},
                              {"postalCode", "4700-001"},
                              {"phone", "+351 253"},
                              {"email", "grace@example.com"}}}});
  report(guid, {{"status", "in_transit"}, {"description", "Left the depot"}, {"location", "Porto"}});
  const auto path = page_of(guid);
  const auto page = anonymous.get(path);
  ASSERT_EQ(page.status, 200) << page.text;
  EXPECT_EQ(page.header("Content-Type"), "text/html; charset=utf-8");
  EXPECT_EQ(page.header("Referrer-Policy"), "no-referrer");
  EXPECT_NE(page.header("Content-Security-Policy").find("default-src 'none'"), std::string::npos);
  EXPECT_LT(page.text.size(), 30'000U);
  EXPECT_NE(page.text.find("noindex"), std::string::npos);
  EXPECT_EQ(page.text.find("<script"), std::string::npos);
  const auto facts = anonymous.get(path + ".json");
  ASSERT_EQ(facts.status, 200) << facts.text;
  EXPECT_EQ(text_at(facts.data(), "trackingNumber"), text_at(get(guid), "trackingNumber"));
  EXPECT_EQ(text_at(facts.data(), "status"), "in_transit");
  EXPECT_EQ(text_at(facts.data(), "carrierTrackingUrl"), "https://www.ups.com/track?tracknum=1Z1");
  for (const auto* const shown : {"Left the depot", "Porto", "Braga"}) {
    EXPECT_NE(page.text.find(shown), std::string::npos) << shown;
    EXPECT_NE(facts.text.find(shown), std::string::npos) << shown;
  }
  for (const auto* const hidden : {"Grace", "Navy", "Elm", "4700-001", "+351", "grace@", "Ada", "Rua 1"}) {
    EXPECT_EQ(page.text.find(hidden), std::string::npos) << hidden;
    EXPECT_EQ(facts.text.find(hidden), std::string::npos) << hidden;
  }
}

TEST_F(TrackingPageTest, AScanThatNamesTheRecipientsStreetPhoneOrEmailIsNotShown) {
  const auto guid = create({{"recipient",
                             {{"name", "Grace Hopper"},
                              {"street", "Elm Street 7"},
                              {"city", "Braga"},
                              {"phone", "+351 253 111 222"},
                              {"email", "grace@example.com"}}}});
  report(guid, {{"status", "in_transit"}, {"description", "Left the depot"}, {"location", "Porto"}});
  report(guid, {{"status", "in_transit"}, {"description", "Called 253111222"}, {"location", "ELM STREET 7"}});
  report(guid, {{"status", "in_transit"}, {"description", "Wrote to Grace@Example.com"}});
  const auto path = page_of(guid);
  for (const auto& answer : {anonymous.get(path), anonymous.get(path + ".json")}) {
    ASSERT_EQ(answer.status, 200) << answer.text;
    EXPECT_NE(answer.text.find("Left the depot"), std::string::npos);
    for (const auto* const hidden : {"253111222", "Called", "ELM", "Wrote", "Grace"})
      EXPECT_EQ(answer.text.find(hidden), std::string::npos) << hidden;
  }
}

TEST_F(TrackingPageTest, ConcurrentReadersSeeTheirOwnShipments) {
  constexpr int readers = 8, requests = 10;
  std::vector<std::pair<std::string, std::string>> pages;  // path and tracking number
  for (int i = 0; i < readers; ++i) {
    const auto guid = create();
    pages.emplace_back(page_of(guid), text_at(get(guid), "trackingNumber"));
  }
  std::vector<std::jthread> threads;
  for (int i = 0; i < readers; ++i) {
    threads.emplace_back([&, i, client = world.waybill.http()]() mutable {
      const auto& [path, number] = pages.at(static_cast<std::size_t>(i));
      for (int request = 0; request < requests; ++request)
        EXPECT_EQ(text_at(client.get(path + ".json").data(), "trackingNumber"), number);
    });
  }
}

TEST_F(TrackingPageTest, ThePageIsInTheReadersLanguage) {
  const auto path = page_of(create());
  for (const auto* const language : {"en", "de", "fr", "es", "pt"}) {
    const auto page = anonymous.get(path, {{"Accept-Language", language}});
    EXPECT_EQ(page.header("Content-Language"), language);
    EXPECT_NE(page.text.find(std::string("<html lang=\"") + language), std::string::npos);
  }
}

TEST_F(TrackingPageTest, TimesAreInTheZoneOfTheBusiness) {
  const auto guid = create();
  tenant.sql.exec("update businesses set timezone = 'Asia/Kolkata' where guid = '" + tenant.id + "'");
  const auto page = anonymous.get(page_of(guid));
  EXPECT_NE(page.text.find("+05:30"), std::string::npos) << page.text;
}

TEST_F(TrackingPageTest, AnUnknownMalformedOrDeletedShipmentIs404) {
  const auto guid = create();
  const auto path = page_of(guid);
  EXPECT_EQ(http.del(path_of(guid)).status, 200);
  for (const auto& gone : {path, std::string("/track/00000000000000000000000000000000"),
                           std::string("/track/x"), "/track/" + guid, path + "0"}) {
    const auto page = anonymous.get(gone, {{"Accept-Language", "de"}});
    EXPECT_EQ(page.status, 404) << gone;
    EXPECT_EQ(page.header("Content-Type"), "text/html; charset=utf-8") << gone;
    EXPECT_NE(page.text.find("<html lang=\"de\""), std::string::npos);
    expect_refused(anonymous.get(gone + ".json"), 404, "NOT_FOUND");
  }
}

TEST(TrackingPageLimit, AnAddressSees120PagesAMinute) {
  const TestDatabase database;
  const Waybill api(database.url(), {.command = "api", .arguments = {"--trusted-proxy", "127.0.0.1"}});
  auto http = api.http();
  const auto view = [&](std::string_view from) {
    return http.get("/track/00000000000000000000000000000000", {{"X-Forwarded-For", std::string(from)}});
  };
  int refused = 0;
  Response last;
  for (int count = 0; count < 241 && refused == 0; ++count) {
    last = view("192.0.2.1");
    if (last.status == 429) ++refused;
    if (count < 120 && last.status != 429) EXPECT_EQ(last.status, 404);
  }
  EXPECT_EQ(refused, 1) << "at the latest in the second minute";
  EXPECT_GE(std::stoi(last.header("Retry-After")), 1);
  EXPECT_EQ(last.header("Content-Type"), "text/html; charset=utf-8");
  const auto facts =
      http.get("/track/00000000000000000000000000000000.json", {{"X-Forwarded-For", "192.0.2.1"}});
  if (facts.status != 404)
    EXPECT_EQ(text_at(facts.body, "error.code"), "RATE_LIMITED") << "a new minute may begin";
  EXPECT_EQ(view("192.0.2.2").status, 404);
}

}  // namespace
}  // namespace waybill::tests
