#include "matching/tracking_links.hpp"

#include <gtest/gtest.h>

namespace waybill::matching {
namespace {

TEST(TrackingLinks, APageIsNamedByItsToken) {
  EXPECT_EQ(tracking_page_url("https://a.example", "0f0f"), "https://a.example/track/0f0f");
}

TEST(TrackingLinks, ACarriersPatternGetsTheEscapedNumber) {
  EXPECT_EQ(carrier_tracking_url("https://c.example/?n={number}", "1Z 9/&\u00e9"),
            "https://c.example/?n=1Z%209%2F%26%C3%A9");
  EXPECT_EQ(carrier_tracking_url("https://c.example/{number}/{number}#x", "A-1._~"),
            "https://c.example/A-1._~/A-1._~#x");
  EXPECT_EQ(carrier_tracking_url("https://c.example/", "1"), "https://c.example/");
}

}  // namespace
}  // namespace waybill::matching
