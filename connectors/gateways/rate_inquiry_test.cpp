#include "connectors/gateways/rate_inquiry.hpp"

#include <stdexcept>
#include <string>
#include <utility>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <boost/asio/use_future.hpp>
#include <gtest/gtest.h>

namespace waybill::connectors {
namespace {

/// Answers as its carrier's name says, the later the longer the name.
class NamedGateway final : public Gateway {
 public:
  explicit NamedGateway(std::string name) : name_(std::move(name)) {}

  asio::awaitable<RatesAnswer> rates(Consignment consignment) override {
    asio::steady_timer timer(co_await asio::this_coro::executor, std::chrono::milliseconds(name_.size()));
    co_await timer.async_wait(asio::use_awaitable);
    if (name_ == "busy") throw GatewayError(GatewayError::Problem::refused, {"no", "No."});
    if (name_ == "broken") throw std::runtime_error("a defect");
    CarrierRate rate;
    rate.service_code = name_;
    rate.price = consignment.reference;
    co_return RatesAnswer{.rates = {rate}, .messages = {}};
  }
  asio::awaitable<bool> check(Consignment) override { co_return true; }
  asio::awaitable<Draft> draft(Consignment) override { co_return Draft{}; }
  asio::awaitable<PurchaseAnswer> buy(std::string, std::string, std::string, LabelFormat) override {
    co_return UnknownPurchase{};
  }
  asio::awaitable<FoundPurchase> find(std::string, std::string) override { co_return NotThere{}; }
  asio::awaitable<LabelFile> label(std::string, LabelFormat) override { co_return LabelFile{}; }
  asio::awaitable<VoidResult> void_label(std::string, bool) override { co_return VoidResult{}; }
  asio::awaitable<TrackAnswer> track(std::string) override { co_return TrackAnswer{}; }

 private:
  const std::string name_;
};

std::vector<AskedCarrier> ask(const std::vector<std::string>& names) {
  std::vector<ConnectedCarrier> carriers;
  for (const std::string& name : names)
    carriers.push_back({.guid = {}, .name = name, .connector = find_gateway("easypost")});
  Consignment consignment;
  consignment.reference = "1.50";
  asio::io_context io;
  auto asked = asio::co_spawn(io,
                              ask_for_rates(std::move(carriers), consignment,
                                            [](const ConnectedCarrier& carrier) {
                                              return std::make_unique<NamedGateway>(carrier.name);
                                            }),
                              asio::use_future);
  io.run();
  return asked.get();
}

TEST(RateInquiry, TheAnswersKeepTheOrderOfTheCarriers) {
  const auto asked = ask({"a slow carrier", "quick", "a"});
  ASSERT_EQ(asked.size(), 3U);
  EXPECT_EQ(asked[0].answer.rates.at(0).service_code, "a slow carrier");
  EXPECT_EQ(asked[1].answer.rates.at(0).service_code, "quick");
  EXPECT_EQ(asked[2].answer.rates.at(0).price, "1.50") << "each has the consignment";
}

TEST(RateInquiry, AFailureLeavesTheOthersTheirAnswers) {
  const auto asked = ask({"busy", "broken", "good"});
  EXPECT_EQ(asked[0].failure->problem(), GatewayError::Problem::refused);
  EXPECT_EQ(asked[0].failure->message().text, "No.");
  EXPECT_EQ(asked[1].failure->problem(), GatewayError::Problem::busy) << "a defect proves nothing";
  EXPECT_FALSE(asked[2].failure);
  EXPECT_EQ(asked[2].answer.rates.size(), 1U);
}

TEST(RateInquiry, OfNobodyEndsAtOnce) { EXPECT_TRUE(ask({}).empty()); }

}  // namespace
}  // namespace waybill::connectors
