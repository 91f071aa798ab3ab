#include "api/shipments/shipment_body.hpp"

#include <string>

#include <gtest/gtest.h>

#include "base/json.hpp"

namespace waybill::api {
namespace {

bool is_same(std::string_view stored, const json::array& given) {
  return are_same_packages(stored, packages_text(given));
}

TEST(Packages, OfTheSameSizesAreTheSame) {
  constexpr std::string_view stored =
      R"([{"length": 30.0, "width": 20, "height": null, "weight": 2, "carrierTrackingNumber": "1Z1"}])";
  EXPECT_TRUE(is_same(stored, {{{"length", 30}, {"width", 20.0}, {"weight", 2}}}));
  EXPECT_FALSE(is_same(stored, {{{"length", 30}, {"width", 20}, {"weight", 3}}}));
  EXPECT_FALSE(is_same(stored, {{{"length", 30}, {"width", 20}, {"weight", 2}}, {{"weight", 1}}}));
}

TEST(Packages, AreComparedAsDoublesHoweverSqlWroteThem) {
  constexpr std::string_view stored =
      R"([{"weight": 0.12345678901234567891, "length": 34012345000000001812}])";
  EXPECT_TRUE(is_same(stored, {{{"weight", 0.12345678901234568}, {"length", 34012345000000001812.0}}}));
  EXPECT_FALSE(is_same(stored, {{{"weight", 0.1234567890123457}, {"length", 34012345000000001812.0}}}));
  EXPECT_TRUE(is_same(R"([1, "x"])", {json::object(), json::object()})) << "entries of any shape";
}

}  // namespace
}  // namespace waybill::api
