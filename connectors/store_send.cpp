#include "connectors/store_send.hpp"

#include <algorithm>
#include <utility>

#include "net/http/async_http.hpp"

namespace waybill::connectors {
namespace {

net::HttpResponse too_late(Time now) {
  net::HttpResponse response;
  response.failure = net::HttpFailure::timeout;
  response.error = "it took too long";
  response.started_at = now;
  return response;
}

void remove_secret(std::string& text, std::string_view secret) {
  constexpr std::size_t shortest = 4;  // shorter texts are not secret, and occur in ordinary words
  if (secret.size() < shortest) return;
  for (auto at = text.find(secret); at != std::string::npos; at = text.find(secret, at)) {
    text.replace(at, secret.size(), "…");
  }
}

}  // namespace

Send send_until(net::HttpClient& http, const Clock& clock, std::shared_ptr<const Time> deadline) {
  return send_until([&http](net::HttpRequest request) { return net::fetch(http, std::move(request)); }, clock,
                    std::move(deadline));
}

Send send_until(Send send, const Clock& clock, std::shared_ptr<const Time> deadline) {
  return [send = std::move(send), &clock,
          deadline = std::move(deadline)](net::HttpRequest request) -> asio::awaitable<net::HttpResponse> {
    const Time now = clock.now();
    if (now >= *deadline) co_return too_late(now);
    request.total_timeout = std::min<Duration>(request.total_timeout, *deadline - now);
    co_return co_await send(std::move(request));
  };
}

std::string without_secrets(std::string text, const StoreCredentials& credentials) {
  remove_secret(text, credentials.api_key);
  remove_secret(text, credentials.api_secret);
  return text;
}

}  // namespace waybill::connectors
