#include "connectors/gateways/gateways.hpp"

#include <string>
#include <vector>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_future.hpp>
#include <gtest/gtest.h>

namespace waybill::connectors {
namespace {

/// A gateway that requests one address.
class Probe final : public GatewayConnector {
 public:
  explicit Probe(std::string url) : url_(std::move(url)) {}

  std::string_view name() const override { return "probe"; }
  std::span<const std::string_view> features() const override { return {}; }
  std::span<const LabelFormat> formats() const override { return {}; }
  bool needs_url() const override { return true; }
  int calls_per_minute() const override { return 60; }
  bool makes_call_secret() const override { return false; }
  GatewayHint read_call(std::string_view, const InboundCall&) const override { return {}; }
  std::unique_ptr<Gateway> open(GatewayAccount, Send send, const Clock&) const override {
    sent_ = std::move(send);
    return nullptr;
  }
  net::HttpResponse request(asio::io_context& io) const {
    net::HttpRequest request;
    request.url = url_;
    auto answer = asio::co_spawn(io, sent_(std::move(request)), asio::use_future);
    io.restart();
    io.run();
    return answer.get();
  }

 private:
  const std::string url_;
  mutable Send sent_;
};

class GatewaysTest : public testing::Test {
 protected:
  /// The failure of a request to `url` with an account at `api_url`.
  net::HttpFailure failure(const std::string& api_url, const std::string& url) {
    const Probe probe(url);
    gateways.open(probe, {.api_url = api_url, .api_key = {}, .account_number = {}}, Guid::random(),
                  system_clock(), std::chrono::seconds(5));
    return probe.request(io).failure;
  }

  asio::io_context io;
  Gateways gateways{{.policy = {}, .ca_file = {}, .own = {"http://127.0.0.1:1", "https://karrio.internal"}}};
};

TEST_F(GatewaysTest, OnlyTheVeryAddressOfTheOperatorIsNotGuarded) {
  EXPECT_EQ(failure("http://127.0.0.1:1", "http://127.0.0.1:1/v1/x"), net::HttpFailure::connect);
  EXPECT_EQ(failure("http://127.0.0.1:1", "http://127.0.0.1:10/v1"), net::HttpFailure::refused_destination);
  EXPECT_EQ(failure("http://127.0.0.1:1/v1", "http://127.0.0.1:1/v1/x"),
            net::HttpFailure::refused_destination);
  EXPECT_EQ(failure("https://karrio.internal", "http://127.0.0.1:1/x"), net::HttpFailure::refused_destination)
      << "a link to the gateway of another business";
  EXPECT_EQ(failure("https://evil.example.com", "http://127.0.0.1:1/x"),
            net::HttpFailure::refused_destination);
}

TEST_F(GatewaysTest, AfterTheEndNoRequestBegins) {
  gateways.close();
  EXPECT_EQ(failure("http://127.0.0.1:1", "http://127.0.0.1:1/v1/x"), net::HttpFailure::cancelled);
}

TEST_F(GatewaysTest, ABusinessMayNameAPublicAddressWithTls) {
  EXPECT_FALSE(gateways.url_problem("https://karrio.example.com/api"));
  EXPECT_FALSE(gateways.url_problem("http://127.0.0.1:1"));
  for (const char* const url :
       {"http://karrio.example.com", "http://127.0.0.1:1/v1", "https://10.0.0.1", "x"})
    EXPECT_TRUE(gateways.url_problem(url)) << url;
}

}  // namespace
}  // namespace waybill::connectors
