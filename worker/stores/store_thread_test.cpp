#include "worker/stores/store_thread.hpp"

#include <chrono>
#include <future>
#include <string>
#include <utility>

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <gtest/gtest.h>

namespace waybill::worker {
namespace {

using namespace std::chrono_literals;
using asio::ip::tcp;

class StoreThreadTest : public testing::Test {
 protected:
  StoreThreadTest() { thread_.start(); }

  net::HttpRequest silent_request() const {
    net::HttpRequest request;
    request.url = "http://127.0.0.1:" + std::to_string(silent_store_.local_endpoint().port()) + "/";
    request.total_timeout = 60s;
    return request;
  }

  asio::awaitable<void> fetch(StoreTasks& tasks, std::promise<net::HttpResponse>& done) const {
    done.set_value(co_await tasks.fetch(silent_request()));
  }

  asio::awaitable<void> sleep(Duration duration, bool& has_ended) {
    asio::steady_timer timer(thread_.io(), duration);
    started_.set_value();
    co_await timer.async_wait(asio::use_awaitable);
    has_ended = true;
  }

  asio::awaitable<void> read_after(Duration duration, std::promise<std::string>& error) {
    asio::steady_timer timer(thread_.io(), duration);
    started_.set_value();
    co_await timer.async_wait(asio::use_awaitable);
    try {
      thread_.database();
      error.set_value("none");
    } catch (const storage::DatabaseUnavailable& unavailable) {
      error.set_value(unavailable.what());
    }
  }

  asio::io_context io_;
  tcp::acceptor silent_store_{io_, {asio::ip::address_v4::loopback(), 0}};  // connects and never answers
  std::promise<void> started_;
  StoreThread thread_{{.database_url = "postgresql://127.0.0.1:1/none",
                       .destinations = {.allow_private = true},
                       .ca_file = {}}};
};

TEST_F(StoreThreadTest, ARequestToASilentStoreEndsAsCancelledOnceItsTasksStop) {
  StoreTasks tasks(thread_);
  std::promise<net::HttpResponse> first, second;
  tasks.spawn(fetch(tasks, first));
  auto in_flight = first.get_future();
  const auto connection = silent_store_.accept();  // of the request
  EXPECT_EQ(in_flight.wait_for(0s), std::future_status::timeout);
  bool is_woken = false;
  tasks.stop([&] { is_woken = true; });
  tasks.spawn(fetch(tasks, second));
  tasks.wait(5s);
  EXPECT_TRUE(is_woken);
  EXPECT_EQ(in_flight.get().failure, net::HttpFailure::cancelled);
  EXPECT_EQ(second.get_future().get().failure, net::HttpFailure::cancelled);
  thread_.stop_at_once();
}

TEST_F(StoreThreadTest, TasksContinueAfterOthersStop) {
  StoreTasks imports(thread_);
  StoreTasks tracking(thread_);
  std::promise<net::HttpResponse> first, second;
  imports.spawn(fetch(imports, first));
  tracking.spawn(fetch(tracking, second));
  auto in_flight = second.get_future();
  imports.stop([] {});
  imports.wait(5s);
  EXPECT_EQ(first.get_future().get().failure, net::HttpFailure::cancelled);
  EXPECT_EQ(in_flight.wait_for(100ms), std::future_status::timeout);
  tracking.stop([] {});
  thread_.stop_at_once();
  EXPECT_EQ(in_flight.get().failure, net::HttpFailure::cancelled);
}

TEST_F(StoreThreadTest, StopWaitsForACoroutine) {
  StoreTasks tasks(thread_);
  bool has_ended = false;
  tasks.spawn(sleep(200ms, has_ended));
  started_.get_future().wait();
  tasks.stop([] {});
  thread_.stop_at_once();
  EXPECT_TRUE(has_ended);
}

TEST_F(StoreThreadTest, StopDoesNotWaitForAnAbandonedCoroutine) {
  StoreTasks tasks(thread_);
  bool has_ended = false;
  tasks.spawn(sleep(1h, has_ended));
  started_.get_future().wait();
  tasks.stop([] {});
  tasks.wait(0s);
  thread_.stop_at_once();
  EXPECT_FALSE(has_ended);
}

TEST_F(StoreThreadTest, AnInterruptedCoroutineCanStillReleaseALock) {
  StoreTasks tasks(thread_);
  std::promise<std::string> error;
  tasks.spawn(read_after(100ms, error));
  started_.get_future().wait();
  tasks.stop([] {});
  thread_.stop_at_once();
  EXPECT_EQ(error.get_future().get(), "none");
}

TEST_F(StoreThreadTest, TheDatabaseIsUnavailableIfTheThreadStopsForLonger) {
  StoreTasks tasks(thread_);
  std::promise<std::string> error;
  tasks.spawn(read_after(1500ms, error));
  started_.get_future().wait();
  tasks.stop([] {});
  thread_.stop_at_once();
  EXPECT_EQ(error.get_future().get(), "the worker is stopping");
}

}  // namespace
}  // namespace waybill::worker
