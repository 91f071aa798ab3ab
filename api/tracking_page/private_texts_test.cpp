#include "api/tracking_page/private_texts.hpp"

#include <gtest/gtest.h>

namespace waybill::api {
namespace {

class PrivateTexts : public testing::Test {
 protected:
  /// The description and location of a trace with these texts.
  static std::string shown(std::string description, std::string location = "") {
    std::vector<TrackedTrace> traces{
        {.status = "in_transit", .description = std::move(description), .location = std::move(location)}};
    hide_private(
        traces,
        {.street = "Rua do Ouro 7", .phone = "+351 912 345 678", .email = "Grace.Hopper@example.com"});
    return traces[0].description + "|" + traces[0].location;
  }
};

TEST_F(PrivateTexts, OfATraceAreHidden) {
  EXPECT_EQ(shown("Left at RUA DO  OURO 7, 2nd floor", "Lisbon"), "In transit|Lisbon");
  EXPECT_EQ(shown("Left the depot", "rua do ouro 7"), "Left the depot|");
  EXPECT_EQ(shown("Wrote to grace.hopper@EXAMPLE.com"), "In transit|");
  EXPECT_EQ(shown("Called 00351-912.345.678"), "In transit|");
  EXPECT_EQ(shown("Called 912345678"), "In transit|") << "without the prefix";
}

TEST_F(PrivateTexts, OtherTextsAreShown) {
  EXPECT_EQ(shown("Rua do Ouro 8", "Ouro"), "Rua do Ouro 8|Ouro");
  EXPECT_EQ(shown("Scanned 345678 at 9:12", "hopper@example.com"),
            "Scanned 345678 at 9:12|hopper@example.com");
}

TEST_F(PrivateTexts, ThatAreShortAreNotSearchedFor) {
  const auto shown = [](const PrivateFacts& facts) {
    std::vector<TrackedTrace> traces{{.description = "Pier 12345, gate A1b"}};
    hide_private(traces, facts);
    return !traces[0].description.empty();
  };
  EXPECT_TRUE(shown({.street = "A1b", .phone = "12345"}));
  EXPECT_FALSE(shown({.street = "e A1b"}));
  EXPECT_FALSE(shown({.phone = "123451"}));
  EXPECT_TRUE(shown({}));
}

/// True if a trace with this description stays as it is.
bool is_shown(const PrivateFacts& facts, std::string description) {
  std::vector<TrackedTrace> traces{{.status = "in_transit", .description = description}};
  hide_private(traces, facts);
  return traces[0].description == description;
}

TEST(PrivatePhone, IsFoundWhateverStandsAroundIt) {
  for (const std::string phone :
       {"0171 1234567 ext. 5", "+49 171 1234567-89", "tel: +49 (171) 1234567",
        "0171/1234567 (Ann, after 17:00)", "01711234567 / 0172 7654321", "0172 7654321, 0171-1234567",
        "00491711234567;00491727654321", "0171 1234567 oder 0172 7654321", "01711234567 01727654321",
        "0172 7654321 +49 171 1234567", "\u202a+49 171 1234567\u202c", "+49\u00a0171\u00a01234567",
        "0171 \u2011 1234567", "０１７１　１２３４５６７", "٠١٧١ ١٢٣٤٥٦٧", "۰۱۷۱۱۲۳۴۵۶۷", "०१७१ १२३४५६७"}) {
    for (const std::string text : {"Called 0171 1234567", "Called +49-171-1234567, no answer",
                                   "Called ٠١٧١١٢٣٤٥٦٧", "Called ０１７１-１２３４５６７"})
      EXPECT_FALSE(is_shown({.phone = phone}, text)) << phone << ": " << text;
    EXPECT_TRUE(is_shown({.phone = phone}, "Scanned at 17:12, gate 71, box 345678")) << phone;
  }
  EXPECT_FALSE(is_shown({.phone = "1-800-FLOWERS"}, "Called 1-800-flowers"));
  for (const std::string none : {"", "-", "none", "n/a", "12345"})
    EXPECT_TRUE(is_shown({.phone = none}, "none, n/a - 12345")) << none;
}

TEST(PrivateStreet, IsFoundInPartsAndInOtherForms) {
  for (const std::string street :
       {"1 High Street", "1 High Street, Flat 3", "Flat 3, 1 High Street", "c/o Lee\n1 High Street",
        "1\u00a0High\u00a0Street", "1 High\u00ad Street", "１ High Street", "1  HIGH  STREET"}) {
    EXPECT_FALSE(is_shown({.street = street}, "Left at 1 High Street")) << street;
    EXPECT_FALSE(is_shown({.street = street}, "Left at 1 high\u200b street.")) << street;
    EXPECT_TRUE(is_shown({.street = street}, "Left at 11 Low Street")) << street;
  }
  EXPECT_FALSE(is_shown({.street = "Cafe\u0301weg 3"}, "Neben Caféweg 3")) << "another form of the accent";
  EXPECT_FALSE(is_shown({.street = "شارع الملك ٧"}, "شارع الملك 7"));
  EXPECT_TRUE(is_shown({.street = "Main Office, 1 High Street"}, "Left the main office")) << "no number";
}

}  // namespace
}  // namespace waybill::api
