#pragma once

#include <future>
#include <memory>
#include <string>
#include <thread>
#include <utility>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_future.hpp>
#include <gtest/gtest.h>

#include "storage/database/database.hpp"
#include "tests/harness/eventually.hpp"
#include "tests/harness/postgres.hpp"

namespace waybill::tests {

namespace asio = boost::asio;

inline constexpr storage::Statement backend{"test.backend", "select pg_backend_pid()"};

/// A database without tables, and a storage::Database on it that runs on a separate io thread; the test's
/// thread may block. One connection of each kind by default, and no limit
/// of the wait for locks.
class DatabaseTest : public testing::Test {
 protected:
  ~DatabaseTest() override { stop(); }

  storage::Database::Options options() const {
    return {.url = server_.url(),
            .application_name = "tested",
            .read_connections = 1,
            .write_connections = 1,
            .long_connections = 1,
            .lock_timeout = {}};
  }

  /// Runs a coroutine on the io thread.
  template <typename Body>
  auto start(Body body) {
    return asio::co_spawn(io_, std::move(body), asio::use_future);
  }
  template <typename Body>
  auto run(Body body) {
    return start(std::move(body)).get();
  }
  /// Runs a function on the io thread.
  template <typename Function>
  auto on_io(Function function) {
    return asio::post(io_, std::packaged_task<decltype(function())()>(std::move(function))).get();
  }

  storage::Database& open() { return open(options()); }
  storage::Database& open(storage::Database::Options options) {
    return *on_io(
        [&] { return (database_ = std::make_unique<storage::Database>(io_, std::move(options))).get(); });
  }
  void close() {
    on_io([this] { database_.reset(); });
  }
  /// Stops the io thread.
  void stop() {
    if (!thread_.joinable()) return;
    close();
    work_.reset();
    thread_.join();
  }

  /// The first value of a read.
  std::string read(const storage::Statement& statement, storage::Params params = {}) {
    return run([&]() -> asio::awaitable<std::string> {
      const auto rows = co_await database_->read(statement, std::move(params));
      co_return std::string(rows.get(0, 0));
    });
  }
  storage::Rows write(const storage::Statement& statement, storage::Params params = {},
                      storage::Cause cause = {}) {
    return run([&] { return database_->write(statement, std::move(params), cause); });
  }

  /// Waits until the tested connection with this query in flight waits for a lock.
  void wait_for_blocked(std::string_view query_part) {
    ASSERT_TRUE(eventually([&] {
      return server_.number(
                 "select count(*) from pg_stat_activity where wait_event_type = 'Lock'"
                 " and application_name = 'tested' and query like '%' || $1 || '%'",
                 {std::string(query_part)}) > 0;
    }));
  }
  /// Ends the tested connections and no others.
  void terminate_tested() {
    server_.exec(
        "select pg_terminate_backend(pid, 10000) from pg_stat_activity where application_name = 'tested'");
  }

  TestDatabase server_{TestDatabase::Content::empty};
  asio::io_context io_{1};
  std::unique_ptr<storage::Database> database_;

 private:
  asio::executor_work_guard<asio::io_context::executor_type> work_ = asio::make_work_guard(io_);
  std::thread thread_{[this] { io_.run(); }};
};

/// The SQLSTATE of the error thrown by an awaited or blocking call, "unavailable", or "" without an error.
template <typename Call>
std::string failure_of(Call call) {
  try {
    call();
    return "";
  } catch (const storage::StatementError& error) {
    return error.sqlstate();
  } catch (const storage::DatabaseUnavailable&) {
    return "unavailable";
  }
}

}  // namespace waybill::tests
