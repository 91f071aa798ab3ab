#include "api/shipments/quoted_rate.hpp"

#include <chrono>
#include <utility>

#include <gtest/gtest.h>

namespace waybill::api {
namespace {

using namespace std::chrono_literals;

const Guid business = Guid::parse("00000000-0000-4000-8000-0000000000b1").value();
const Guid shipment = Guid::parse("00000000-0000-4000-8000-0000000000c1").value();
const Guid other = Guid::parse("00000000-0000-4000-8000-0000000000d1").value();
const QuotedRate rate{.carrier = other,
                      .service_code = "ups_ground",
                      .price = "7.3334",
                      .currency = "EUR",
                      .expires_at = Time(std::chrono::hours(500'000)),
                      .shipment = "parts",
                      .test_mode = false};

TEST(QuotedRates, OpenOnlyForTheirBusinessAndShipment) {
  const SecretBox secrets(SecretBox::Key{1});
  const std::string id = seal_rate(secrets, business, shipment, rate);
  EXPECT_EQ(open_rate(secrets, business, shipment, id), rate);
  EXPECT_FALSE(open_rate(secrets, other, shipment, id));
  EXPECT_FALSE(open_rate(secrets, business, other, id));
  EXPECT_FALSE(open_rate(SecretBox(SecretBox::Key{2}), business, shipment, id));
}

TEST(QuotedRates, KeepTheModeOfTheirCarrier) {
  const SecretBox secrets(SecretBox::Key{1});
  for (const bool test_mode : {true, false}) {
    QuotedRate quoted = rate;
    quoted.test_mode = test_mode;
    EXPECT_EQ(open_rate(secrets, business, shipment, seal_rate(secrets, business, shipment, quoted)), quoted);
  }
}

TEST(QuotedRates, KeepTheirTransitTime) {
  const SecretBox secrets(SecretBox::Key{1});
  for (const auto days : {std::optional<int>(), std::optional(0), std::optional(7)}) {
    QuotedRate quoted = rate;
    quoted.transit_days = days;
    EXPECT_EQ(open_rate(secrets, business, shipment, seal_rate(secrets, business, shipment, quoted)), quoted);
  }
}

TEST(QuotedRates, OpenAfterARotationWhileTheFormerKeyIsKnown) {
  const SecretBox::Key former{1}, next{2};
  const std::string id = seal_rate(SecretBox(former), business, shipment, rate);
  EXPECT_EQ(open_rate(SecretBox({next, former}), business, shipment, id), rate);
  EXPECT_FALSE(open_rate(SecretBox(next), business, shipment, id));
}

TEST(QuotedRates, DependOnParcelsAndAddressesButNotOnNames) {
  const connectors::Consignment parcel{.reference = "",
                                       .sender = {.city = "Bonn", .country = "DE"},
                                       .recipient = {.name = "Ada", .postal_code = "50667"},
                                       .parcels = {{.weight = "2"}},
                                       .customs = std::nullopt};
  connectors::Consignment renamed = parcel;
  renamed.reference = "purchase";
  renamed.recipient.name = "Grace";
  renamed.sender.phone = "1";
  EXPECT_EQ(priced_parts(renamed), priced_parts(parcel));
  const auto differs = [&](auto change) {
    connectors::Consignment changed = parcel;
    change(changed);
    return priced_parts(changed) != priced_parts(parcel);
  };
  EXPECT_TRUE(differs([](auto& it) { it.parcels[0].weight = "2.5"; }));
  EXPECT_TRUE(differs([](auto& it) { it.parcels[0].length = "2"; }));
  EXPECT_TRUE(differs([](auto& it) { it.parcels.push_back(it.parcels[0]); }));
  EXPECT_TRUE(differs([](auto& it) { it.recipient.postal_code = "50668"; }));
  EXPECT_TRUE(differs([](auto& it) { std::swap(it.sender, it.recipient); }));
  EXPECT_TRUE(differs([](auto& it) { it.is_return = true; }));
}

TEST(QuotedRates, CannotBeMadeUp) {
  const SecretBox secrets(SecretBox::Key{1});
  for (const char* const id : {"", "x", "not base64!", "eyJjYXJyaWVyIjoi"})
    EXPECT_FALSE(open_rate(secrets, business, shipment, id)) << id;
  std::string changed = seal_rate(secrets, business, shipment, rate);
  changed[30] = changed[30] == 'A' ? 'B' : 'A';
  EXPECT_FALSE(open_rate(secrets, business, shipment, changed));
}

}  // namespace
}  // namespace waybill::api
