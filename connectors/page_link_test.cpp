#include "connectors/page_link.hpp"

#include <gtest/gtest.h>

namespace waybill::connectors {
namespace {

std::string link(const json::value& value, std::size_t limit = 2000) {
  return page_link(&value, limit).value_or("none");
}

TEST(PageLinks, AreWholeAddressesOfTheWeb) {
  EXPECT_EQ(link(" https://carrier.example/1Z1\n"), "https://carrier.example/1Z1");
  EXPECT_EQ(link("http://carrier.example"), "http://carrier.example");
  for (const json::value& other :
       {json::value("javascript:alert(1)"), json::value("/v1/trackers/1"), json::value("https://x/<b>"),
        json::value("https://x/a b"), json::value(7), json::value()})
    EXPECT_EQ(link(other), "none") << other;
  EXPECT_FALSE(page_link(nullptr));
}

TEST(PageLinks, AreNeverCut) {
  EXPECT_EQ(link("https://x/abc", 13), "https://x/abc");
  EXPECT_EQ(link("https://x/abcd", 13), "none");
  EXPECT_EQ(link("https://x/ab\u00e9", 13), "none");
}

}  // namespace
}  // namespace waybill::connectors
