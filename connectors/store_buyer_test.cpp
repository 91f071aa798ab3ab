#include "connectors/store_buyer.hpp"

#include <gtest/gtest.h>

namespace waybill::connectors {
namespace {

StoreOrder order_to(const StorePerson& recipient) {
  StoreOrder order;
  order.recipient = recipient;
  return order;
}

const StorePerson grace{.name = "Grace", .company = "Navy", .phone = "+1 2", .email = "grace@example.com"};

TEST(StoreBuyer, IsThePersonOfTheBillingAddressThenOfTheAccount) {
  auto order = order_to(grace);
  set_buyer(order, {.name = "Ada", .phone = "+44 1"}, {.name = "A. L.", .email = "ada@example.com"});
  EXPECT_EQ(order.customer_name, "Ada");
  EXPECT_EQ(order.customer_email, "ada@example.com");
  EXPECT_EQ(order.customer_phone, "+44 1");
  set_buyer(order, {.company = "Engines Ltd"}, {.name = "A. L."});
  EXPECT_EQ(order.customer_name, "A. L.");
  EXPECT_EQ(order.customer_company, "Engines Ltd");
  set_buyer(order, {.company = "Engines Ltd"});
  EXPECT_EQ(order.customer_name, "Engines Ltd");
}

TEST(StoreBuyer, TakesNothingFromAnotherRecipient) {
  auto order = order_to(grace);
  set_buyer(order, {.name = "Ada"});
  EXPECT_EQ(order.customer_company, std::nullopt);
  EXPECT_EQ(order.customer_email, std::nullopt);
  EXPECT_EQ(order.customer_phone, std::nullopt);
}

TEST(StoreBuyer, IsTheRecipientIfBothHaveTheSameNameOrTheBuyerHasNone) {
  for (const StorePerson& billing : {StorePerson{}, StorePerson{.name = "Grace"}}) {
    auto order = order_to(grace);
    set_buyer(order, billing);
    EXPECT_EQ(order.customer_name, "Grace");
    EXPECT_EQ(order.customer_company, "Navy");
    EXPECT_EQ(order.customer_email, "grace@example.com");
    EXPECT_EQ(order.customer_phone, "+1 2");
  }
  auto order = order_to({.company = "Navy"});
  set_buyer(order, {});
  EXPECT_EQ(order.customer_name, "Navy");
}

}  // namespace
}  // namespace waybill::connectors
