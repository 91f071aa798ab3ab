#include "api/threads/stores.hpp"

#include <utility>

#include "connectors/store_send.hpp"

namespace waybill::api {
namespace {

constexpr std::size_t connections_to_a_store = 8;

net::HttpClient::Options client_options(const Stores::Options& options) {
  net::HttpClient::Options client;
  client.policy = options.policy;
  client.ca_file = options.ca_file;
  client.max_connections_per_host = connections_to_a_store;
  return client;
}

}  // namespace

Stores::Stores(Options options)
    : connectors_(std::move(options.connectors)), http_(client_options(options)) {}

std::unique_ptr<connectors::Store> Stores::open(const connectors::Connector& connector,
                                                connectors::StoreCredentials credentials, const Clock& clock,
                                                Duration limit) {
  const auto deadline = std::make_shared<const Time>(clock.now() + limit);
  return connector.open(std::move(credentials), connectors::send_until(http_, clock, deadline), clock,
                        connectors_);
}

}  // namespace waybill::api
