#pragma once

#include <fstream>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include <gtest/gtest.h>

#include "connectors/store_call.hpp"
#include "tests/connectors/store_client.hpp"
#include "tests/simulators/woocommerce/woocommerce_simulator.hpp"

namespace waybill::tests {

using Options = WooCommerceSimulator::Options;

/// A simulated store, and a connection to it over real HTTP.
class WooCommerceStore : public testing::Test {
 protected:
  static const connectors::Connector& connector() { return *connectors::find_connector("woocommerce"); }

  void start(const Options& options = {}) {
    connection_.reset();
    store_ = std::make_unique<WooCommerceSimulator>(options);
    if (options.https) {
      const auto file = directory_ / "ca.pem";
      std::ofstream(file, std::ios::trunc) << store_->certificate();
      secure_ = std::make_unique<StoreClient>(file);
    }
    reopen();
  }

  /// A connection without any knowledge about the store.
  void reopen() { connection_ = open(store_->url()); }

  std::unique_ptr<connectors::Store> open(const std::string& url) {
    const bool known = store_ != nullptr && url == store_->url();
    return connector().open({.api_key = known ? store_->key() : "ck_1",
                             .api_secret = known ? store_->secret() : "cs_1",
                             .store_url = url},
                            client().send(), system_clock(), {});
  }

  /// The client that trusts the store's certificate, if it has one.
  StoreClient& client() { return store_ && secure_ && !store_->certificate().empty() ? *secure_ : client_; }

  void check(bool writes = false) { client().run(connection_->check(writes)); }

  connectors::StorePage<connectors::StoreOrder> sweep(std::optional<Time> since = std::nullopt) {
    const auto orders = connection_->orders_since(since);
    return client().all(*orders);
  }

  bool send(const connectors::StoreTracking& tracking) {
    return client().run(connection_->send_tracking(tracking));
  }

  /// The problem that `act` throws; its message and wait are stored.
  std::optional<connectors::StoreProblem> problem_of(const std::function<void()>& act) {
    message_.clear();
    wait_.reset();
    try {
      act();
      return std::nullopt;
    } catch (const connectors::StoreError& error) {
      message_ = error.what();
      wait_ = error.retry_after();
      return error.problem();
    }
  }

  std::optional<connectors::StoreProblem> problem_of_check(bool writes = false) {
    return problem_of([&] { check(writes); });
  }

  StoreClient client_;
  TempDirectory directory_;
  std::unique_ptr<StoreClient> secure_;
  std::unique_ptr<WooCommerceSimulator> store_;
  std::unique_ptr<connectors::Store> connection_;
  std::string message_;
  std::optional<Duration> wait_;
};

}  // namespace waybill::tests
