#include "connectors/easypost/client.hpp"

#include <utility>

#include "base/crypto.hpp"

namespace waybill::connectors::easypost {
namespace {

std::string base_url(std::string url) {
  while (url.ends_with('/')) url.pop_back();
  return url.empty() ? "https://api.easypost.com/v2" : url;
}

}  // namespace

Client::Client(const GatewayAccount& account, Send send)
    : url_(base_url(account.api_url)), key_(account.api_key), send_(std::move(send)) {}

net::HttpRequest Client::request(std::string method, const std::string& path, Duration time_out) const {
  const std::string pair = key_ + ":";
  const auto* const bytes = reinterpret_cast<const std::uint8_t*>(pair.data());
  net::HttpRequest request;
  request.method = std::move(method);
  request.url = url_ + path;
  request.headers = {{"Accept", "application/json"},
                     {"Authorization", "Basic " + base64({bytes, pair.size()})}};
  request.total_timeout = time_out;
  return request;
}

asio::awaitable<Answer> Client::get(std::string path, Duration time_out, std::size_t limit) {
  auto made = request("GET", path, time_out);
  made.read_limit = limit;
  made.keep_limit = limit;
  co_return read_answer(co_await send_(std::move(made)), key_);
}

asio::awaitable<Answer> Client::post(std::string path, std::string body, Duration time_out) {
  auto made = request("POST", path, time_out);
  made.fresh_connection = true;
  made.headers.emplace_back("Content-Type", "application/json");
  made.body = std::move(body);
  made.read_limit = usual_answer;
  made.keep_limit = usual_answer;
  co_return read_answer(co_await send_(std::move(made)), key_);
}

asio::awaitable<net::HttpResponse> Client::file(std::string link, Duration time_out) {
  net::HttpRequest made;
  made.method = "GET";
  made.url = std::move(link);
  made.total_timeout = time_out;
  made.read_limit = largest_label + 1;
  made.keep_limit = largest_label + 1;
  co_return co_await send_(std::move(made));
}

}  // namespace waybill::connectors::easypost
