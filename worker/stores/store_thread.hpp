#pragma once

#include <cstddef>
#include <functional>
#include <future>
#include <memory>
#include <string>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include "base/clock.hpp"
#include "base/thread/service.hpp"
#include "base/thread/thread.hpp"
#include "net/destination/destination.hpp"
#include "net/http/http_client.hpp"
#include "storage/database/database.hpp"

namespace waybill::worker {

namespace asio = boost::asio;

/// The thread on which a worker talks to stores: imports and attempts to send tracking are its coroutines and
/// share its HTTP client and database connections. Pages of imports (Cause::business) use all write
/// connections but one, and those of one business all but two; one is reserved for claims, leases and locks,
/// so that no page delays tracking. Reconnects automatically. A crash loses the coroutines: a page is
/// committed or read again, and an attempt is repeated under the lease of its run.
class StoreThread final : public Service {
 public:
  struct Options {
    std::string database_url;
    net::DestinationPolicy destinations;
    std::string ca_file;
    int read_connections = 2;
    int write_connections = 5;
  };

  explicit StoreThread(const Options& options);
  ~StoreThread() override { stop_at_once(); }

  void start() override;
  /// Waits for all coroutines that are not abandoned and joins. After a second, their database calls fail.
  /// All StoreTasks must be stopped, and must exist until then.
  void stop(Moment until) override;

  asio::io_context& io() { return io_; }
  /// On this thread only. Throws DatabaseUnavailable a second after `stop` has begun.
  storage::Database& database();

 private:
  friend class StoreTasks;

  void end_if_idle();

  asio::io_context io_{1};
  const asio::executor_work_guard<asio::io_context::executor_type> work_guard_{io_.get_executor()};
  std::unique_ptr<net::HttpClient> http_;
  // The following members are used by thread_ only.
  std::unique_ptr<storage::Database> database_;
  std::size_t open_ = 0;  // coroutines that have not ended and are not abandoned
  bool is_stopping_ = false;
  asio::steady_timer last_calls_{io_};
  Thread thread_{ThreadKind::stores};
};

/// Coroutines and requests on a StoreThread that stop together. Destroy it after the thread has stopped and
/// before the thread is destroyed.
class StoreTasks {
 public:
  explicit StoreTasks(StoreThread& thread);
  StoreTasks(const StoreTasks&) = delete;
  StoreTasks& operator=(const StoreTasks&) = delete;

  /// Runs a coroutine, which must not throw. Any thread.
  void spawn(asio::awaitable<void> work);

  /// Sends a request. It fails as cancelled after `stop`, also if it is in flight. On the thread only.
  asio::awaitable<net::HttpResponse> fetch(net::HttpRequest request);

  /// True after `stop`. On the thread only.
  bool is_stopping() const { return is_stopping_; }

  /// Ends the requests, then calls `wake` on the thread to resume coroutines that wait. Any other thread;
  /// once.
  void stop(std::function<void()> wake);

  /// Waits after `stop` up to `limit` for all coroutines to end, and abandons the rest: they are destroyed
  /// when the thread stops, as in a crash. Any other thread; once.
  void wait(Duration limit);

 private:
  asio::awaitable<void> run(asio::awaitable<void> work);
  asio::awaitable<void> until_stopped();
  void end_if_idle();

  StoreThread& thread_;
  asio::steady_timer stopped_;  // never expires; cancelled by `stop`
  std::size_t open_ = 0;        // coroutines that have not ended
  bool is_stopping_ = false;
  bool has_ended_ = false;
  bool is_abandoned_ = false;
  std::promise<void> ended_;
};

}  // namespace waybill::worker
