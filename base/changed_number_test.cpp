#include "base/changed_number.hpp"

#include <charconv>
#include <limits>
#include <string>
#include <string_view>

#include <gtest/gtest.h>

namespace waybill {
namespace {

bool is_changed(std::string_view text) {
  double value = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
  return is_changed_number(read.ec == std::errc() ? value : std::numeric_limits<double>::infinity(), text);
}

TEST(ChangedNumber, IsALargeOneThatADoubleDoesNotHave) {
  for (const auto* const text : {"12345678901234567890.12", "34012345000000001812", "-34012345000000001812",
                                 "1e400", "-1E+400", "9007199254740993.5", "18446744073709551617"})
    EXPECT_TRUE(is_changed(text)) << text;
}

TEST(ChangedNumber, IsNotASmallOneThatIsRounded) {
  for (const auto* const text : {"0.12345678901234567890", "0.10000000000000001", "1.0834729384729384729"})
    EXPECT_FALSE(is_changed(text)) << text;
}

TEST(ChangedNumber, IsNotOneThatIsOnlyWrittenInAnotherWay) {
  for (const auto* const text :
       {"0", "-0.0", "0.000", "1.10", "19.99", "1E2", "1.5e+3", "120e-1", "0.0000001", "1e300", "1e23",
        "100000000000000000000000", "5e-324", "9007199254740992", "-0.5", "1e0000003"})
    EXPECT_FALSE(is_changed(text)) << text;
}

TEST(RoundedNumber, IsOneOfWhichADoubleChangesADigit) {
  const auto is_rounded = [](std::string_view text) {
    double value = 0;
    std::from_chars(text.data(), text.data() + text.size(), value);
    return is_rounded_number(value, text);
  };
  for (const auto* const text : {"0.12345678901234567890", "0.10000000000000001", "1.0834729384729384729",
                                 "34012345000000001812", "9007199254740993.5", "-1234567890123456.78"})
    EXPECT_TRUE(is_rounded(text)) << text;
  for (const auto* const text : {"0", "-0.0", "19.99", "1E2", "999999999999.99", "0.100000000000000000",
                                 "100000000000000000000000", "1.2345678901234567", "0.0000000000000000001"})
    EXPECT_FALSE(is_rounded(text)) << text;
}

}  // namespace
}  // namespace waybill
