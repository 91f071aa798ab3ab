#pragma once

#include <atomic>
#include <cstddef>
#include <exception>
#include <string>
#include <utility>

#include <boost/asio/associated_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "base/error.hpp"

namespace waybill::api {

/// A few threads for what would hold up an io thread. Any io thread may call; the coroutine resumes on its
/// own. What waits or is worked on is bounded: one more is refused with UNAVAILABLE. The destructor finishes
/// what waits.
class Background {
 public:
  struct Options {
    std::size_t threads = 2;
    int most_waiting = 64;
    std::string refusal = "Too many such requests are being worked on; try again.";
  };

  explicit Background(Options options) : options_(std::move(options)), threads_(options_.threads) {}
  ~Background() { threads_.join(); }
  Background(const Background&) = delete;
  Background& operator=(const Background&) = delete;

  /// What `work` returns or throws.
  template <class Result, class Work>
  boost::asio::awaitable<Result> run(Work work) {
    if (waiting_.fetch_add(1) >= options_.most_waiting) {
      waiting_.fetch_sub(1);
      throw Failure(ErrorCode::unavailable, options_.refusal);
    }
    return post<Result>(std::move(work));
  }

 private:
  template <class Result, class Work>
  boost::asio::awaitable<Result> post(Work work) {
    namespace asio = boost::asio;
    return asio::async_initiate<const asio::use_awaitable_t<>, void(std::exception_ptr, Result)>(
        [this](auto handler, Work task) {
          const auto executor = asio::get_associated_executor(handler);
          asio::post(threads_, [this, executor, guard = asio::make_work_guard(executor),
                                handler = std::move(handler), task = std::move(task)]() mutable {
            std::exception_ptr error;
            Result result{};
            try {
              result = task();
            } catch (...) {
              error = std::current_exception();
            }
            waiting_.fetch_sub(1);
            asio::post(executor, [handler = std::move(handler), error, result = std::move(result)]() mutable {
              std::move(handler)(error, std::move(result));
            });
          });
        },
        asio::use_awaitable, std::move(work));
  }

  Options options_;
  std::atomic<int> waiting_ = 0;
  boost::asio::thread_pool threads_;
};

}  // namespace waybill::api
