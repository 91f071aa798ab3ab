#include "connectors/html_text.hpp"

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

TEST(HtmlText, HasNoTags) {
  EXPECT_EQ(html_text("<p>Soft &amp; <b>warm</b>.</p>\n<P class=\"x\">Blue<br/>Green</p>"),
            "Soft & warm.\n\nBlue\nGreen\n");
  EXPECT_EQ(html_text("1 &lt; 2 <i>x"), "1 < 2 x");
  EXPECT_EQ(html_text("T-Shirt <span title='a > b'>(XL)</span><wbr>!"), "T-Shirt (XL)!");
  EXPECT_EQ(html_text("<svg viewBox=\"0 0 1 1\"><path d=\"M0\"/></svg>Mug<x-icon></x-icon>"), "Mug");
  EXPECT_EQ(html_text("Mug<!-- 5 > 4 -->s"), "Mugs");
}

TEST(HtmlText, DropsScriptsAndStyles) {
  EXPECT_EQ(html_text("a<style>b{color:red}</style>c<SCRIPT type=x>if (a</b>) d()</SCRIPT >e"), "ace");
  EXPECT_EQ(html_text("a<script>never closed"), "a");
}

TEST(HtmlText, KeepsOtherAngleBrackets) {
  for (const auto* const text : {"a < b", "I <3 you", "1<2>0", "<", "</", "<>", "</3", "<b", "a <b",
                                 "x <ann@example.com>", "press <Enter>", "<-- here", "<\xc3\xa9>"}) {
    EXPECT_EQ(html_text(text), text);
  }
}

// References are decoded after the tags are removed, so that text that looks like a tag stays.
TEST(HtmlText, DecodesReferencesOnceAndLast) {
  EXPECT_EQ(html_text("size &lt;b&gt; &amp;amp; up"), "size <b> &amp; up");
}

}  // namespace
}  // namespace waybill::connectors
