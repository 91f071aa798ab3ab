#pragma once

#include <exception>
#include <string_view>
#include <utility>
#include <variant>

#include <boost/asio/awaitable.hpp>

#include "base/observe.hpp"
#include "connectors/carrier_gateway.hpp"

namespace waybill::worker {

namespace asio = boost::asio;

/// Awaits an answer. An exception that the gateway's contract does not allow proves nothing.
template <typename Answer>
asio::awaitable<Answer> or_unknown(asio::awaitable<Answer> call, Answer unknown) {
  try {
    co_return co_await std::move(call);
  } catch (const std::exception& error) {
    observe(Observable::purchase_failed, {{"error", std::string_view(error.what())}});
  }
  co_return unknown;
}

/// Awaits an answer or its failure.
template <typename Answer>
asio::awaitable<std::variant<Answer, connectors::GatewayError>> or_error(asio::awaitable<Answer> call) {
  try {
    co_return co_await std::move(call);
  } catch (const connectors::GatewayError& error) {
    co_return error;
  }
}

}  // namespace waybill::worker
