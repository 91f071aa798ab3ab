#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <utility>

#include <boost/asio/associated_cancellation_slot.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/error.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "net/http/http_client.hpp"

namespace waybill::net {

namespace asio = boost::asio;

namespace detail {

/// A coroutine that waits for an answer or for its cancellation, whichever comes first.
template <typename Handler>
class Waiting {
 public:
  Waiting(Handler handler, const asio::any_io_executor& executor)
      : handler_(std::move(handler)), work_(executor) {}

  /// Resumes the coroutine on its own executor; later calls do nothing. Any thread.
  static void resume(const std::shared_ptr<Waiting>& self, boost::system::error_code error,
                     HttpResponse response) {
    if (self->over_.exchange(true)) return;
    asio::post(self->work_->get_executor(), [self, error, response = std::move(response)]() mutable {
      Handler handler = std::move(*self->handler_);
      self->handler_.reset();
      self->work_.reset();
      asio::get_associated_cancellation_slot(handler).clear();
      handler(error, std::move(response));
    });
  }

 private:
  std::optional<Handler> handler_;
  std::optional<asio::executor_work_guard<asio::any_io_executor>> work_;
  std::atomic<bool> over_ = false;
};

}  // namespace detail

/// Sends a request and returns its answer; the coroutine resumes on its own executor. A cancelled coroutine
/// resumes at once with boost::system::system_error (operation_aborted); the request still runs to its end,
/// and its answer is dropped. Destroy the client before you stop an executor whose coroutines are not done.
inline asio::awaitable<HttpResponse> fetch(HttpClient& client, HttpRequest request) {
  const asio::any_io_executor executor = co_await asio::this_coro::executor;
  co_return co_await asio::async_initiate<const asio::use_awaitable_t<>,
                                          void(boost::system::error_code, HttpResponse)>(
      [&client, &executor, &request](auto handler) {
        using Shared = detail::Waiting<decltype(handler)>;
        auto slot = asio::get_associated_cancellation_slot(handler);
        const auto waiting = std::make_shared<Shared>(std::move(handler), executor);
        if (slot.is_connected()) {
          slot.assign([waiting](asio::cancellation_type) {
            Shared::resume(waiting, asio::error::operation_aborted, {});
          });
        }
        client.send(std::move(request),
                    [waiting](HttpResponse response) { Shared::resume(waiting, {}, std::move(response)); });
      },
      asio::use_awaitable);
}

}  // namespace waybill::net
