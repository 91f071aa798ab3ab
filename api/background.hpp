#pragma once

#include <atomic>
#include <cstddef>
#include <string>
#include <type_traits>
#include <utility>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "base/error.hpp"

namespace waybill::api {

namespace asio = boost::asio;

/// A few threads for what would hold up an io thread. Any io thread may call; the coroutine resumes on its
/// own. What waits or is worked on is bounded: one more is refused with UNAVAILABLE. Destroyed before the
/// io_contexts; what still waits is done first.
class Background {
 public:
  struct Options {
    std::size_t threads = 2;
    int most_waiting = 64;
    std::string refusal = "The service is busy with other requests of this kind; try again.";
  };

  Background() : Background(Options{}) {}
  explicit Background(Options options) : options_(std::move(options)), threads_(options_.threads) {}
  ~Background() { threads_.join(); }
  Background(const Background&) = delete;
  Background& operator=(const Background&) = delete;

  /// What `work` returns or throws, on the caller's thread. `work` runs on another thread and owns what it
  /// uses.
  template <class Work>
  asio::awaitable<std::invoke_result_t<Work>> run(Work work) {
    if (waiting_.fetch_add(1) >= options_.most_waiting) {
      waiting_.fetch_sub(1);
      throw Failure(ErrorCode::unavailable, options_.refusal);
    }
    co_return co_await asio::co_spawn(threads_, perform(std::move(work)), asio::use_awaitable);
  }

 private:
  template <class Work>
  asio::awaitable<std::invoke_result_t<Work>> perform(Work work) {
    const struct Done {
      std::atomic<int>& waiting;
      ~Done() { waiting.fetch_sub(1); }
    } done{waiting_};
    co_return work();
  }

  Options options_;
  std::atomic<int> waiting_ = 0;
  asio::thread_pool threads_;
};

}  // namespace waybill::api
