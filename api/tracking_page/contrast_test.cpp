#include "api/tracking_page/contrast.hpp"

#include <gtest/gtest.h>

namespace waybill::api {
namespace {

Rgb color(std::string_view text) { return parse_color(text).value(); }

TEST(TrackingContrast, ReadsSixHexadecimalDigitsOnly) {
  EXPECT_EQ(color("#1f5Fbf"), (Rgb{0x1f, 0x5f, 0xbf}));
  EXPECT_EQ(color_text(color("#0AF09e")), "#0af09e");
  for (const std::string_view bad :
       {"", "#", "#fff", "1f5fbf", "#1f5fb", "#1f5fbff", "#1f5fbg", "#12 456", "#}body{", "red", "#é1234"}) {
    EXPECT_FALSE(parse_color(bad)) << bad;
  }
}

TEST(TrackingContrast, IsTheRatioOfWcag) {
  EXPECT_NEAR(contrast(color("#000000"), color("#ffffff")), 21, 1e-9);
  EXPECT_NEAR(contrast(color("#777777"), color("#ffffff")), 4.478, 1e-3);
  EXPECT_NEAR(contrast(color("#ffffff"), color("#767676")), 4.542, 1e-3);
  EXPECT_NEAR(contrast(color("#abcdef"), color("#abcdef")), 1, 1e-9);
}

TEST(TrackingContrast, KeepsAReadableColor) {
  EXPECT_EQ(readable_on(color("#1f5fbf"), color("#ffffff")), color("#1f5fbf"));
  EXPECT_EQ(readable_on(color("#ffd400"), color("#161a20")), color("#ffd400"));
}

TEST(TrackingContrast, DarkensOrLightensUntilTextIsReadable) {
  const Rgb backgrounds[] = {color("#ffffff"), color("#f4f5f7"), color("#1b1f26"),
                             color("#000000"), color("#777777"), color("#ff0000")};
  for (const auto background : backgrounds) {
    for (int red = 0; red < 256; red += 15) {
      for (int green = 0; green < 256; green += 15) {
        for (int blue = 0; blue < 256; blue += 15) {
          const Rgb any{static_cast<std::uint8_t>(red), static_cast<std::uint8_t>(green),
                        static_cast<std::uint8_t>(blue)};
          ASSERT_GE(contrast(readable_on(any, background), background), text_contrast)
              << color_text(any) << " on " << color_text(background);
        }
      }
    }
  }
}

TEST(TrackingContrast, ChangesAColorAsLittleAsNeeded) {
  const auto darkened = readable_on(color("#ffd400"), color("#ffffff"));
  EXPECT_GT(darkened.red, darkened.green);
  EXPECT_EQ(darkened.blue, 0);
  EXPECT_LT(contrast(darkened, color("#ffffff")), 4.8);
}

}  // namespace
}  // namespace waybill::api
