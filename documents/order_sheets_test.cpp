#include "documents/order_sheets.hpp"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <unistd.h>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "documents/command_test.hpp"

namespace waybill::documents {
namespace {

using testing::HasSubstr;
using testing::Not;

/// Sheets as other programs see them.
class OrderSheets : public testing::Test {
 protected:
  ~OrderSheets() override {
    std::error_code ignored;
    std::filesystem::remove(file_, ignored);
  }
  /// The text of each page.
  std::vector<std::string> pages_of(const std::string& pdf) {
    std::ofstream(file_, std::ios::binary) << pdf;
    std::vector<std::string> pages(1);
    for (const char c : output_of("pdftotext -raw " + file_.string() + " -")) {
      if (c == '\f') {
        pages.emplace_back();
      } else {
        pages.back() += c;
      }
    }
    pages.pop_back();
    return pages;
  }

 private:
  std::filesystem::path file_ =
      std::filesystem::temp_directory_path() / ("waybill-sheets-" + std::to_string(::getpid()) + ".pdf");
};

PackingSlip slip_of(const std::string& number, int items = 1) {
  PackingSlip slip{
      .sender_name = "Engines & Co",
      .brand_color = "#aa3300",
      .sender = {.name = "Engines & Co", .company = {}, .phone = {}, .address = {"Rua 1", "Lisbon"}},
      .recipient = {.name = "Łukasz", .company = {}, .phone = {}, .address = {"Długa 7", "Gdańsk"}},
      .order_number = number,
      .reference = "REF-9",
      .notes = "Leave it at the door",
      .items = {}};
  for (int i = 1; i <= items; ++i)
    slip.items.push_back(
        {.sku = "SKU-" + std::to_string(i), .name = "Cog " + std::to_string(i), .quantity = i});
  return slip;
}

TEST(PackingSlips, AFieldOfWhichNothingIsPrintedIsRefused) {
  for (Party PackingSlip::* party : {&PackingSlip::sender, &PackingSlip::recipient}) {
    auto slip = slip_of("ORD-1");
    (slip.*party).fields = {{"name", "Ada \U0001F380"}, {"company", ""}};
    EXPECT_NO_THROW(render_packing_slips({slip}));
    (slip.*party).fields.push_back({"city", "\U0001F380"});
    EXPECT_THROW(render_packing_slips({slip_of("ORD-2"), slip}), UnprintableField);
  }
}

TEST_F(OrderSheets, APackingSlipHasAllTextsOfItsOrder) {
  const auto pages = pages_of(render_packing_slips({slip_of("ORD-1")}));
  ASSERT_EQ(pages.size(), 1U);
  for (const char* const text : {"Engines & Co", "Rua 1", "Łukasz", "Gdańsk", "Packing slip ORD-1",
                                 "Reference REF-9", "SKU-1 Cog 1 1", "Leave it at the door"})
    EXPECT_THAT(pages[0], HasSubstr(text));
}

TEST_F(OrderSheets, EachSlipBeginsOnAPageOfItsOwn) {
  const auto pages = pages_of(render_packing_slips({slip_of("ORD-1"), slip_of("ORD-2")}));
  ASSERT_EQ(pages.size(), 2U);
  EXPECT_THAT(pages[0], Not(HasSubstr("ORD-2")));
  EXPECT_THAT(pages[1], HasSubstr("ORD-2 · 1"));
}

TEST_F(OrderSheets, AThousandItemsFillPagesThatRepeatTheHead) {
  const auto pages = pages_of(render_packing_slips({slip_of("ORD-1", 1'000)}));
  ASSERT_GT(pages.size(), 10U);
  std::string all;
  for (std::size_t i = 0; i < pages.size(); ++i) {
    EXPECT_THAT(pages[i], HasSubstr("SKU Item Quantity")) << i;
    EXPECT_THAT(pages[i], HasSubstr("ORD-1 · " + std::to_string(i + 1)));
    all += pages[i];
  }
  for (int i = 1; i <= 1'000; ++i) {
    const std::string n = std::to_string(i);
    EXPECT_THAT(all, HasSubstr("SKU-" + n + " Cog " + n + " " + n + "\n"));
  }
}

TEST_F(OrderSheets, LongTextsWrapAndContinueOnFurtherPages) {
  PackingSlip slip = slip_of("ORD-1");
  slip.items[0].name.clear();
  for (int i = 0; i < 1'500; ++i) slip.items[0].name += "word" + std::to_string(i) + " ";
  slip.items[0].sku = std::string(200, 'X');
  slip.notes = std::string(9'000, 'q') + " end";
  std::string all;
  const auto pages = pages_of(render_packing_slips({slip}));
  for (const auto& page : pages) all += page;
  EXPECT_GT(pages.size(), 2U);
  for (int i = 0; i < 1'500; ++i) EXPECT_THAT(all, HasSubstr("word" + std::to_string(i)));
  EXPECT_EQ(std::ranges::count(all, 'X'), 200);
  EXPECT_EQ(std::ranges::count(all, 'q'), 9'000);
  EXPECT_THAT(all, HasSubstr("end"));
}

TEST_F(OrderSheets, APickListHasEachItemWithItsOrders) {
  const PickList list{
      .sender_name = "Engines",
      .order_numbers = {"ORD-1", "ORD-2"},
      .items = {{.sku = "A", .name = "Cog", .quantity = 5, .parts = {{"ORD-1", 2}, {"ORD-2", 3}}},
                {.sku = "B", .name = "Łańcuch", .quantity = 1, .parts = {{"ORD-2", 1}}}}};
  const auto pages = pages_of(render_pick_list(list));
  ASSERT_EQ(pages.size(), 1U);
  EXPECT_THAT(pages[0], HasSubstr("ORD-1, ORD-2"));
  EXPECT_THAT(pages[0], HasSubstr("A Cog ORD-1 × 2, ORD-2 × 3 5"));
  EXPECT_THAT(pages[0], HasSubstr("B Łańcuch ORD-2 × 1 1"));
}

TEST_F(OrderSheets, TheSameOrdersAreTheSamePdf) {
  EXPECT_EQ(render_packing_slips({slip_of("ORD-1", 60)}), render_packing_slips({slip_of("ORD-1", 60)}));
  const PickList list{.sender_name = "Engines", .order_numbers = {"ORD-1"}, .items = {}};
  EXPECT_EQ(render_pick_list(list), render_pick_list(list));
}

TEST_F(OrderSheets, AllPagesShareTheGlyphsOfTheirCharacters) {
  std::string name;
  for (char32_t character = 0x4e00; character < 0x4e00 + 200; ++character) {
    for (const auto byte :
         {0xe0U | character >> 12U, 0x80U | (character >> 6U & 0x3fU), 0x80U | (character & 0x3fU)})
      name += static_cast<char>(byte);
  }
  PackingSlip slip = slip_of("A-1", 0);
  slip.items.push_back({.sku = {}, .name = name, .quantity = 1});
  const auto of_one = render_packing_slips({slip});
  slip.items.resize(60, slip.items.front());
  const auto of_many = render_packing_slips({slip});
  EXPECT_GE(pages_of(of_many).size(), 5U);
  EXPECT_LT(of_many.size(), 2 * of_one.size());
}

}  // namespace
}  // namespace waybill::documents
