#include "connectors/medusa/api.hpp"

#include <cstdint>

#include "base/crypto.hpp"
#include "base/percent_encoding.hpp"
#include "connectors/store_call.hpp"
#include "domain/workflows/retry.hpp"

namespace waybill::connectors {
namespace {

constexpr int redirection = 300;
constexpr int client_error = 400;

/// Basic authorization (RFC 7617) with the secret key as user; the password must be empty.
std::string basic_authorization(std::string_view key) {
  const std::string pair = std::string(key) + ":";
  return "Basic " + base64({reinterpret_cast<const std::uint8_t*>(pair.data()), pair.size()});
}

std::string with_query(std::string path, const MedusaQuery& query) {
  char separator = '?';
  for (const auto& [name, value] : query) {
    path += separator + percent_encode(name) + "=" + percent_encode(value);
    separator = '&';
  }
  return path;
}

std::string text_of(const json::object& object, std::string_view name) {
  return clean_text(object.if_contains(name)).value_or("");
}

json::object object_of(const net::HttpResponse& response) {
  auto value = json_of(response);
  if (auto* object = value.if_object()) return std::move(*object);
  throw StoreError(StoreProblem::wrong_store, "The server at the store's address is not a Medusa 2 server.");
}

bool refuses_key(int status) { return status == 401 || status == 403; }

/// Throws unless the answer is a success. HTML pages, such as the one for an unknown path, have no message.
void require_success(const net::HttpResponse& response) {
  if (response.status < redirection) return;
  if (response.status < client_error) {
    const auto location = clean_text(response.header("location").value_or(""), 200);
    throw StoreError(StoreProblem::wrong_store, "The store's address redirects elsewhere" +
                                                    (location ? ": " + *location : std::string()) +
                                                    ". Give the address of its API.");
  }
  json::object body;
  try {
    body = object_of(response);
  } catch (const StoreError&) {
    if (!refuses_key(response.status)) throw;
  }
  const auto message = text_of(body, "message");
  if (response.status == 404 && text_of(body, "type") == "not_found") {
    throw MissingRecord(StoreProblem::refused, "The store says: " + message);
  }
  throw refusal(response, message);
}

}  // namespace

MedusaApi::MedusaApi(const StoreCredentials& credentials, Send send, const Clock& clock)
    : url_(credentials.store_url),
      authorization_(basic_authorization(credentials.api_key)),
      send_(std::move(send)),
      store_time_(clock.now()) {}

asio::awaitable<net::HttpResponse> MedusaApi::call(std::string method, std::string target, std::string body) {
  net::HttpRequest request;
  request.fresh_connection = method != "GET";
  request.method = std::move(method);
  request.url = url_ + target;
  request.headers = {{"Authorization", authorization_}, {"Accept", "application/json"}};
  if (!body.empty()) request.headers.emplace_back("Content-Type", "application/json");
  request.body = std::move(body);
  auto response = co_await ask(send_, std::move(request));
  const auto date = response.header("date");
  const auto parsed = date ? domain::parse_http_date(*date) : std::nullopt;
  store_time_ = parsed.value_or(response.started_at);
  co_return response;
}

asio::awaitable<json::object> MedusaApi::get(std::string path, MedusaQuery query) {
  const auto response = co_await call("GET", with_query(std::move(path), query), {});
  require_success(response);
  co_return object_of(response);
}

asio::awaitable<json::object> MedusaApi::post(std::string path, json::object body) {
  const auto response = co_await call("POST", std::move(path), to_json(body));
  require_success(response);
  co_return object_of(response);
}

asio::awaitable<void> MedusaApi::require_right(std::string path, json::object body) {
  const auto response = co_await call("POST", std::move(path), to_json(body));
  if (refuses_key(response.status)) require_success(response);
}

json::array MedusaApi::records(json::object& answer, std::string_view name) {
  auto* const list = answer.if_contains(name);
  if (list == nullptr || !list->is_array()) {
    throw StoreError(
        StoreProblem::wrong_store,
        "The server at the store's address is not a Medusa 2 server: it lists no " + std::string(name) + ".");
  }
  return std::move(list->get_array());
}

}  // namespace waybill::connectors
