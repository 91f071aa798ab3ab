#include "net/http/async_http.hpp"

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_future.hpp>
#include <boost/system/system_error.hpp>
#include <gtest/gtest.h>

#include "tests/harness/receiver.hpp"
#include "tests/net/http_client_fixture.hpp"

namespace waybill::net {
namespace {

using tests::Gate;
using tests::Receiver;
using tests::Reply;

HttpRequest get(std::string url) {
  HttpRequest request;
  request.method = "GET";
  request.url = std::move(url);
  return request;
}

TEST(AsyncHttp, ACoroutineResumesOnItsOwnExecutorWithTheResponse) {
  Receiver server;
  server.answer("/", Reply::with_status(201, {}, "made"));
  asio::io_context io;
  HttpClient client(open_options());
  bool on_own_executor = false;
  const auto work = [&]() -> asio::awaitable<HttpResponse> {
    auto response = co_await fetch(client, get(server.url()));
    on_own_executor = io.get_executor().running_in_this_thread();
    co_return response;
  };
  auto result = asio::co_spawn(io, work(), asio::use_future);
  io.run();
  const auto response = result.get();
  EXPECT_EQ(response.status, 201);
  EXPECT_EQ(response.body, "made");
  EXPECT_TRUE(on_own_executor);
}

TEST(AsyncHttp, AFailureIsAResultAndNoException) {
  asio::io_context io;
  HttpClient client(open_options());
  auto result = asio::co_spawn(io, fetch(client, get("http://127.0.0.1:1/")), asio::use_future);
  io.run();
  EXPECT_EQ(result.get().failure, HttpFailure::connect);
}

TEST(AsyncHttp, ACancelledCoroutineResumesAtOnceAndTheLateResponseIsDropped) {
  Receiver server;
  const auto gate = std::make_shared<Gate>();
  server.answer("/", Reply::after(gate));
  asio::io_context io;
  HttpClient client(open_options());
  asio::cancellation_signal signal;
  boost::system::error_code error;
  const auto done = [&](const std::exception_ptr& failure, const HttpResponse&) {
    try {
      if (failure) std::rethrow_exception(failure);
    } catch (const boost::system::system_error& thrown) {
      error = thrown.code();
    }
  };
  asio::co_spawn(io, fetch(client, get(server.url())), asio::bind_cancellation_slot(signal.slot(), done));
  io.poll();  // the coroutine waits
  server.wait_for("/", 1);
  signal.emit(asio::cancellation_type::terminal);
  io.run();  // ends without a response
  EXPECT_EQ(error, asio::error::operation_aborted);
  gate->open();
}

TEST(AsyncHttp, ManyCoroutinesOnManyThreadsGetTheirResponses) {
  Receiver server;
  asio::thread_pool pool(4);
  HttpClient client(open_options());
  std::vector<std::future<HttpResponse>> results;
  for (int i = 0; i < 500; ++i) {
    results.push_back(asio::co_spawn(pool, fetch(client, get(server.url())), asio::use_future));
  }
  for (auto& result : results) EXPECT_EQ(result.get().status, 200);
  pool.join();
}

}  // namespace
}  // namespace waybill::net
