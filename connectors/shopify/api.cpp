#include "connectors/shopify/api.hpp"

#include <algorithm>
#include <array>
#include <optional>

#include "base/pause.hpp"
#include "base/percent_encoding.hpp"
#include "connectors/store_call.hpp"

namespace waybill::connectors {
namespace {

constexpr Duration longest_wait = std::chrono::seconds(30);
constexpr std::size_t most_throttled = 5;  // attempts
constexpr Duration token_margin = std::chrono::minutes(1);

// True for text that is safe in a header: no blanks, above all no line breaks.
bool is_header_value(std::string_view token) {
  return std::ranges::all_of(token, [](char c) { return c > ' ' && c <= '~'; });
}

StoreError throttled(Duration again) {
  return {StoreProblem::busy, "The store's rate limit is used up.", again};
}

// The error for a refused grant: 400 with JSON, or with a page if the app is not installed in the shop.
StoreError grant_refusal(const net::HttpResponse& response) {
  const std::string message = shopify_error_message(response);
  if (!message.empty() || response.body.find("Oauth error") != std::string::npos) {
    return {StoreProblem::credentials, "The store refuses the client id and secret (" +
                                           std::to_string(response.status) +
                                           (message.empty() ? ")." : "): " + message)};
  }
  return {StoreProblem::wrong_store,
          "The server at the store's address is not Shopify: it refuses to give "
          "an access token with " +
              std::to_string(response.status) + " and no reason."};
}

}  // namespace

ShopifyApi::ShopifyApi(StoreCredentials credentials, Send send, const Clock& clock, std::string version)
    : credentials_(std::move(credentials)),
      send_(std::move(send)),
      clock_(clock),
      url_(credentials_.store_url + "/admin/api/" + std::move(version) + "/graphql.json") {
  if (is_access_token(credentials_.api_secret)) token_ = credentials_.api_secret;
}

bool ShopifyApi::is_access_token(std::string_view secret) {
  constexpr std::array<std::string_view, 3> prefixes = {"shpat_", "shpca_", "shppa_"};
  return std::ranges::any_of(prefixes, [&](std::string_view prefix) { return secret.starts_with(prefix); });
}

// shopify.dev, "Client credentials grant"
asio::awaitable<void> ShopifyApi::get_token() {
  net::HttpRequest request;
  request.url = credentials_.store_url + "/admin/oauth/access_token";
  request.headers = {{"Content-Type", "application/x-www-form-urlencoded"}, {"Accept", "application/json"}};
  request.body = "grant_type=client_credentials&client_id=" + percent_encode(credentials_.api_key) +
                 "&client_secret=" + percent_encode(credentials_.api_secret);
  const auto response = co_await ask(send_, std::move(request));
  constexpr int bad_request = 400;
  if (response.status == bad_request) throw grant_refusal(response);
  require_shopify_answer(response);
  const auto answer = json_of(response);
  const auto* const grant = answer.if_object();
  const auto token = grant != nullptr ? clean_text(grant->if_contains("access_token")) : std::nullopt;
  if (!token) {
    throw StoreError(StoreProblem::wrong_store,
                     "The server at the store's address is not Shopify: it returns no access token.");
  }
  token_ = *token;
  const auto* const expires = grant->if_contains("expires_in");
  constexpr double a_day = 86400;
  const double seconds = expires != nullptr && expires->is_number()
                             ? std::clamp(expires->to_number<double>(), 0.0, a_day)
                             : a_day;
  token_ends_ = clock_.now() + Duration(static_cast<Duration::rep>(seconds * 1e6)) - token_margin;
}

asio::awaitable<net::HttpResponse> ShopifyApi::post(const std::string& body) {
  const bool granted = !is_access_token(credentials_.api_secret);
  for (bool renewed = false;; renewed = true) {
    if (granted && (token_.empty() || clock_.now() >= token_ends_)) co_await get_token();
    if (!is_header_value(token_)) {
      throw StoreError(StoreProblem::credentials, "The access token has invalid characters.");
    }
    net::HttpRequest request;
    request.url = url_;
    request.headers = {{"Content-Type", "application/json"},
                       {"Accept", "application/json"},
                       {"X-Shopify-Access-Token", token_}};
    request.body = body;
    request.fresh_connection = body.starts_with(R"({"query":"\nmutation )");
    auto response = co_await ask(send_, std::move(request));
    constexpr int unauthorized = 401;
    if (response.status != unauthorized || !granted || renewed) co_return response;
    token_.clear();
  }
}

asio::awaitable<json::object> ShopifyApi::perform(const ShopifyOperation& operation, json::object variables) {
  const std::string body =
      to_json(json::object{{"query", operation.text}, {"variables", std::move(variables)}});
  for (std::size_t attempts = 0;; ++attempts) {
    Duration needed = budget_.wait_before(operation.name, clock_.now());
    // The call was throttled although points were left: others use the store's budget, or its size is
    // unknown.
    if (attempts > 0) needed = std::max<Duration>(needed, std::chrono::milliseconds(100) * (1U << attempts));
    if (needed > longest_wait || attempts == most_throttled) throw throttled(needed);
    if (needed > Duration::zero()) co_await pause(needed);
    const auto response = co_await post(body);
    require_shopify_answer(response);
    const auto answer = json_of(response);
    budget_.learn(operation.name, answer, clock_.now());
    if (auto data = shopify_data(answer)) co_return std::move(*data);
  }
}

asio::awaitable<json::object> ShopifyApi::call(const ShopifyOperation& operation, json::object variables) {
  try {
    co_return co_await perform(operation, std::move(variables));
  } catch (const ShopifyTooCostly& costly) {
    throw StoreError(StoreProblem::refused, costly.what());
  }
}

asio::awaitable<json::object> ShopifyApi::call_page(const ShopifyOperation& operation, json::object variables,
                                                    std::size_t largest) {
  auto& size = page_sizes_.try_emplace(operation.name, PageSize(largest)).first->second;
  while (true) {
    variables["first"] = size.value();
    std::optional<StoreError> failure;
    try {
      auto data = co_await perform(operation, variables);
      size.grow();
      co_return data;
    } catch (const ShopifyTooCostly& costly) {
      if (size.value() == 1) throw StoreError(StoreProblem::refused, costly.what());
      const bool known = costly.cost() > costly.limit() && costly.limit() > 0;
      const double share = known ? 0.9 * costly.limit() / costly.cost() : 0.5;
      const auto fewer = static_cast<std::size_t>(static_cast<double>(size.value()) * share);
      size.limit(std::min(fewer, size.value() - 1));  // a cost does not change
    } catch (const StoreError& error) {
      if (!may_depend_on_size(error) || error.problem() == StoreProblem::wrong_store) throw;
      failure = error;
    }
    if (failure && !size.shrink()) throw ShopifyUnanswered(*failure);
  }
}

void ShopifyApi::trust(const ShopifyOperation& operation) {
  const auto found = page_sizes_.find(operation.name);
  if (found != page_sizes_.end()) found->second.trust();
}

}  // namespace waybill::connectors
