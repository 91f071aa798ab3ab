#include "connectors/gateways/gateways.hpp"

#include <algorithm>
#include <utility>

#include "connectors/store_send.hpp"
#include "net/http/counted_response.hpp"

namespace waybill::connectors {
namespace {

constexpr std::size_t calls_of_business = 4;

net::HttpClient::Options client_options(const Gateways::Options& options) {
  net::HttpClient::Options client;
  client.policy = options.policy;
  client.ca_file = options.ca_file;
  return client;
}

net::HttpResponse not_sent(net::HttpFailure failure, const char* reason, Time now) {
  net::HttpResponse response;
  response.failure = failure;
  response.error = reason;
  response.started_at = now;
  return response;
}

}  // namespace

Gateways::Gateways(Options options)
    : options_(std::move(options)), places_(calls_of_business), http_(client_options(options_)) {}

bool Gateways::is_own(std::string_view url) const {
  return std::ranges::find(options_.own, url) != options_.own.end();
}

std::optional<std::string> Gateways::url_problem(std::string_view url) const {
  if (is_own(url)) return std::nullopt;
  if (!url.starts_with("https://"))
    return "must begin with https://, or be a gateway that the operator has named";
  return net::check_url(url, options_.policy);
}

std::unique_ptr<Gateway> Gateways::open(const GatewayConnector& connector, GatewayAccount account,
                                        const Guid& business, const Clock& clock, Duration limit, Turn turn) {
  const auto deadline = std::make_shared<const Time>(clock.now() + limit);
  // Requests to other addresses than the account's, such as links in answers, are guarded all the same.
  const std::string unguarded = is_own(account.api_url) ? account.api_url + "/" : std::string();
  const auto send = [this, &clock, business, unguarded, deadline, turn,
                     until = send_until(http_, clock, deadline),
                     owner = std::string(connector.name()) + business.to_string()](
                        net::HttpRequest request) -> asio::awaitable<net::HttpResponse> {
    std::shared_ptr<void> place;
    if (turn == Turn::in_line) {
      place = co_await places_.take(owner, *deadline - clock.now());
      if (!place) {
        co_return not_sent(net::HttpFailure::timeout, "Too many calls of the business wait.", clock.now());
      }
    }
    if (is_closed_) co_return not_sent(net::HttpFailure::cancelled, "The process is stopping.", clock.now());
    request.guarded = unguarded.empty() || !request.url.starts_with(unguarded);
    request.owner = business.to_string();
    const auto destination = net::parse_destination(request.url);
    net::HttpResponse response = co_await until(std::move(request));
    if (destination) {
      count_response(options_.counts,
                     {.business = business,
                      .kind = net::DestinationKind::carrier,
                      .destination = destination->key(),
                      .at = clock.now(),
                      .health = {.places = calls_of_business}},
                     response);
    }
    co_return response;
  };
  return connector.open(std::move(account), send, clock);
}

}  // namespace waybill::connectors
