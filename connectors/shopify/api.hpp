#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>

#include "base/json.hpp"
#include "connectors/connector.hpp"
#include "connectors/page_size.hpp"
#include "connectors/shopify/answer.hpp"
#include "connectors/shopify/queries.hpp"

namespace waybill::connectors {

/// The store cannot answer a query of a list even for a single entry.
class ShopifyUnanswered : public StoreError {
 public:
  explicit ShopifyUnanswered(const StoreError& error) : StoreError(error) {}
};

/// The Admin GraphQL API of one store: gets and renews the access token, respects the store's rate limit. One
/// coroutine at a time.
class ShopifyApi {
 public:
  ShopifyApi(StoreCredentials credentials, Send send, const Clock& clock, std::string version);

  /// True if this secret is an access token (of an app created in the store's admin) instead of a client
  /// secret.
  static bool is_access_token(std::string_view secret);

  /// The `data` of the answer. Waits if the store's budget is too low or the store throttles; throws
  /// StoreError busy with `retry_after` if that would take more than half a minute. Throws StoreError.
  asio::awaitable<json::object> call(const ShopifyOperation& operation, json::object variables);

  /// A query of a list with the largest `first` that the store can answer: at most `largest`, fewer after a
  /// page was too costly or the store could not answer it. Throws StoreError: ShopifyUnanswered if it cannot
  /// answer for a single entry.
  asio::awaitable<json::object> call_page(const ShopifyOperation& operation, json::object variables,
                                          std::size_t largest = 100);
  /// After the cause of the failures of a list turned out to be a single entry: its pages grow again.
  void trust(const ShopifyOperation& operation);

 private:
  // Throws StoreError and ShopifyTooCostly.
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
  std::map<std::string_view, PageSize> page_sizes_;  // by operation
};

}  // namespace waybill::connectors
