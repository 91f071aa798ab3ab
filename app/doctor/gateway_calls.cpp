#include "app/doctor/gateway_calls.hpp"

#include <chrono>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>

#include "app/keys/keys.hpp"
#include "base/clock.hpp"
#include "base/guid.hpp"
#include "base/secret_box.hpp"
#include "connectors/carrier_gateway.hpp"
#include "connectors/gateways/connected_carriers.hpp"
#include "connectors/gateways/gateways.hpp"
#include "storage/sql/doctor.sql.hpp"

namespace waybill::app {
namespace {

namespace asio = boost::asio;
using connectors::GatewayError;

constexpr std::int64_t most_asked = 50;
constexpr Duration time_limit = std::chrono::seconds(10);

bool is_away(GatewayError::Problem problem) {
  return problem == GatewayError::Problem::unreachable || problem == GatewayError::Problem::busy;
}

/// Looks up a purchase that nobody made. `known` has the names of the carrier.
asio::awaitable<void> ask(std::unique_ptr<connectors::Gateway> gateway, GatewayFault known,
                          GatewayFacts& facts) {
  try {
    co_await gateway->find("", Guid::random().to_string());
    co_return;
  } catch (const GatewayError& error) {
    known.text = error.message().text;
    known.is_away = is_away(error.problem());
  } catch (const std::exception& error) {
    known.text = error.what();
  }
  facts.faults.push_back(std::move(known));
}

}  // namespace

GatewayFacts ask_gateways(storage::blocking::Connection& session, const Config& config) {
  GatewayFacts facts;
  const auto rows = session.run(sql::doctor::Gateways{.limit = most_asked});
  if (rows.empty()) return facts;
  const SecretBox secrets(read_keys(config));
  asio::io_context io;
  connectors::Gateways gateways({.policy = {.allow_private = config.allow_private_destinations},
                                 .ca_file = config.ca_file,
                                 .own = config.carrier_gateways});
  facts.configured = rows.front().total;
  for (const auto& row : rows) {
    const auto* const connector = connectors::find_gateway(row.connector);
    if (connector == nullptr) continue;
    connectors::GatewayAccount account{
        .api_url = std::string(row.api_url.value_or("")),
        .api_key = connectors::open_carrier_key(secrets, row.business, row.carrier, row.sealed_key),
        .account_number = std::string(row.account_number.value_or("")),
        .test_mode = row.test_mode};
    GatewayFault known{.carrier = std::string(row.carrier_name),
                       .business = std::string(row.business_name),
                       .connector = std::string(row.connector),
                       .text = {},
                       .is_operators = gateways.is_own(account.api_url)};
    ++facts.asked;
    asio::co_spawn(
        io,
        ask(gateways.open(*connector, std::move(account), row.business, system_clock(), time_limit),
            std::move(known), facts),
        asio::detached);
  }
  io.run();
  return facts;
}

}  // namespace waybill::app
