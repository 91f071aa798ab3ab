#include "connectors/gateways/rate_inquiry.hpp"

#include <cstddef>
#include <exception>
#include <utility>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace waybill::connectors {
namespace {

struct Inquiry {
  explicit Inquiry(const asio::any_io_executor& executor)
      : done(executor, asio::steady_timer::time_point::max()) {}

  Consignment consignment;
  OpenForRates open;
  std::vector<AskedCarrier> asked;
  std::size_t waiting = 0;
  asio::steady_timer done;  // cancelled when each has answered
};

asio::awaitable<void> ask(std::shared_ptr<Inquiry> inquiry, std::size_t index) {
  AskedCarrier& asked = inquiry->asked[index];
  const FieldErrors unsupported = unsupported_parts(*asked.carrier.connector, inquiry->consignment);
  if (!unsupported.empty()) {
    const FieldError& first = unsupported.front();
    asked.failure = GatewayError(GatewayError::Problem::refused,
                                 {.code = first.field, .text = first.field + " " + first.message});
    co_return;
  }
  const auto gateway = inquiry->open(asked.carrier);
  try {
    asked.answer = co_await gateway->rates(inquiry->consignment);
  } catch (const GatewayError& error) {
    asked.failure = error;
  }
}

void end(Inquiry& inquiry, std::size_t index, const std::exception_ptr& defect) {
  if (defect) {
    inquiry.asked[index].failure =
        GatewayError(GatewayError::Problem::busy, {.code = "", .text = "The answer cannot be used."});
  }
  if (--inquiry.waiting == 0) inquiry.done.cancel();
}

}  // namespace

asio::awaitable<std::vector<AskedCarrier>> ask_for_rates(std::vector<ConnectedCarrier> carriers,
                                                         Consignment consignment, OpenForRates open) {
  const auto executor = co_await asio::this_coro::executor;
  const auto inquiry = std::make_shared<Inquiry>(executor);
  inquiry->consignment = std::move(consignment);
  inquiry->open = std::move(open);
  for (ConnectedCarrier& carrier : carriers) inquiry->asked.push_back({.carrier = std::move(carrier)});
  inquiry->waiting = inquiry->asked.size();
  for (std::size_t i = 0; i < inquiry->asked.size(); ++i) {
    asio::co_spawn(executor, ask(inquiry, i),
                   [inquiry, i](const std::exception_ptr& defect) { end(*inquiry, i, defect); });
  }
  boost::system::error_code ended;
  if (inquiry->waiting > 0)
    co_await inquiry->done.async_wait(asio::redirect_error(asio::use_awaitable, ended));
  co_return std::move(inquiry->asked);
}

}  // namespace waybill::connectors
