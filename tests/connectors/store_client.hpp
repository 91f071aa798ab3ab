#pragma once

#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_future.hpp>

#include "connectors/connector.hpp"
#include "net/http/async_http.hpp"

namespace waybill::tests {

/// Runs connector calls over real HTTP to local addresses. For one thread.
class StoreClient {
 public:
  explicit StoreClient(const std::string& ca_file = {})
      : http_({.policy = {.allow_private = true}, .ca_file = ca_file}) {}

  connectors::Send send() {
    return [this](net::HttpRequest request) { return net::fetch(http_, std::move(request)); };
  }

  template <typename Result>
  Result run(boost::asio::awaitable<Result> work) {
    io_.restart();
    auto result = boost::asio::co_spawn(io_, std::move(work), boost::asio::use_future);
    io_.run();
    return result.get();
  }

  /// All pages of a sweep as one; an exception ends the sweep.
  template <typename Record>
  connectors::StorePage<Record> all(connectors::StoreSweep<Record>& sweep) {
    connectors::StorePage<Record> result;
    while (auto page = run(sweep.next())) {
      for (auto& record : page->records) result.records.push_back(std::move(record));
      for (auto& record : page->unreadable) result.unreadable.push_back(std::move(record));
      if (page->reached) result.reached = page->reached;
    }
    return result;
  }

 private:
  boost::asio::io_context io_;
  net::HttpClient http_;  // destroyed first: see net/http/async_http.hpp
};

/// A store opened by a connector, for tests that wait for each call.
class OpenStore {
 public:
  OpenStore(const connectors::Connector& connector, connectors::StoreCredentials credentials,
            const connectors::Connector::Options& options = {})
      : store_(connector.open(std::move(credentials), client_.send(), system_clock(), options)) {}

  connectors::Store& operator*() { return *store_; }
  connectors::Store* operator->() { return store_.get(); }

  template <typename Result>
  Result wait(boost::asio::awaitable<Result> call) {
    return client_.run(std::move(call));
  }

  /// All pages of a sweep as one, without a time limit.
  template <typename Record>
  connectors::StorePage<Record> all(connectors::StoreSweep<Record>& sweep) {
    return client_.all(sweep);
  }

  connectors::StorePage<connectors::StoreOrder> orders(std::optional<Time> since = std::nullopt) {
    const auto sweep = store_->orders_since(since);
    return all(*sweep);
  }
  connectors::StorePage<connectors::StoreProduct> products(std::optional<Time> since = std::nullopt) {
    const auto sweep = store_->products_since(since);
    return all(*sweep);
  }

  /// The error of a failed call.
  template <typename Result>
  connectors::StoreError error(boost::asio::awaitable<Result> call) {
    try {
      wait(std::move(call));
    } catch (const connectors::StoreError& error) {
      return error;
    }
    throw std::logic_error("the call went well");
  }

 private:
  StoreClient client_;
  std::unique_ptr<connectors::Store> store_;
};

}  // namespace waybill::tests
