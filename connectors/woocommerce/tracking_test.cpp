#include "connectors/woocommerce/tracking.hpp"

#include <gtest/gtest.h>

namespace waybill::connectors {
namespace {

TEST(WooShippingProvider, IsTheStoresKeyOfACarrierThatItHas) {
  EXPECT_EQ(woo_shipping_provider("royal_mail"), "royal-mail");
  EXPECT_EQ(woo_shipping_provider("dhl_express"), "dhl");
  EXPECT_EQ(woo_shipping_provider("dhl_parcel"), "dhl");
  EXPECT_EQ(woo_shipping_provider("colissimo"), "la-poste-colissimo");
  EXPECT_EQ(woo_shipping_provider("evri"), "evri-hermes");
  EXPECT_EQ(woo_shipping_provider("usps"), "usps");
}

TEST(WooShippingProvider, IsOtherForACarrierThatTheStoreDoesNotHave) {
  for (const auto* const code : {"aramex", "stuart", "xpo", "db_schenker", "harbour_bikes", ""})
    EXPECT_EQ(woo_shipping_provider(code), "other") << code;
}

}  // namespace
}  // namespace waybill::connectors
