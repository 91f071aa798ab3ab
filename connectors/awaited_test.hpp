#pragma once

#include <utility>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_future.hpp>

namespace waybill::connectors {

/// Runs a coroutine to its end and returns or throws its result, for tests.
template <typename Value>
Value await(boost::asio::awaitable<Value> awaited) {
  boost::asio::io_context io;
  auto future = boost::asio::co_spawn(io, std::move(awaited), boost::asio::use_future);
  io.run();
  return future.get();
}

}  // namespace waybill::connectors
