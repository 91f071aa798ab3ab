// Packing slips and pick lists.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/api/fixtures/api_fixture.hpp"
#include "tests/harness/process.hpp"

namespace waybill::tests {
namespace {

using testing::HasSubstr;
using testing::Not;

class OrderSheetCalls : public ApiTest {
 protected:
  Response print(std::string_view path, const std::vector<std::string>& orders) {
    json::array guids;
    for (const auto& order : orders) guids.emplace_back(order);
    return tenant.http.post(path, json::object{{"orderIds", std::move(guids)}});
  }
  Response slips(const std::vector<std::string>& orders) { return print("/api/v1/packing-slips", orders); }
  Response pick_list(const std::vector<std::string>& orders) { return print("/api/v1/pick-list", orders); }

  static std::string text_of(const Response& printed) {
    EXPECT_EQ(printed.status, 200) << printed.text.substr(0, 500);
    EXPECT_EQ(printed.header("Content-Type"), "application/pdf");
    const TempDirectory directory;
    const std::string file = (directory.path() / "sheets.pdf").string();
    std::ofstream(file, std::ios::binary) << printed.text;
    return run({"/usr/bin/pdftotext", "-raw", file, "-"}, {}).standard_output;
  }
  static json::object item(const std::string& sku, const std::string& name, int quantity) {
    return {{"sku", sku}, {"description", name}, {"quantity", quantity}, {"price", 77.77}};
  }
};

TEST_F(OrderSheetCalls, APackingSlipShowsTheOrderWithoutPrices) {
  tenant.sql.exec(
      "update businesses set sender_name = 'Cogs of Lisbon', brand_color = '#aa3300' where guid = '" +
      tenant.id + "'");
  const std::string order = tenant.create_order({{"orderNumber", "SLIP-1"},
                                                 {"notes", "Leave it at the door"},
                                                 {"externalReference", "EXT-9"},
                                                 {"items", json::array{item("COG-1", "Łańcuch", 3)}}});
  const Response printed = slips({order});
  EXPECT_EQ(printed.header("Content-Disposition"), "inline; filename=\"packing-slips.pdf\"");
  const std::string text = text_of(printed);
  for (const char* const part : {"Cogs of Lisbon", "Ada Lovelace", "Packing slip SLIP-1", "Reference EXT-9",
                                 "COG-1 Łańcuch 3", "Leave it at the door"})
    EXPECT_THAT(text, HasSubstr(part));
  EXPECT_THAT(text, Not(HasSubstr("77")));
  EXPECT_EQ(slips({order}).text, printed.text);
}

TEST_F(OrderSheetCalls, APickListSumsItemsOverOrders) {
  const std::string first = tenant.create_order(
      {{"orderNumber", "P-1"},
       {"items", json::array{item("B", "Bolt", 1), item("A", "Axle", 2), item("A", "Axle", 1)}}});
  const std::string second =
      tenant.create_order({{"orderNumber", "P-2"}, {"items", json::array{item("A", "Axle", 4)}}});
  const std::string text = text_of(pick_list({second, first}));
  EXPECT_THAT(text, HasSubstr("P-2, P-1"));
  EXPECT_THAT(text, HasSubstr("A Axle P-2 × 4, P-1 × 3 7"));
  EXPECT_THAT(text, HasSubstr("B Bolt P-1 × 1 1"));
  EXPECT_LT(text.find("Axle"), text.find("Bolt"));
}

TEST_F(OrderSheetCalls, AnAddressOfWhichASlipWouldShowNothingIsNamed) {
  const auto sold = tenant.insert_order();
  const auto other = tenant.insert_order({{"delivery_name", "U&'\\+01F600'"}});
  const auto refused = slips({sold, other});
  EXPECT_EQ(refused.status, 409) << refused.text;
  EXPECT_TRUE(refused.details().contains("orderIds[1].recipient.name")) << refused.text;
  tenant.sql.exec("update orders set delivery_name = U&'Ada \\+01F600' where guid = '" + other + "'");
  EXPECT_THAT(text_of(slips({sold, other})), HasSubstr("Ada"));
  EXPECT_EQ(pick_list({sold, other}).status, 200);
}

TEST_F(OrderSheetCalls, UnknownOrdersAreNamed) {
  const std::string known = tenant.create_order();
  const std::string foreign = other_business().create_order();
  const std::string deleted = tenant.create_order();
  tenant.update_orders("deleted_at = now() where guid = '" + deleted + "'");
  for (const char* const path : {"/api/v1/packing-slips", "/api/v1/pick-list"}) {
    const Response refused = print(path, {known, foreign, deleted});
    expect_refused(refused, 404, "NOT_FOUND");
    EXPECT_EQ(refused.details().size(), 2U) << refused.text;
    EXPECT_TRUE(refused.details().contains("orderIds[1]") && refused.details().contains("orderIds[2]"));
    expect_invalid(print(path, {known, known}), {"orderIds[1]"});
    expect_invalid(print(path, {}), {"orderIds"});
    expect_invalid(print(path, std::vector<std::string>(101, known)), {"orderIds"});
  }
}

TEST_F(OrderSheetCalls, OrdersWithMoreThan5000ItemsAreTooLarge) {
  const auto with_items = [&](int count) {
    return tenant.insert_order(
        {{"items",
          "(select json_agg(json_build_object('description', 'Cog', 'sku', 'S', 'quantity', 1)) from "
          "generate_series(1, " +
              std::to_string(count) + "))"}});
  };
  std::vector<std::string> orders;
  for (int i = 0; i < 5; ++i) orders.push_back(with_items(1'000));
  EXPECT_EQ(pick_list(orders).status, 200);
  orders.push_back(with_items(1));
  expect_refused(pick_list(orders), 413, "PAYLOAD_TOO_LARGE");
  expect_refused(slips(orders), 413, "PAYLOAD_TOO_LARGE");
}

TEST_F(OrderSheetCalls, OrdersWithVeryLongTextsAreTooLarge) {
  const auto with_long_items = [&] {
    return tenant.insert_order(
        {{"items",
          "(select json_agg(json_build_object('description', repeat('Cog ', 2500), 'quantity', 1)) from "
          "generate_series(1, 50))"}});
  };
  std::vector<std::string> orders{with_long_items()};
  EXPECT_EQ(slips(orders).status, 200);
  orders.push_back(with_long_items());
  expect_refused(slips(orders), 413, "PAYLOAD_TOO_LARGE");
  EXPECT_EQ(pick_list(orders).status, 200) << "equal items are one";
  while (orders.size() < 20) orders.push_back(with_long_items());
  expect_refused(slips(orders), 413, "PAYLOAD_TOO_LARGE");
  expect_refused(pick_list(orders), 413, "PAYLOAD_TOO_LARGE");
}

// Each character is a glyph that the PDF embeds.
TEST_F(OrderSheetCalls, OrdersWithMoreThan5000DifferentCharactersAreTooLarge) {
  const auto with_characters = [&](int first, int count) {
    return tenant.insert_order(
        {{"items",
          "(select json_agg(json_build_object('description', chr(c), 'quantity', 1)) "
          "from generate_series(" +
              std::to_string(first) + ", " + std::to_string(first + count - 1) + ") c)"}});
  };
  constexpr int first = 0x4e00;
  const std::string most = with_characters(first, 5'000), same = with_characters(first, 1),
                    further = with_characters(first + 5'000, 1);
  for (const char* const path : {"/api/v1/packing-slips", "/api/v1/pick-list"}) {
    EXPECT_NE(print(path, {most}).status, 413);
    EXPECT_NE(print(path, {same, further}).status, 413);
    expect_refused(print(path, {most, further}), 413, "PAYLOAD_TOO_LARGE");
  }
}

}  // namespace
}  // namespace waybill::tests
