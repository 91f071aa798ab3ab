#include "connectors/manual_carrier.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_future.hpp>
#include <gtest/gtest.h>

namespace waybill::connectors {
namespace {

FieldErrors check(const std::string& account_number) {
  asio::io_context io;
  CarrierAccount account{.account_number = account_number, .api_key = {}, .api_secret = {}};
  auto errors = asio::co_spawn(io, carrier_connector("ups").check(std::move(account)), asio::use_future);
  io.run();
  return errors.get();
}

TEST(ManualCarrier, AcceptsEveryNonEmptyAccountNumber) {
  EXPECT_TRUE(check("1").empty());
  EXPECT_TRUE(check(" A-1 ").empty());
  for (const auto* const number : {"", " ", "\t\n"}) {
    const auto errors = check(number);
    ASSERT_EQ(errors.size(), 1U);
    EXPECT_EQ(errors[0].field, "accountNumber");
  }
}

TEST(ManualCarrier, ServesCarriersWithoutTheirOwnConnector) {
  EXPECT_EQ(carrier_connector("no such carrier").name(), "manual");
}

}  // namespace
}  // namespace waybill::connectors
