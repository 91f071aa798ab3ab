#include "documents/label.hpp"

#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "documents/barcode.hpp"

namespace waybill::documents {
namespace {

Label label_of(const std::string& number) {
  return {.tracking_number = number,
          .sender = {.name = "Engines", .address = {"Rua 1", "Lisbon"}, .phone = {}},
          .recipient = {.name = "Łukasz", .address = {}, .phone = "1"},
          .carrier = "UPS",
          .service_level = {},
          .packages = 1};
}

TEST(Label, TheSameLabelIsTheSamePdf) {
  const auto pdf = render_label(label_of("WB0000000001"));
  EXPECT_TRUE(pdf.starts_with("%PDF-"));
  EXPECT_EQ(render_label(label_of("WB0000000001")), pdf);
  EXPECT_NE(render_label(label_of("WB0000000002")), pdf);
}

TEST(Label, EmptyTextsAreLeftOut) {
  EXPECT_TRUE(render_label(
                  {.tracking_number = "1", .sender = {}, .recipient = {}, .carrier = {}, .service_level = {}})
                  .starts_with("%PDF-"));
}

TEST(Label, AnyThreadMayDraw) {
  const auto expected = render_label(label_of("WB0000000001"));
  std::vector<std::jthread> threads;
  threads.reserve(4);
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int n = 0; n < 5; ++n) EXPECT_EQ(render_label(label_of("WB0000000001")), expected);
    });
  }
}

TEST(Label, ANumberThatIsTooWideForThePageIsRefused) {
  EXPECT_NO_THROW(render_label(label_of(std::string(30, 'W'))));
  EXPECT_THROW(render_label(label_of(std::string(60, 'W'))), BarcodeError);
}

}  // namespace
}  // namespace waybill::documents
