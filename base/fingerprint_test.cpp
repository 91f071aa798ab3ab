#include "base/fingerprint.hpp"

#include <initializer_list>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <gtest/gtest.h>

#include "base/crypto.hpp"

namespace waybill {
namespace {

std::string of(std::initializer_list<std::string_view> parts) {
  return hex(fingerprint(std::vector<std::string_view>(parts)));
}

TEST(Fingerprint, DependsOnEachPartAndItsPlace) {
  const std::set<std::string> different{of({"a", "b"}), of({"b", "a"}), of({"a", "c"}),     of({"c", "b"}),
                                        of({"ab"}),     of({"a"}),      of({"a", "b", ""}), of({})};
  EXPECT_EQ(different.size(), 8U);
  EXPECT_EQ(of({"a", "b"}), of({"a", "b"}));
}

}  // namespace
}  // namespace waybill
