#include "base/thread/run_on.hpp"

#include <utility>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace waybill {
namespace {

namespace asio = boost::asio;

asio::awaitable<void> call(std::function<void()> work) {
  work();
  co_return;
}

}  // namespace

asio::awaitable<void> run_on(asio::io_context& io, std::function<void()> work) {
  co_await asio::co_spawn(io, call(std::move(work)), asio::use_awaitable);
}

}  // namespace waybill
