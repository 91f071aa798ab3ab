#include "connectors/label_format.hpp"

#include <string>

#include <gtest/gtest.h>

namespace waybill::connectors {
namespace {

TEST(LabelFormat, IsToldByTheFirstBytes) {
  EXPECT_EQ(label_format_of("%PDF-1.4\n…"), LabelFormat::pdf);
  EXPECT_EQ(label_format_of("\x89PNG\r\n\x1a\n…"), LabelFormat::png);
  EXPECT_EQ(label_format_of("^XA^FO50,50^FDx^FS^XZ"), LabelFormat::zpl);
}

TEST(LabelFormat, IgnoresBlanksBeforeTexts) {
  EXPECT_EQ(label_format_of("\xef\xbb\xbf\r\n%PDF-1.4"), LabelFormat::pdf);
  EXPECT_EQ(label_format_of(std::string(5'000, '\n') + "^XA"), LabelFormat::zpl);
  EXPECT_EQ(label_format_of("\xef\xbb\xbf^XA"), LabelFormat::zpl);
  EXPECT_FALSE(label_format_of(" \x89PNG\r\n\x1a\n")) << "a shifted picture is damaged";
}

TEST(LabelFormat, OfZplMayBeginWithCommandsToThePrinter) {
  EXPECT_EQ(label_format_of("\r\nCT~~CD,~CC^~CT~\r\n^XA^XZ"), LabelFormat::zpl);
  EXPECT_EQ(label_format_of("\x10"
                            "CT~~CD,~CC^~CT~\n^XA"),
            LabelFormat::zpl);
  EXPECT_EQ(label_format_of("~DGR:SAMPLE.GRF,00080,010," + std::string(200'000, 'F') + "\n^XA^XZ"),
            LabelFormat::zpl)
      << "a downloaded picture";
  EXPECT_FALSE(label_format_of("~DGR:SAMPLE.GRF,00080,010,FF")) << "prints no label";
  EXPECT_FALSE(label_format_of("~\x01^XA"));
}

TEST(LabelFormat, OfAnotherFileIsNone) {
  for (const std::string bytes :
       {"", " ", "odd", "<html>", "<html>%PDF-1.4", "<!-- ^XA -->", "{\"error\": \"^XA is missing\"}",
        "No label: ^XA", "%PDF", "\x89PNG", "GIF89a", "\xff\xd8\xff\xe0 a JPEG ^XA"})
    EXPECT_FALSE(label_format_of(bytes)) << bytes;
}

}  // namespace
}  // namespace waybill::connectors
