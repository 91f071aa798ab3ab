#include "net/async_http.hpp"

#include <memory>
#include <utility>

#include <boost/asio/async_result.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace waybill::net {

namespace asio = boost::asio;

asio::awaitable<HttpResponse> fetch(HttpClient& client, HttpRequest request) {
  const auto executor = co_await asio::this_coro::executor;
  co_return co_await asio::async_initiate<const asio::use_awaitable_t<>, void(HttpResponse)>(
      [&client, &request, executor](auto handler) {
        // `done` must be copyable, and the handler is not.
        const auto waiting = std::make_shared<decltype(handler)>(std::move(handler));
        const auto work = asio::make_work_guard(executor);
        client.send(std::move(request), [waiting, work, executor](HttpResponse response) {
          asio::post(executor,
                     [waiting, answer = std::move(response)]() mutable { (*waiting)(std::move(answer)); });
        });
      },
      asio::use_awaitable);
}

}  // namespace waybill::net
