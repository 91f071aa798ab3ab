#include "api/tracking_page/presented.hpp"

#include <gtest/gtest.h>

#include "api/tracking_page/page.hpp"
#include "base/utf8.hpp"

namespace waybill::api {
namespace {

TEST(PresentedShipment, HasTextsOfOneLine) {
  TrackedShipment shipment{.business = " Loja\ndo\tPorto "};
  shipment.traces.push_back({.description = "left\r\nwith\x01neighbour"});
  const auto shown = presented(shipment);
  EXPECT_EQ(shown.business, "Loja do Porto");
  EXPECT_EQ(shown.traces[0].description.find_first_of("\r\n\x01"), std::string::npos);
}

TEST(PresentedShipment, CutsLongTextsBetweenCharacters) {
  std::string name;
  for (int i = 0; i < 150; ++i) name += "é😀";
  const auto shown = presented({.carrier = name, .city = name.substr(0, 300)});
  EXPECT_TRUE(is_utf8(shown.carrier));
  EXPECT_EQ(count_characters(shown.carrier), 100);
  EXPECT_TRUE(shown.carrier.ends_with("…"));
  EXPECT_EQ(shown.city, name.substr(0, 300));
}

TEST(PresentedShipment, HasNoCharactersThatChangeTheDirectionOfText) {
  const auto shown = presented({.city = "Por\u202eto\u2066 \u2069…\u2070"});
  EXPECT_EQ(shown.city, "Porto …\u2070");
}

TEST(PresentedShipment, KeepsTheNewestTraces) {
  TrackedShipment shipment{.older_traces = 7};
  for (std::size_t i = 0; i < max_tracked_traces + 3; ++i)
    shipment.traces.push_back({.location = std::to_string(i)});
  const auto shown = presented(shipment);
  ASSERT_EQ(shown.traces.size(), max_tracked_traces);
  EXPECT_EQ(shown.traces.front().location, "0");
  EXPECT_EQ(shown.older_traces, 10);
}

TEST(PresentedShipment, HasWebLinksOnly) {
  const auto link = [](std::string url) { return presented({.carrier_tracking_url = std::move(url)}); };
  for (const std::string good :
       {"https://dhl.example/t?n=1&l='de'", "http://carrier.example/1", "HTTPS://x/"}) {
    EXPECT_EQ(link(good).carrier_tracking_url, good);
  }
  for (const std::string bad : {"javascript:alert(1)", "data:text/html,x", "//x.example/", "ftp://x/", "x",
                                "https://x.example/ y", "https://x.example/\"onload=1", "https://x/<b>",
                                "\nhttps://x.example/", "javascript://x/%0aalert(1)"}) {
    EXPECT_EQ(link(bad).carrier_tracking_url, "") << bad;
  }
  EXPECT_EQ(link("https://x.example/" + std::string(2'000, 'x')).carrier_tracking_url, "");
}

TEST(PresentedShipment, HasALogoOfAPlainHttpsOriginOnly) {
  EXPECT_EQ(https_origin("https://cdn.example.com/a/logo.png?v=1"), "https://cdn.example.com");
  EXPECT_EQ(https_origin("HTTPS://CDN.example.com:8443"), "https://cdn.example.com:8443");
  for (const std::string bad :
       {"", "https://", "http://x.example/l.png", "https://a@x.example/", "https://x.example;script-src *",
        "https://*.example.com/", "https://[::1]/", "https://müller.example/", "https://x.example:/",
        "https://x.example:80a/", "https://x.example:1234567/", "https://'none'/", "https:x.example"}) {
    EXPECT_FALSE(https_origin(bad)) << bad;
    EXPECT_EQ(presented({.logo_url = bad}).logo_url, "") << bad;
  }
}

TEST(PresentedShipment, HasAColorOfSixDigitsOnly) {
  EXPECT_EQ(presented({.color = "#FFd400"}).color, "#FFd400");
  EXPECT_EQ(presented({.color = "red;}body{display:none}"}).color, "");
}

}  // namespace
}  // namespace waybill::api
