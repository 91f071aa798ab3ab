#include "api/shipments/label_file.hpp"

#include <string>

#include <gtest/gtest.h>

namespace waybill::api {
namespace {

TEST(LabelFiles, AreToldByTheirFirstBytes) {
  EXPECT_EQ(label_format_of("%PDF-1.4\n…"), "pdf");
  EXPECT_EQ(label_format_of("\x89PNG\r\n\x1a\n…"), "png");
  EXPECT_EQ(label_format_of("^XA^FO50,50^FDx^FS^XZ"), "zpl");
  EXPECT_EQ(label_format_of("\r\nCT~~CD,~CC^~CT~\r\n^XA^XZ"), "zpl") << "commands to the printer";
}

TEST(LabelFiles, OfOtherKindsAreNoLabels) {
  EXPECT_FALSE(label_format_of(""));
  EXPECT_FALSE(label_format_of("<html>"));
  EXPECT_FALSE(label_format_of("\xff\xd8\xff\xe0 a JPEG ^XA")) << "bytes before the first command";
  EXPECT_FALSE(label_format_of(std::string(2'000, ' ') + "^XA"));
}

TEST(LabelFiles, HaveTheirMediaType) {
  EXPECT_EQ(media_type_of_label("pdf"), "application/pdf");
  EXPECT_EQ(media_type_of_label("png"), "image/png");
  EXPECT_EQ(media_type_of_label("zpl"), "application/zpl");
}

}  // namespace
}  // namespace waybill::api
