#include "api/shipments/consignment.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace waybill::api {
namespace {

using testing::ElementsAre;
std::vector<std::string> wrong_fields(std::string_view packages, std::string_view weight_unit = "kg") {
  FieldErrors errors;
  parcels_of(packages, weight_unit, "cm", errors);
  std::vector<std::string> fields;
  for (const auto& error : errors) fields.push_back(error.field);
  return fields;
}

TEST(Parcels, HasKilogramsAndCentimetres) {
  FieldErrors errors;
  const auto in = [&](std::string_view weight_unit, std::string_view size_unit) {
    const auto parcel = parcels_of(R"([{"weight": 2, "length": 3, "width": 0.5, "height": 1}])", weight_unit,
                                   size_unit, errors)
                            .at(0);
    return std::vector{parcel.weight, parcel.length, parcel.width, parcel.height};
  };
  EXPECT_THAT(in("kg", "cm"), ElementsAre("2", "3", "0.5", "1"));
  EXPECT_THAT(in("lb", "in"), ElementsAre("0.907", "7.62", "1.27", "2.54"));
  EXPECT_THAT(in("oz", "m"), ElementsAre("0.057", "300", "50", "100"));
  EXPECT_THAT(in("g", "cm"), ElementsAre("0.002", "3", "0.5", "1"));
  EXPECT_TRUE(errors.empty());
}

TEST(Parcels, NeedsAWeightThatACarrierCanRead) {
  EXPECT_THAT(wrong_fields(R"([{"weight": 0.4}, {"weight": 0}, {}, 7, {"weight": "1"}])", "g"),
              ElementsAre("packages[0].weight", "packages[1].weight", "packages[2].weight",
                          "packages[3].weight", "packages[4].weight"));
  EXPECT_THAT(wrong_fields("[]"), ElementsAre("packages"));
}

TEST(Parcels, HasAllSizesOrNone) {
  FieldErrors errors;
  EXPECT_EQ(parcels_of(R"([{"weight": 1, "length": 3, "width": 2}])", "kg", "cm", errors).at(0).length, "");
  EXPECT_TRUE(errors.empty());
}

}  // namespace
}  // namespace waybill::api
