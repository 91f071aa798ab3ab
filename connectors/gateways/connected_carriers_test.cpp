#include "connectors/gateways/connected_carriers.hpp"

#include <gtest/gtest.h>

namespace waybill::connectors {
namespace {

const Guid business = Guid::from_name(Guid(), "business");
const Guid carrier = Guid::from_name(Guid(), "carrier");

TEST(ConnectedCarriers, ServiceLevelsAndCodesBelongTogether) {
  ConnectedCarrier connected;
  connected.service_codes = {{"standard", "ground"}, {"express", "air"}, {"sameday", nullptr}, {"odd", ""}};
  EXPECT_EQ(connected.level_of("air"), "express");
  EXPECT_EQ(connected.level_of("sea"), std::nullopt);
  EXPECT_EQ(connected.service_code_of("standard"), "ground");
  for (const auto* const level : {"sameday", "odd", "other"})
    EXPECT_EQ(connected.service_code_of(level), std::nullopt) << level;
}

TEST(ConnectedCarriers, AnAccountIsNotedForFailuresThatLastAndForTheFirstSuccess) {
  using enum GatewayError::Problem;
  ConnectedCarrier connected;
  connected.checked_at = Time(std::chrono::hours(1));
  std::string text;
  const auto note = [&](GatewayError::Problem problem) {
    const GatewayError error(problem, {.code = "401", .text = "The token is wrong"});
    return note_of_call(business, connected, &error, text);
  };
  for (const auto problem : {credentials, carrier_credentials, mode, account, unreachable}) {
    const auto failure = note(problem);
    ASSERT_TRUE(failure) << static_cast<int>(problem);
    EXPECT_NE(text.find("The token is wrong"), std::string::npos);
  }
  EXPECT_FALSE(note(busy) || note(refused)) << "these say nothing of the account";
  EXPECT_FALSE(note_of_call(business, connected, nullptr, text)) << "a usual call writes nothing";
  connected.is_failing = true;
  EXPECT_TRUE(note_of_call(business, connected, nullptr, text));
}

TEST(ConnectedCarriers, AKeyOpensOnlyForItsBusinessAndCarrier) {
  const SecretBox secrets{SecretBox::Key{}};
  const Bytes sealed = secrets.seal("key_1", carrier_secret_purpose(business, carrier, "apiKey"));
  EXPECT_EQ(open_carrier_key(secrets, business, carrier, sealed), "key_1");
  EXPECT_EQ(open_carrier_key(secrets, carrier, carrier, sealed), "");
  EXPECT_EQ(open_carrier_key(secrets, business, business, sealed), "");
  EXPECT_EQ(open_carrier_key(secrets, business, carrier, std::nullopt), "");
}

}  // namespace
}  // namespace waybill::connectors
