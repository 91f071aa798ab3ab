#include "connectors/woocommerce/html_entities.hpp"

#include <gtest/gtest.h>

namespace waybill::connectors {
namespace {

TEST(HtmlEntities, NamedDecimalAndHexadecimalReferencesAreDecoded) {
  EXPECT_EQ(decode_entities("Ship Your Idea &ndash; Color: Black"), "Ship Your Idea – Color: Black");
  EXPECT_EQ(decode_entities("&lt;b&gt; &amp; &quot;x&quot; &apos;y&apos; &#039;z&#039;"),
            "<b> & \"x\" 'y' 'z'");
  EXPECT_EQ(decode_entities("&Uuml;&uuml;&euro;&zwj;&Alpha;"), "Üü€\xE2\x80\x8DΑ");
  EXPECT_EQ(decode_entities("&#8217;&#x2019;&#X1F600;"), "’’😀");
  EXPECT_EQ(decode_entities("&AElig;&zwnj;"), "Æ\xE2\x80\x8C") << "the first and the last of the names";
}

TEST(HtmlEntities, NumbersOfWindows1252AreReadAsInBrowsers) {
  EXPECT_EQ(decode_entities("&#146;&#150;&#x80;"), "’–€");
}

TEST(HtmlEntities, OtherAmpersandsStay) {
  for (const auto* const text :
       {"AT&T", "&", "&;", "&#;", "&#x;", "&#0;", "&#xD800;", "&#x110000;", "&#99999999999;", "&nosuchname;",
        "&amp", "&Ndash;", "a & b; c", "&#12a;", "&#-5;", "&verylongnamethatisnone;"}) {
    EXPECT_EQ(decode_entities(text), text);
  }
}

TEST(HtmlEntities, DecodesOnce) {
  EXPECT_EQ(decode_entities("&amp;lt;"), "&lt;");
  EXPECT_EQ(decode_entities("&amp;amp;"), "&amp;");
}

TEST(HtmlEntities, TheTextOfHtmlHasNoTags) {
  EXPECT_EQ(html_text("<p>Soft &amp; <b>warm</b>.</p>\n<P class=\"x\">Blue<br/>Green</p>"),
            "Soft & warm.\n\nBlue\nGreen\n");
  EXPECT_EQ(html_text("1 &lt; 2 <i>x"), "1 < 2 x");
  EXPECT_EQ(html_text("a < b"), "a < b");
}

}  // namespace
}  // namespace waybill::connectors
