#include "net/destination/ascii_host.hpp"

#include <gtest/gtest.h>

namespace waybill::net {
namespace {

TEST(AsciiHost, AHostBeyondAsciiHasItsXnForm) {
  EXPECT_EQ(with_ascii_host("https://bücher.example"), "https://xn--bcher-kva.example");
  EXPECT_EQ(with_ascii_host("https://BÜCHER.example:8443/shop?q=ü#ü"),
            "https://xn--bcher-kva.example:8443/shop?q=ü#ü");
  EXPECT_EQ(with_ascii_host("https://ü@straße.example/"), "https://ü@xn--strae-oqa.example/");
  EXPECT_EQ(with_ascii_host("https://shop.日本/@a:b"), "https://shop.xn--wgv71a/@a:b");
}

TEST(AsciiHost, OtherUrlsStayAsTheyAre) {
  for (const auto* const url :
       {"", "bücher.example", "https://shop.example/ü", "https://[::1]:80/ü", "https://\uE000ü.example/"})
    EXPECT_EQ(with_ascii_host(url), url);
}

}  // namespace
}  // namespace waybill::net
