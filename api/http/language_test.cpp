#include "api/http/language.hpp"

#include <string>

#include <gtest/gtest.h>

namespace waybill::api {
namespace {

std::string tag(std::string_view accept_language) {
  return std::string(preferred_locale(accept_language).tag());
}

TEST(TrackingLanguage, IsTheRangeWithTheHighestQuality) {
  EXPECT_EQ(tag("fr"), "fr");
  EXPECT_EQ(tag("en;q=0.5, de;q=0.8, fr;q=0.79"), "de");
  EXPECT_EQ(tag("en;q=0.5,es;q=0.501"), "es");
  EXPECT_EQ(tag("nl, sv;q=0.9, pt;q=0.1"), "pt");
}

TEST(TrackingLanguage, IsTheFirstOfEqualQualities) {
  EXPECT_EQ(tag("de, fr"), "de");
  EXPECT_EQ(tag("fr;q=0.7,de;q=0.700"), "fr");
}

TEST(TrackingLanguage, IgnoresRegionsAndCase) {
  EXPECT_EQ(tag("de-AT"), "de");
  EXPECT_EQ(tag("pt-BR,pt;q=0.9,en-US;q=0.8"), "pt");
  EXPECT_EQ(tag("FR-ca"), "fr");
  EXPECT_EQ(tag("es-419"), "es");
  EXPECT_EQ(tag("de-Latn-DE-1996"), "de");
}

TEST(TrackingLanguage, IsNotMistakenForALongerTag) {
  EXPECT_EQ(tag("den"), "en");
  EXPECT_EQ(tag("est, fr;q=0.1"), "fr");
}

TEST(TrackingLanguage, ReadsTheWildcard) {
  EXPECT_EQ(tag("*"), "en");
  EXPECT_EQ(tag("*, de"), "de");
  EXPECT_EQ(tag("de;q=0.5, *"), "en");
  EXPECT_EQ(tag("en;q=0, *"), "de");
  EXPECT_EQ(tag("en;q=0.1, de;q=0, *;q=0.5"), "fr");
  EXPECT_EQ(tag("nl, *;q=0.5"), "en");
}

TEST(TrackingLanguage, IsNeverOneOfQualityZero) {
  EXPECT_EQ(tag("de;q=0, fr;q=0.1"), "fr");
  EXPECT_EQ(tag("de;q=0"), "en");
  EXPECT_EQ(tag("de;q=0.000, en;q=0"), "en");
}

TEST(TrackingLanguage, IsEnglishForMalformedFields) {
  for (const std::string_view malformed :
       {"",           " ",           ",",        ";;;",     "de;q",         "de;q=",  "de;q=2",
        "de;q=1.001", "de;q=0.1234", "de;q=.5",  "de;q=-1", "de;q=0,5x",    "de q=1", "d*",
        "de_AT",      "-de",         "de-",      "de--AT",  "deutschland",  "1de",    "<script>",
        "de;level=1", "de;q=1;q=1",  "de\r\nfr", "\xff",    "de;q=\xc2\xbd"}) {
    EXPECT_EQ(tag(malformed), "en") << malformed;
  }
}

TEST(TrackingLanguage, SkipsAMalformedRange) {
  EXPECT_EQ(tag("de;q=9, fr;q=0.2"), "fr");
  EXPECT_EQ(tag(",, ,es"), "es");
  EXPECT_EQ(tag("\tpt\t;\tq=0.3 "), "pt");
}

TEST(TrackingLanguage, FollowsAmericanCustomsForAmericanEnglishOnly) {
  EXPECT_TRUE(preferred_locale("en-US,en;q=0.9").american);
  EXPECT_FALSE(preferred_locale("en-GB,en-US;q=0.9").american);
  EXPECT_FALSE(preferred_locale("en").american);
  EXPECT_FALSE(preferred_locale("de,en-US;q=0.9").american);
}

TEST(TrackingLanguage, ReadsALongFieldInOnePass) {
  std::string field;
  for (int i = 0; i < 20'000; ++i) field += "x;q=0.5,";
  EXPECT_EQ(tag(field + "de;q=0.1"), "de");
}

}  // namespace
}  // namespace waybill::api
