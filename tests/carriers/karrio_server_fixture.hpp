#pragma once

#include <algorithm>
#include <chrono>
#include <future>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_future.hpp>
#include <gtest/gtest.h>

#include "connectors/karrio/karrio.hpp"
#include "net/http/async_http.hpp"
#include "tests/carriers/karrio_server.hpp"

namespace waybill::connectors {

template <typename Value>
std::future<Value> begun(asio::io_context& io, asio::awaitable<Value> awaited) {
  return asio::co_spawn(io, std::move(awaited), asio::use_future);
}

/// Outlives the client, whose thread may still be leaving `post` when the response arrives.
inline asio::io_context& loop() {
  static asio::io_context io;
  io.restart();
  return io;
}

template <typename Value>
Value await(asio::awaitable<Value> awaited) {
  auto& io = loop();
  auto future = begun(io, std::move(awaited));
  io.run();
  return future.get();
}

/// The problem with which an awaited call ends; nullopt if it succeeds.
template <typename Value>
std::optional<GatewayError::Problem> problem_of(asio::awaitable<Value> awaited) {
  try {
    await(std::move(awaited));
    return std::nullopt;
  } catch (const GatewayError& error) {
    return error.problem();
  }
}

template <typename... Alternatives>
std::string described(const std::variant<Alternatives...>& answer) {
  using Answer = std::variant<Alternatives...>;
  if constexpr (std::is_same_v<Answer, PurchaseAnswer>) {
    if (const auto* const refused = std::get_if<RefusedPurchase>(&answer))
      return "refused: " + refused->message.code + ": " + refused->message.text;
    if (const auto* const unknown = std::get_if<UnknownPurchase>(&answer))
      return "unknown: " + unknown->message.code + ": " + unknown->message.text;
    return "bought";
  } else {
    if (std::holds_alternative<StillDraft>(answer)) return "draft";
    if (std::holds_alternative<VoidedLabel>(answer)) return "voided";
    return std::holds_alternative<NotThere>(answer) ? "not there" : "bought";
  }
}

/// The connector of Karrio with a real Karrio server, whose carrier is slow, loses answers and refuses.
class KarrioServerTest : public testing::Test {
 protected:
  using KarrioCarrier = tests::KarrioCarrier;
  using KarrioServer = tests::KarrioServer;

  static void SetUpTestSuite() {
    if (KarrioServer::installed()) shared_server = std::make_unique<KarrioServer>();
  }
  static void TearDownTestSuite() { shared_server.reset(); }

  void SetUp() override {
    if (!shared_server) GTEST_SKIP() << tests::no_karrio;
    carrier().stop_failing();
    connection_ = server().make_connection(name());
  }

  KarrioServer& server() { return *shared_server; }
  KarrioCarrier& carrier() { return server().carrier(); }
  static std::string name() { return testing::UnitTest::GetInstance()->current_test_info()->name(); }
  const std::string& connection() const { return connection_; }

  GatewayAccount account(bool test_mode = false) {
    auto account = account_of(server(), test_mode);
    if (!test_mode) account.account_number = name();
    return account;
  }
  static GatewayAccount account_of(const KarrioServer& server, bool test_mode = false) {
    return {.api_url = server.url(),
            .api_key = server.token(test_mode),
            .account_number = std::string(KarrioServer::carrier_id()),
            .test_mode = test_mode};
  }
  std::unique_ptr<Gateway> open(GatewayAccount account, Duration timeout = std::chrono::minutes(2)) {
    const auto send = [this, timeout](net::HttpRequest request) -> asio::awaitable<net::HttpResponse> {
      request.total_timeout = std::min(request.total_timeout, timeout);
      co_return co_await net::fetch(client_, std::move(request));
    };
    return karrio_gateway().open(std::move(account), send, system_clock());
  }
  std::unique_ptr<Gateway> open() { return open(account()); }

  Consignment consignment() {
    return {.reference = name() + "-" + std::to_string(++references_),
            .sender = {.name = "Ada Byron",
                       .company = "Quay",
                       .phone = "+49 228 123456",
                       .email = "ada@x.example",
                       .street = "Kai 1",
                       .city = "Bonn",
                       .state = "",
                       .postal_code = "53111",
                       .country = "DE"},
            .recipient = {.name = "Jörg Müller",
                          .company = "",
                          .phone = "+49 221 123456",
                          .email = "",
                          .street = "Weg 1",
                          .city = "Köln",
                          .state = "",
                          .postal_code = "50667",
                          .country = "DE"},
            .parcels = {{.weight = "2.5", .length = "30", .width = "20", .height = "10"}},
            .customs = std::nullopt};
  }

  struct Drafted {
    std::string id, rate, reference;
  };
  /// A draft and its first rate.
  Drafted draft(Gateway& gateway, const Consignment& consignment) {
    const auto made = await(gateway.draft(consignment));
    if (made.offers.rates.empty()) throw std::runtime_error("the draft has no rates");
    return {made.gateway_id, made.offers.rates.front().id, consignment.reference};
  }
  Drafted draft(Gateway& gateway) { return draft(gateway, consignment()); }
  static PurchaseAnswer buy(Gateway& gateway, const Drafted& draft, LabelFormat format = LabelFormat::pdf) {
    return await(gateway.buy(draft.id, draft.rate, draft.reference, format));
  }
  static std::string found(Gateway& gateway, const Drafted& draft) {
    return described(await(gateway.find(draft.id, draft.reference)));
  }
  BoughtLabel bought(Gateway& gateway, const Drafted& draft) {
    auto answer = buy(gateway, draft);
    if (!std::holds_alternative<BoughtLabel>(answer)) throw std::runtime_error(described(answer));
    return std::get<BoughtLabel>(std::move(answer));
  }

 private:
  static inline std::unique_ptr<KarrioServer> shared_server;

  std::string connection_;
  int references_ = 0;
  net::HttpClient client_{{.policy = {.allow_private = true}, .ca_file = {}}};
};

}  // namespace waybill::connectors
