#include "domain/values/metric.hpp"

#include <gtest/gtest.h>

namespace waybill::domain {
namespace {

TEST(Metric, HasKilogramsAndCentimetres) {
  EXPECT_EQ(metric(2, "kg"), "2");
  EXPECT_EQ(metric(2, "lb"), "0.907");
  EXPECT_EQ(metric(2, "oz"), "0.057");
  EXPECT_EQ(metric(2, "g"), "0.002");
  EXPECT_EQ(metric(3, "in"), "7.62");
  EXPECT_EQ(metric(3, "m"), "300");
  EXPECT_EQ(metric(3, "cm"), "3");
}

TEST(Metric, IsAboveZeroAfterRounding) {
  EXPECT_EQ(metric(0.4, "g"), std::nullopt);
  EXPECT_EQ(metric(0.4, "g", 6), "0.0004");
  EXPECT_EQ(metric(0, "kg"), std::nullopt);
  EXPECT_EQ(metric(-1, "kg"), std::nullopt);
}

TEST(Metric, IsChangedToAnotherUnit) {
  EXPECT_EQ(in_unit(1, "kg"), "1");
  EXPECT_EQ(in_unit(1, "lb"), "2.2046");
  EXPECT_EQ(in_unit(1, "g"), "1000");
  EXPECT_EQ(in_unit(30, "in"), "11.811");
  EXPECT_EQ(in_unit(30, "m"), "0.3");
  EXPECT_EQ(in_unit(0.00001, "kg"), std::nullopt);
}

}  // namespace
}  // namespace waybill::domain
