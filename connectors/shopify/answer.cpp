#include "connectors/shopify/answer.hpp"

#include <algorithm>
#include <cmath>

#include "connectors/shopify/json.hpp"
#include "connectors/store_call.hpp"

namespace waybill::connectors {
namespace {

double number_at(const json::object& object, std::string_view path) {
  const auto* const value = find_path(object, path);
  return value != nullptr && value->is_number() ? value->to_number<double>() : 0;
}

// True if access is denied to a field of an existing record: the field is null, the rest can be used.
bool denies_only_a_field(const json::object& error, const json::object* data) {
  const auto* const path = error.if_contains("path");
  if (data == nullptr || path == nullptr || !path->is_array() || path->get_array().size() < 2) return false;
  const auto& root = path->get_array().front();
  if (!root.is_string()) return false;
  const auto* const record = data->if_contains(root.get_string());
  return record != nullptr && record->is_object();
}

StoreError problem_of(const json::object& error, const std::string& code) {
  const std::string message = shopify::code(error, "message");
  if (code == "ACCESS_DENIED" || code == "FORBIDDEN") {
    std::string words = "The store denies access";
    if (!message.empty()) words += ": " + message;
    const std::string scope = shopify::code(error, "extensions.requiredAccess");
    if (!scope.empty() && message.find(scope) == std::string::npos) words += " Required access: " + scope;
    return {StoreProblem::credentials, clean_text(words, shopify_message_limit).value_or(words)};
  }
  if (code == "INTERNAL_SERVER_ERROR" || code == "TIMEOUT" || code == "SHOP_INACTIVE") {
    return {StoreProblem::busy, "The store cannot answer now (" + code + ")."};
  }
  return {StoreProblem::refused,
          "The store refuses the query: " +
              clean_text(message, shopify_message_limit).value_or("it gives no reason.")};
}

}  // namespace

std::optional<json::object> shopify_data(const json::value& answer) {
  const auto* const object = answer.if_object();
  const auto* const errors = object != nullptr ? object->if_contains("errors") : nullptr;
  const auto* const found = object != nullptr ? object->if_contains("data") : nullptr;
  const auto* const data = found != nullptr ? found->if_object() : nullptr;
  if (errors != nullptr && errors->is_array()) {
    for (const auto& entry : errors->get_array()) {
      const auto* const error = entry.if_object();
      if (error == nullptr) continue;
      const std::string code = shopify::code(*error, "extensions.code");
      if (code == "THROTTLED") return std::nullopt;
      if (code == "MAX_COST_EXCEEDED") {
        throw ShopifyTooCostly(number_at(*error, "extensions.cost"), number_at(*error, "extensions.maxCost"));
      }
      if (code == "ACCESS_DENIED" && denies_only_a_field(*error, data)) continue;
      throw problem_of(*error, code);
    }
  } else if (errors != nullptr && !errors->is_null()) {
    throw StoreError(
        StoreProblem::refused,
        "The store refuses the query: " + clean_text(errors, shopify_message_limit).value_or("no reason"));
  }
  if (data == nullptr) {
    throw StoreError(
        StoreProblem::wrong_store,
        "The server at the store's address does not have Shopify's Admin API: its answer has no data.");
  }
  return *data;
}

std::string shopify_error_message(const net::HttpResponse& response) {
  boost::system::error_code failed;
  const auto body = json::parse(response.body, failed);
  const auto* const object = failed ? nullptr : body.if_object();
  if (object == nullptr) return {};
  for (const auto* const name : {"errors", "error_description", "error"}) {
    const auto* value = object->if_contains(name);
    if (value == nullptr) continue;
    if (value->is_array() && !value->get_array().empty()) value = &value->get_array().front();
    if (value->is_object()) value = value->get_object().if_contains("message");
    if (auto words = clean_text(value, shopify_message_limit)) return *words;
  }
  return {};
}

void require_shopify_answer(const net::HttpResponse& response) {
  constexpr int fine = 200;
  constexpr int payment_required = 402;  // the shop has not paid
  constexpr int locked = 423;            // the shop is not available
  const int status = response.status;
  if (status == fine) return;
  if (status >= 300 && status < 400) {
    throw StoreError(StoreProblem::wrong_store, "The store's address redirects elsewhere (" +
                                                    std::to_string(status) +
                                                    "): give the one that ends in myshopify.com.");
  }
  if (status == payment_required || status == locked) {
    throw StoreError(StoreProblem::busy, "The store is closed (" + std::to_string(status) + ").");
  }
  throw refusal(response, shopify_error_message(response));
}

void ShopifyBudget::learn(std::string_view operation, const json::value& answer, Time now) {
  const auto* const object = answer.if_object();
  if (object == nullptr) return;
  if (const double cost = number_at(*object, "extensions.cost.requestedQueryCost"); cost > 0) {
    costs_.insert_or_assign(std::string(operation), cost);
  }
  const double restored = number_at(*object, "extensions.cost.throttleStatus.restoreRate");
  if (!(restored > 0)) return;
  restored_per_second_ = restored;
  maximum_ = number_at(*object, "extensions.cost.throttleStatus.maximumAvailable");
  available_ = number_at(*object, "extensions.cost.throttleStatus.currentlyAvailable");
  known_at_ = now;
}

Duration ShopifyBudget::wait_before(std::string_view operation, Time now) const {
  const auto cost = costs_.find(operation);
  if (cost == costs_.end() || !(restored_per_second_ > 0)) return Duration::zero();
  const double passed = std::chrono::duration<double>(std::max(now - known_at_, Duration::zero())).count();
  const double available = std::min(maximum_, available_ + passed * restored_per_second_);
  const double missing = std::min(cost->second, maximum_) - available;
  if (!(missing > 0)) return Duration::zero();
  constexpr double longest = 3600;
  const double seconds = std::min(missing / restored_per_second_, longest);
  return Duration(static_cast<Duration::rep>(std::ceil(seconds * 1e6)));
}

}  // namespace waybill::connectors
