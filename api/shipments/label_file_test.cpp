#include "api/shipments/label_file.hpp"

#include <gtest/gtest.h>

namespace waybill::api {
namespace {

TEST(LabelFiles, HaveTheirMediaType) {
  EXPECT_EQ(media_type_of_label("pdf"), "application/pdf");
  EXPECT_EQ(media_type_of_label("png"), "image/png");
  EXPECT_EQ(media_type_of_label("zpl"), "application/zpl");
}

}  // namespace
}  // namespace waybill::api
