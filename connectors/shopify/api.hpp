#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>

#include "base/json.hpp"
#include "connectors/connector.hpp"
#include "connectors/shopify/answer.hpp"
#include "connectors/shopify/queries.hpp"

namespace waybill::connectors {

/// The Admin GraphQL API of one store: gets and renews its access token, keeps to the store's rate limit. One
/// coroutine at a time.
class ShopifyApi {
 public:
  ShopifyApi(StoreCredentials credentials, Send send, const Clock& clock, std::string version);

  /// Whether this secret is an access token already (of an app made in the store's admin), and no client
  /// secret.
  static bool is_access_token(std::string_view secret);

  /// The `data` of the answer. Waits when the store's budget is too low, and when it throttles; beyond half a
  /// minute that is StoreError busy with `retry_after`. Throws StoreError.
  asio::awaitable<json::object> call(const ShopifyOperation& operation, json::object variables);

  /// A query of a list, with `first` as large as the store bears it: at most `largest`, fewer after it found
  /// a page too costly. Throws StoreError.
  asio::awaitable<json::object> call_page(const ShopifyOperation& operation, json::object variables,
                                          std::size_t largest = 100);

 private:
  // Throws ShopifyTooCostly as well.
  asio::awaitable<json::object> perform(const ShopifyOperation& operation, json::object variables);
  asio::awaitable<void> get_token();
  asio::awaitable<net::HttpResponse> post(const std::string& body);

  StoreCredentials credentials_;
  Send send_;
  const Clock& clock_;
  std::string url_;
  std::string token_;
  Time token_ends_;
  ShopifyBudget budget_;
  std::map<std::string_view, std::size_t> page_sizes_;  // by operation
};

}  // namespace waybill::connectors
