#include "api/records/properties.hpp"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace waybill::api {
namespace {

using domain::EntityType;
using testing::Contains;
using testing::ElementsAre;
using testing::Not;

constexpr Property address{.name = "address", .kind = Kind::object};

std::vector<std::string_view> names_of(const std::vector<Property>& properties) {
  std::vector<std::string_view> names;
  for (const Property& property : properties) names.push_back(property.name);
  return names;
}

const Property& named(const std::vector<Property>& properties, std::string_view name) {
  const auto found = std::ranges::find(properties, name, &Property::name);
  if (found == properties.end()) throw std::runtime_error("no property " + std::string(name));
  return *found;
}

TEST(Properties, AnEntryHasTheListedColumnsInTheOrderOfTheTable) {
  const Property own[] = {address};
  EXPECT_THAT(names_of(record_properties(EntityType::customer, Use::entry, own)),
              ElementsAre("guid", "name", "email", "phone", "company", "address", "externalReference", "tags",
                          "metadata"));
}

TEST(Properties, APropertyWithoutAColumnStandsBeforeTheNextOneThatHasOne) {
  const Property own[] = {
      {.name = "addressId", .kind = Kind::uuid}, address, {.name = "more", .kind = Kind::any}};
  const auto names = names_of(record_properties(EntityType::customer, Use::entry, own));
  EXPECT_THAT(names, ElementsAre("guid", "name", "email", "phone", "company", "addressId", "address",
                                 "externalReference", "tags", "metadata", "more"));
}

TEST(Properties, AnObjectOfColumnsNeedsAPropertyInTheOrderOfTheTable) {
  EXPECT_THROW(record_properties(EntityType::customer, Use::entry, {}), std::logic_error);
  const Property own[] = {address, {.name = "phone", .kind = Kind::string}};
  EXPECT_THROW(record_properties(EntityType::customer, Use::entry, own), std::logic_error);
}

TEST(Properties, RequestsIgnoreColumnsThatTheyDoNotGive) {
  const Property own[] = {address};
  const auto create = record_properties(EntityType::customer, Use::create, own);
  EXPECT_TRUE(named(create, "createdAt").read_only);
  EXPECT_TRUE(named(create, "guid").read_only);
  EXPECT_FALSE(named(create, "email").read_only);
  EXPECT_FALSE(named(record_properties(EntityType::customer, Use::answer, own), "guid").read_only);
}

TEST(Properties, OnlyANewRecordNeedsItsRequiredColumns) {
  const Property own[] = {address};
  const auto name_in = [&](Use use) {
    return named(record_properties(EntityType::customer, use, own), "name");
  };
  EXPECT_TRUE(name_in(Use::create).required);
  EXPECT_FALSE(name_in(Use::change).required);
  EXPECT_FALSE(name_in(Use::change).nullable);
  EXPECT_EQ(name_in(Use::change).min_length, 1U);
}

TEST(Properties, AnObjectHasTheColumnsDirectlyAtItsPath) {
  const auto names = names_of(object_properties(EntityType::shipment, Use::answer, "recipient"));
  EXPECT_THAT(names, ElementsAre("name", "company", "phone", "email"));
  EXPECT_THAT(names_of(object_properties(EntityType::order, Use::entry, "deliveryAddress")),
              Not(Contains("country")));
}

}  // namespace
}  // namespace waybill::api
