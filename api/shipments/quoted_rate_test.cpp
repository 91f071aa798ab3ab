#include "api/shipments/quoted_rate.hpp"

#include <chrono>

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
                      .expires_at = Time(std::chrono::hours(500'000))};

TEST(QuotedRates, OpenOnlyForTheirBusinessAndShipment) {
  const SecretBox secrets(SecretBox::Key{1});
  const std::string id = seal_rate(secrets, business, shipment, rate);
  EXPECT_EQ(open_rate(secrets, business, shipment, id), rate);
  EXPECT_FALSE(open_rate(secrets, other, shipment, id));
  EXPECT_FALSE(open_rate(secrets, business, other, id));
  EXPECT_FALSE(open_rate(SecretBox(SecretBox::Key{2}), business, shipment, id));
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
