#include "domain/values/tracking_number.hpp"

#include <gtest/gtest.h>

namespace waybill::domain {
namespace {

// ISO/IEC 7064's own example, and numbers of registers that use MOD 11,10: German tax ids, Croatian OIBs.
TEST(TrackingNumber, TheCheckDigitIsThatOfIso7064Mod11And10) {
  EXPECT_EQ(check_digit("0794"), '5');
  EXPECT_EQ(check_digit("8609574271"), '9');
  EXPECT_EQ(check_digit("4703689281"), '6');
  EXPECT_EQ(check_digit("3339200596"), '1');
}

TEST(TrackingNumber, HasNineDigitsWhateverTheNumber) {
  EXPECT_EQ(tracking_number(0).size(), 12U);
  EXPECT_TRUE(tracking_number(0).starts_with("WB000000000"));
  EXPECT_TRUE(tracking_number(tracking_number_count - 1).starts_with("WB999999999"));
  EXPECT_TRUE(tracking_number(12345).starts_with("WB000012345"));
}

TEST(TrackingNumber, EveryNumberIsValidAndEveryWrongDigitIsFound) {
  for (std::uint32_t number = 7; number < tracking_number_count; number += 99'999'989) {
    const auto text = tracking_number(number);
    EXPECT_TRUE(is_tracking_number(text)) << text;
    for (std::size_t at = 2; at < text.size(); ++at) {
      for (char digit = '0'; digit <= '9'; ++digit) {
        auto changed = text;
        changed[at] = digit;
        EXPECT_EQ(is_tracking_number(changed), changed == text) << changed;
      }
    }
  }
}

TEST(TrackingNumber, OtherFormsAreRefused) {
  const auto good = tracking_number(123456789);
  for (const auto& text :
       {std::string(), good.substr(2), good + "0", good.substr(0, 11), "XX" + good.substr(2),
        std::string("WB12345678A0"), "wb" + good.substr(2), std::string("WB")}) {
    EXPECT_FALSE(is_tracking_number(text)) << text;
  }
}

}  // namespace
}  // namespace waybill::domain
