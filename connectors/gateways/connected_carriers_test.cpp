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
