#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "base/clock.hpp"
#include "connectors/carrier_gateway.hpp"
#include "connectors/gateways/connected_carriers.hpp"

namespace waybill::connectors {

/// The longest wait for the rates of a carrier.
inline constexpr Duration rates_limit = std::chrono::seconds(20);

/// A carrier and its answer.
struct AskedCarrier {
  ConnectedCarrier carrier;
  RatesAnswer answer = {};
  std::optional<GatewayError> failure = {};  // the reason why there is no answer
};

/// Opens a connection whose calls end within `rates_limit`.
using OpenForRates = std::function<std::unique_ptr<Gateway>(const ConnectedCarrier&)>;

/// Asks all carriers for rates at the same time, and returns when each has answered or failed, in the given
/// order. A carrier whose connector cannot take the consignment has failed: it is not asked. Resumes on the
/// caller's executor. The calls may outlive a caller that is destroyed: what `open` and its gateways refer to
/// must outlive the executor's coroutines.
asio::awaitable<std::vector<AskedCarrier>> ask_for_rates(std::vector<ConnectedCarrier> carriers,
                                                         Consignment consignment, OpenForRates open);

}  // namespace waybill::connectors
