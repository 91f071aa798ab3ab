#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "base/embedded_file.hpp"
#include "base/number.hpp"
#include "domain/places/gazetteer.hpp"

// Names of which each belongs to one city of its country, as tools/gazetteer writes them.
WAYBILL_EMBED(city_names, WAYBILL_CITY_NAMES)

namespace waybill::domain {
namespace {

std::string_view take(std::string_view& text, char end) {
  const auto found = text.substr(0, text.find(end));
  text.remove_prefix(found.size() + 1);
  return found;
}

TEST(GazetteerNames, EveryAlternativeNameFindsItsCity) {
  constexpr double units_per_degree = 1e5;
  auto rest = WAYBILL_EMBEDDED(city_names);
  int count = 0;
  while (!rest.empty()) {
    PostalAddress address;
    address.city = take(rest, '\t');
    address.country = take(rest, '\t');
    const auto latitude = parse_number<double>(take(rest, '\t'));
    const auto longitude = parse_number<double>(take(rest, '\n'));
    const Point expected{latitude.value_or(0) / units_per_degree, longitude.value_or(0) / units_per_degree};
    EXPECT_EQ(Gazetteer::builtin().locate(address), expected) << address.city << ", " << address.country;
    ++count;
  }
  EXPECT_GT(count, 2000);
}

}  // namespace
}  // namespace waybill::domain
