#include "connectors/woocommerce/client.hpp"

#include <stdexcept>
#include <utility>

#include "base/crypto.hpp"

namespace waybill::connectors {
namespace {

constexpr int unauthorized = 401;
constexpr int forbidden = 403;
constexpr std::size_t nonce_bytes = 16;

std::optional<json::value> parsed(const net::HttpResponse& response) {
  try {
    auto value = json_of(response);
    if (value.is_object() || value.is_array()) return value;
  } catch (const OversizedAnswer&) {
    throw;
  } catch (const StoreError&) {
    return std::nullopt;
  }
  return std::nullopt;
}

std::string text_of(const json::value& value, std::string_view name) {
  const auto* const object = value.if_object();
  return object == nullptr ? "" : clean_text(object->if_contains(name)).value_or("");
}

bool is_redirect(const net::HttpResponse& response) {
  constexpr int first = 300;
  constexpr int last = 399;
  return response.status >= first && response.status <= last;
}

// An address in normal form; empty if it is not one.
std::string normal_or_empty(const std::string& address) {
  try {
    return normal_store_url(address);
  } catch (const std::invalid_argument&) {
    return {};
  }
}

StoreError without_json(const net::HttpResponse& response) {
  const auto status = std::to_string(response.status);
  if (response.status == unauthorized || response.status == forbidden) {
    const auto wait = retry_after(response, response.started_at + response.duration);
    return {wait ? StoreProblem::busy : StoreProblem::credentials,
            "A server before the store, such as a firewall, refuses the call (" + status + ", without JSON).",
            wait};
  }
  return {StoreProblem::wrong_store,
          "The server at the store's address does not have the API of a WooCommerce store: it answers " +
              status + " without JSON."};
}

}  // namespace

bool WooClient::Answer::is_success() const {
  constexpr int first_of_success = 200;
  constexpr int after_success = 300;
  return response.status >= first_of_success && response.status < after_success;
}

bool WooClient::Answer::lacks_endpoint() const { return response.status == 404 && code == "rest_no_route"; }

WooClient::WooClient(StoreCredentials credentials, Send send, const Clock& clock)
    : credentials_(std::move(credentials)),
      send_(std::move(send)),
      clock_(clock),
      https_(credentials_.store_url.starts_with("https://")),
      signing_(https_ ? Signing::basic : Signing::oauth) {}

net::HttpRequest WooClient::request(const Call& call, Signing signing) const {
  net::HttpRequest request;
  request.method = call.method;
  request.fresh_connection = call.method != "GET";
  request.headers.emplace_back("Accept", "application/json");
  request.headers.emplace_back("Cache-Control", "no-cache");  // plugins cache answers to GET
  Parameters parameters = call.parameters;
  std::string signed_uri = credentials_.store_url;
  // Over https, calls are signed only for a site that assumes http, behind a proxy that terminates TLS.
  if (https_) signed_uri.replace(0, std::string_view("https").size(), "http");
  request.url = credentials_.store_url + "/";
  if (plain_permalinks_) {
    parameters.emplace_back("rest_route", "/" + call.route);  // the signed URI of the home page has no slash
  } else {
    signed_uri += "/wp-json/" + call.route;
    request.url += "wp-json/" + call.route;
  }
  if (signing == Signing::in_query) {
    parameters.emplace_back("consumer_key", credentials_.api_key);
    parameters.emplace_back("consumer_secret", credentials_.api_secret);
  } else if (signing == Signing::basic) {
    const std::string pair = credentials_.api_key + ":" + credentials_.api_secret;
    const auto* const bytes = reinterpret_cast<const std::uint8_t*>(pair.data());
    request.headers.emplace_back("Authorization", "Basic " + base64({bytes, pair.size()}));
  }
  const std::string query = signing == Signing::oauth
                                ? oauth1::signed_query(call.method, signed_uri, std::move(parameters),
                                                       {credentials_.api_key, credentials_.api_secret},
                                                       clock_.now(), hex(random_bytes(nonce_bytes)))
                                : oauth1::query(parameters);
  if (!query.empty()) request.url += "?" + query;
  if (!call.body.is_null()) {
    request.headers.emplace_back("Content-Type", "application/json");
    request.body = to_json(call.body);
  }
  return request;
}

asio::awaitable<net::HttpResponse> WooClient::authenticated(const Call& call) {
  Signing signing = signing_;
  auto response = co_await ask(send_, request(call, signing));
  if (response.status == unauthorized && signing == Signing::oauth && call.method == "GET") {
    // A nonce is valid for one call, and a call lost on a kept connection is sent again; a new signature may
    // succeed.
    response = co_await ask(send_, request(call, signing));
  }
  while (response.status == unauthorized && !signing_known_ && signing != Signing::oauth) {
    // If WooCommerce reports an authentication error, it has received the credentials.
    const auto body = parsed(response);
    if (body && text_of(*body, "code") == "woocommerce_rest_authentication_error") break;
    signing = signing == Signing::basic ? Signing::in_query : Signing::oauth;
    response = co_await ask(send_, request(call, signing));
  }
  if (response.status != unauthorized) signing_ = signing;
  co_return response;
}

asio::awaitable<WooClient::Answer> WooClient::call(std::string method, std::string route,
                                                   Parameters parameters, json::value body) {
  const Call call{.method = std::move(method),
                  .route = std::move(route),
                  .parameters = std::move(parameters),
                  .body = std::move(body)};
  auto response = co_await authenticated(call);
  if (is_redirect(response)) {
    throw StoreError(StoreProblem::wrong_store,
                     woo_redirect_text(credentials_.store_url, response.header("location").value_or("")));
  }
  auto value = parsed(response);
  if (!value && !route_known_ && response.status != unauthorized && response.status != forbidden) {
    plain_permalinks_ = !plain_permalinks_;
    auto second = co_await authenticated(call);
    value = parsed(second);
    if (value) {
      response = std::move(second);
    } else {
      plain_permalinks_ = !plain_permalinks_;
    }
  }
  if (!value) throw without_json(response);
  route_known_ = true;
  response.body = {};  // frees the memory, because `value` is read while further calls are made
  Answer answer{.response = std::move(response), .body = std::move(*value), .code = {}, .message = {}};
  if (answer.is_success()) {
    signing_known_ = true;
  } else {
    answer.code = text_of(answer.body, "code");
    answer.message = text_of(answer.body, "message");
  }
  co_return answer;
}

asio::awaitable<WooClient::Answer> WooClient::expect(std::string method, std::string route,
                                                     Parameters parameters, json::value body) {
  auto answer = co_await call(method, std::move(route), std::move(parameters), std::move(body));
  if (!answer.is_success()) throw woo_refusal(answer, method);
  co_return answer;
}

std::string woo_redirect_text(std::string_view store_url, std::string_view location) {
  const std::size_t authority = store_url.find("://") + 3;
  // The query may repeat our credentials.
  std::string target(location.substr(0, location.find_first_of("?#")));
  if (target.starts_with("//")) {
    target.insert(0, store_url.substr(0, authority - 2));
  } else if (target.starts_with('/')) {
    target.insert(0, store_url.substr(0, store_url.find('/', authority)));
  }
  constexpr std::string_view api = "/wp-json";
  const auto scheme = target.find("://");
  const auto path = scheme == std::string::npos ? scheme : target.find('/', scheme + 3);
  auto at = path == std::string::npos ? path : target.find(api, path);
  if (at != std::string::npos && at + api.size() < target.size() && target[at + api.size()] != '/')
    at = std::string::npos;
  const auto address = normal_or_empty(target.substr(0, at != std::string::npos ? at : path));
  if (address == store_url && at != std::string::npos) return "The store redirects the calls of its API.";
  const std::string text = "The store's address redirects to another one";
  constexpr std::size_t longest = 200;
  if (address.empty() || address.size() > longest) return text + ".";
  if (at == std::string::npos) return text + ", on " + address + ".";
  return text + ", at " + address + ": give that address instead.";
}

StoreError woo_refusal(const WooClient::Answer& answer, std::string_view method) {
  const int status = answer.response.status;
  if ((status == unauthorized || status == forbidden) && method != "GET") {
    return {
        StoreProblem::credentials,
        "The store's key may read but not write: under WooCommerce, Settings, Advanced, REST API it needs "
        "the permission Read/Write and a user who manages orders. The store says: " +
            clean_text(answer.message, 150).value_or(std::to_string(status))};
  }
  if (answer.lacks_endpoint()) {
    return {StoreProblem::wrong_store,
            "WordPress answers at the store's address, but without WooCommerce's API (wc/v3)."};
  }
  if (answer.code == "rest_invalid_parameter" &&
      (to_json(answer.body).find("orderby") != std::string::npos ||
       to_json(answer.body).find("modified_after") != std::string::npos)) {
    return {StoreProblem::wrong_store,
            "The store cannot list changes since a given time: WooCommerce 5.8 or later is needed."};
  }
  return refusal(answer.response, answer.message);
}

}  // namespace waybill::connectors
