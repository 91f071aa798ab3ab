#include "worker/planning/destination_names.hpp"

#include <set>

#include <gtest/gtest.h>

#include "domain/workflows/pacing.hpp"

namespace waybill::worker {
namespace {

using namespace std::chrono_literals;

constexpr Time start{std::chrono::hours(500'000)};

TEST(DestinationNames, FurtherDestinationsHaveNoPlaceOfTheirOwn) {
  DestinationNames names(2);
  EXPECT_TRUE(names.has_place("a", start));
  EXPECT_TRUE(names.has_place("b", start));
  EXPECT_FALSE(names.has_place("c", start));
  EXPECT_TRUE(names.has_place("a", start));
}

TEST(DestinationNames, AnUnusedPlaceIsGivenToAnotherDestination) {
  DestinationNames names(2);
  names.has_place("a", start);
  names.has_place("b", start);
  const Time used = start + 1h;
  names.has_place("b", used);
  EXPECT_FALSE(names.has_place("c", start + DestinationNames::memory));
  const Time later = start + DestinationNames::memory + 2min;
  EXPECT_TRUE(names.has_place("c", later)) << "instead of a";
  EXPECT_FALSE(names.has_place("a", later));
  EXPECT_TRUE(names.has_place("b", later));
}

TEST(DestinationNames, SharedPlacesAreFewAndBelongToTheBusiness) {
  const Guid business = Guid::parse("00000000-0000-4000-8000-000000000007").value();
  std::set<std::string> places;
  for (int i = 0; i < 1000; ++i) places.insert(shared_place("host" + std::to_string(i) + ":443", business));
  EXPECT_EQ(places.size(), domain::shared_places);
  EXPECT_TRUE(places.begin()->ends_with('/' + business.to_string()));
}

}  // namespace
}  // namespace waybill::worker
