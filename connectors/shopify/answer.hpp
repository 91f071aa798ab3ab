#pragma once

#include <exception>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/json.hpp"
#include "connectors/connector.hpp"

namespace waybill::connectors {

constexpr std::size_t shopify_message_limit = 300;  // characters of a message that we show

/// A query costs more than the store allows (MAX_COST_EXCEEDED). A query for fewer records may succeed.
class ShopifyTooCostly : public std::exception {
 public:
  ShopifyTooCostly(double cost, double limit) : cost_(cost), limit_(limit) {}
  double cost() const { return cost_; }    // 0 if unknown
  double limit() const { return limit_; }  // 0 if unknown
  const char* what() const noexcept override { return "The query costs more than the store allows."; }

 private:
  double cost_;
  double limit_;
};

/// The data of a GraphQL answer (HTTP 200); nullopt if the query was throttled. Fields of a present record
/// that the app may not see are null. Throws ShopifyTooCostly, and StoreError: ACCESS_DENIED is credentials,
/// with the store's message about the scope; errors of the store are busy; others are refused; an answer
/// without GraphQL is wrong_store.
std::optional<json::object> shopify_data(const json::value& answer);

/// Returns if the answer is 200; otherwise throws the matching StoreError.
void require_shopify_answer(const net::HttpResponse& response);

/// The store's message in a refusal; empty if the body is not the store's JSON.
std::string shopify_error_message(const net::HttpResponse& response);

/// The points that the store has left for us (`extensions.cost.throttleStatus`) and the costs of our
/// operations. Points are restored with time (shopify.dev, GraphQL Admin API rate limits). Unknown before the
/// first answer.
class ShopifyBudget {
 public:
  void learn(std::string_view operation, const json::value& answer, Time now);
  /// The wait before the operation that avoids throttling; 0 if nothing is known.
  Duration wait_before(std::string_view operation, Time now) const;

 private:
  std::map<std::string, double, std::less<>> costs_;  // the last requested cost, by operation
  double maximum_ = 0;
  double available_ = 0;
  double restored_per_second_ = 0;
  Time known_at_;
};

}  // namespace waybill::connectors
