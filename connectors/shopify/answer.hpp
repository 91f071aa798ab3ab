#pragma once

#include <exception>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "base/json.hpp"
#include "connectors/connector.hpp"

namespace waybill::connectors {

/// A query is dearer than any that the store runs (MAX_COST_EXCEEDED). Asking for fewer records helps.
class ShopifyTooCostly : public std::exception {
 public:
  ShopifyTooCostly(double cost, double limit) : cost_(cost), limit_(limit) {}
  double cost() const { return cost_; }    // 0 when the store did not say
  double limit() const { return limit_; }  // likewise
  const char* what() const noexcept override { return "The query costs more than the store allows."; }

 private:
  double cost_;
  double limit_;
};

/// The data of a GraphQL answer (HTTP 200); nullopt when it was throttled. Fields that the app may not see
/// are null in it, as long as the record they belong to is there. Throws ShopifyTooCostly, and StoreError:
/// ACCESS_DENIED is credentials, with the store's words about the scope; errors on the store's side are
/// busy; others refused; no GraphQL answer at all is wrong_store.
std::optional<json::object> shopify_data(const json::value& answer);

/// Throws the StoreError that an answer other than 200 stands for; returns for 200.
void require_shopify_answer(const net::HttpResponse& response);

/// What the store said in an answer that refuses; empty when it is none of its JSON.
std::string shopify_words(const net::HttpResponse& response);

/// How many points the store has left for us (`extensions.cost.throttleStatus`), and what our operations
/// cost. Points come back with time (shopify.dev, GraphQL Admin API rate limits). Unknown until the first
/// answer.
class ShopifyBudget {
 public:
  void learn(std::string_view operation, const json::value& answer, Time now);
  /// How long to wait before the operation, so that it is not throttled; 0 when nothing is known.
  Duration wait_before(std::string_view operation, Time now) const;

 private:
  std::map<std::string, double, std::less<>> costs_;  // as requested the last time
  double maximum_ = 0;
  double available_ = 0;
  double restored_a_second_ = 0;
  Time known_at_;
};

}  // namespace waybill::connectors
