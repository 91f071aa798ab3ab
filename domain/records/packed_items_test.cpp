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

TEST(PackedItems, HaveNoWeightAboveThatOfPackages) {
  EXPECT_EQ(packed(R"([{"quantity": 1000, "dimensions": {"weight": 1000000}}])"),
            one(R"({"length":null,"width":null,"height":null,"weight":1000000000})"));
  EXPECT_EQ(packed(R"([{"quantity": 1001, "dimensions": {"weight": 1000000}}])"), one(nothing));
}

}  // namespace
}  // namespace waybill::domain
