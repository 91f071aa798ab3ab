#include "domain/records/packed_items.hpp"

#include <string>
#include <string_view>

#include <gtest/gtest.h>

#include "base/exact_number.hpp"

namespace waybill::domain {
namespace {

std::string packed(std::string_view items) { return to_json(packed_items(exact_list(items))); }

constexpr std::string_view nothing = R"({"length":null,"width":null,"height":null,"weight":null})";

std::string one(std::string_view package) { return "[" + std::string(package) + "]"; }

TEST(PackedItems, WeighAsManyPiecesAsTheyHave) {
  EXPECT_EQ(
      packed(
          R"([{"quantity": 2, "dimensions": {"length": 30, "width": 20.5, "height": 5, "weight": 1.25}}])"),
      one(R"({"length":30,"width":20.5,"height":5,"weight":2.5})"));
  EXPECT_EQ(packed(R"([{"quantity": 3, "dimensions": {"weight": 0.1}}])"),
            one(R"({"length":null,"width":null,"height":null,"weight":0.3})"));
}

TEST(PackedItems, AreAPackageEach) {
  EXPECT_EQ(packed(R"([{"quantity": 1, "dimensions": {"length": 30, "width": 20, "height": 5, "weight": 1}},
                       {"quantity": 2, "dimensions": {"weight": 0.5}}])"),
            R"([{"length":30,"width":20,"height":5,"weight":1},)"
            R"({"length":null,"width":null,"height":null,"weight":1}])");
  EXPECT_EQ(packed("[]"), one(nothing));
}

TEST(PackedItems, OfAnyShapeArePacked) {
  for (const auto* const items : {"[1]", R"([{"dimensions": "x"}])", R"([{"dimensions": {"weight": "y"}}])"})
    EXPECT_EQ(packed(items), one(nothing)) << items;
  EXPECT_EQ(packed(R"([{"quantity": "x", "dimensions": {"weight": 2}}])"),
            one(R"({"length":null,"width":null,"height":null,"weight":2})"));
}

TEST(PackedItems, TakeNumbersOfAnyLength) {
  EXPECT_EQ(packed(R"([{"quantity": 2.00000000000000000001, "price": 12345678901234567890123,
                        "dimensions": {"length": 1e400, "weight": 0.12345678901234567891}}])"),
            one(R"({"length":null,"width":null,"height":null,"weight":0.246914})"));
}

constexpr std::string_view mug = "11111111-1111-4111-8111-11111111111a";
constexpr std::string_view plate = "22222222-2222-4222-8222-222222222222";

std::string pieces(std::string_view items) {
  const auto by_item = pieces_by_item(exact_list(items));
  return by_item ? to_json(*by_item) : "unknown";
}

std::string item(std::string_view guid, std::string_view quantity) {
  return R"({"guid": ")" + std::string(guid) + R"(", "quantity": )" + std::string(quantity) + "}";
}

TEST(PackedItems, AreCountedByTheirGuids) {
  EXPECT_EQ(pieces("[" + item(mug, "3") + "," + item(plate, "1") + "]"),
            R"({")" + std::string(mug) + R"(":3,")" + std::string(plate) + R"(":1})");
  EXPECT_EQ(pieces("[" + item("11111111-1111-4111-8111-11111111111A", "2.00000000000000000001") + "]"),
            R"({")" + std::string(mug) + R"(":2})");
  EXPECT_EQ(pieces("[" + item(mug, "null") + "," + item(mug, "1e400") + "]"),
            R"({")" + std::string(mug) + R"(":1000000001})");
}

TEST(PackedItems, AreNotCountedIfOneHasNoGuid) {
  for (const auto* const items :
       {"[]", "[1]", "[{}]", R"([{"guid": 7}])", R"([{"guid": "x", "quantity": 1}])"})
    EXPECT_EQ(pieces(items), "unknown") << items;
  EXPECT_EQ(pieces("[" + item(mug, "1") + R"(, {"quantity": 2}])"), "unknown");
}

TEST(PackedItems, HaveNoWeightAboveThatOfPackages) {
  EXPECT_EQ(packed(R"([{"quantity": 1000, "dimensions": {"weight": 1000000}}])"),
            one(R"({"length":null,"width":null,"height":null,"weight":1000000000})"));
  EXPECT_EQ(packed(R"([{"quantity": 1001, "dimensions": {"weight": 1000000}}])"), one(nothing));
}

}  // namespace
}  // namespace waybill::domain
