#include "app/demo/api_client.hpp"

#include <future>
#include <utility>
#include <variant>

#include "app/accounts/accounts.hpp"

namespace waybill::app {

ApiClient::ApiClient(std::string base_url, std::string token)
    : base_url_(std::move(base_url)), token_(std::move(token)), http_(net::HttpClient::Options{}) {}

ApiClient::Answer ApiClient::call(std::string_view method, std::string_view path, const json::value& body) {
  net::HttpRequest request;
  request.method = method;
  request.url = base_url_ + std::string(path);
  request.headers.emplace_back("Accept", "application/json");
  if (!token_.empty()) request.headers.emplace_back("Authorization", "Bearer " + token_);
  if (!body.is_null()) {
    request.headers.emplace_back("Content-Type", "application/json");
    request.body = json::serialize(body);
  }
  request.read_limit = request.keep_limit = 4 << 20;
  request.guarded = false;
  std::promise<net::HttpResponse> promise;
  auto future = promise.get_future();
  http_.send(std::move(request),
             [&promise](net::HttpResponse response) { promise.set_value(std::move(response)); });
  const net::HttpResponse response = future.get();
  if (response.failure != net::HttpFailure::none) {
    throw CommandError("no server answers at " + base_url_ + " (" + response.error +
                       "): is `waybill up` running?");
  }
  auto parsed = parse_json(response.body);
  auto* value = std::get_if<json::value>(&parsed);
  return {response.status, value != nullptr ? std::move(*value) : json::value()};
}

json::value ApiClient::data(std::string_view method, std::string_view path, const json::value& body) {
  Answer answer = call(method, path, body);
  const json::object* object = answer.body.if_object();
  if (answer.status / 100 == 2 && object != nullptr && object->contains("data")) return object->at("data");
  throw CommandError(std::string(method) + " " + std::string(path) + " was answered with " +
                     std::to_string(answer.status) + ": " + json::serialize(answer.body));
}

}  // namespace waybill::app
