#include "worker/stores/parcel_items.hpp"

#include <string>

#include <gtest/gtest.h>

namespace waybill::worker {
namespace {

constexpr std::string_view mug = "11111111-1111-4111-8111-111111111111";
constexpr std::string_view plate = "22222222-2222-4222-8222-222222222222";

std::string quoted(std::string_view text) { return '"' + std::string(text) + '"'; }

/// An order of 3 mugs and 1 plate.
std::string order() {
  return R"([{"guid": )" + quoted(mug) + R"(, "description": "Mug", "sku": "M", "quantity": 3},)" +
         R"({"guid": )" + quoted(plate) + R"(, "description": "Plate", "sku": null, "quantity": 1}])";
}
std::string pieces(std::string_view item, int count) {
  return R"({"items": null, "pieces": {)" + quoted(item) + ": " + std::to_string(count) + "}}";
}
std::string chosen(std::string_view item) {
  return R"({"items": [)" + quoted(item) + R"(], "pieces": null})";
}
const std::string all = R"({"items": null, "pieces": null})";

/// The pieces in the parcel and in others, for each item: "3+0 1+0".
std::string counts(const std::string& items, const std::string& parcel, const std::string& sent = "[]") {
  std::string text;
  for (const auto& item : parcel_items(items, parcel, sent))
    text += (text.empty() ? "" : " ") + std::to_string(item.in_parcel) + "+" + std::to_string(item.sent);
  return text;
}

TEST(ParcelItems, HaveThePiecesThatTheParcelWasMadeWith) {
  EXPECT_EQ(counts(order(), pieces(mug, 2)), "2+0 0+0");
  EXPECT_EQ(counts(order(), chosen(plate)), "0+0 1+0") << "a shipment of an earlier release";
  EXPECT_EQ(counts(order(), all), "3+0 1+0");
}

TEST(ParcelItems, HaveThePiecesOfOtherParcels) {
  EXPECT_EQ(counts(order(), pieces(mug, 2), "[" + pieces(mug, 1) + "," + chosen(plate) + "]"), "2+1 0+1");
  EXPECT_EQ(counts(order(), pieces(mug, 2), "[" + all + "]"), "2+3 0+1");
}

TEST(ParcelItems, ThatTheOrderDoesNotHaveAnyMoreStayInTheParcel) {
  const std::string gone = "33333333-3333-4333-8333-333333333333";
  const auto items = parcel_items(order(), pieces(gone, 4), "[" + pieces(gone, 1) + "]");
  ASSERT_EQ(items.size(), 3U);
  EXPECT_EQ(items[2].guid.to_string(), gone);
  EXPECT_EQ(items[2].quantity, 0);
  EXPECT_EQ(items[2].in_parcel, 4);
  EXPECT_EQ(items[2].sent, 1);
}

TEST(ParcelItems, OfAnyShapeAreRead) {
  EXPECT_EQ(counts(R"([{"guid": 7, "description": null, "sku": 8, "quantity": "x"}])",
                   R"({"items": null, "pieces": {"x": "y"}})"),
            "0+0");
  EXPECT_EQ(counts(R"([{"guid": null, "description": 1, "sku": null, "quantity": 1e300}])", all),
            "1000000000+0");
}

}  // namespace
}  // namespace waybill::worker
