#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>

#include "base/guid.hpp"
#include "base/thread/service.hpp"
#include "base/thread/shared_call.hpp"
#include "base/thread/thread.hpp"

namespace waybill::api {

namespace asio = boost::asio;

/// A few threads for work that would block an io thread. Called on any io thread, on which the coroutine
/// resumes. Businesses share the threads and the limits of SharedPlaces: a business leaves a thread to
/// others, a free thread goes to them in turns, and nobody's work is refused because others wait. Refused
/// work fails with UNAVAILABLE. Stop it before the io_contexts are destroyed.
class Background final : public Service {
 public:
  struct Options {
    ThreadKind kind = ThreadKind::background;
    std::size_t threads = 2;
    std::size_t most = 64;         // waiting or running; beyond it, a business has its share of them
    std::size_t most_of_one = 32;  // waiting or running, of one business
    std::string refusal = "The service has too many requests of this kind; try again.";
  };

  Background() : Background(Options{}) {}
  explicit Background(const Options& options);
  ~Background() override { stop_at_once(); }

  /// Finishes running work and refuses waiting work.
  void stop(Moment until) override;

  /// Returns or throws the result of `work`, on the caller's thread. `work` runs on another thread and owns
  /// the objects that it uses.
  template <class Work>
  asio::awaitable<std::invoke_result_t<Work&>> run(Guid business, Work work) {
    const SharedCall<Work> call(std::move(work));
    co_await perform(business, call);
    co_return call.take();
  }
  template <class Work>
  asio::awaitable<std::invoke_result_t<Work&>> run(Work work) {
    return run(Guid(), std::move(work));
  }

  /// As `run` if the work is long; otherwise runs it here.
  template <class Work>
  asio::awaitable<std::invoke_result_t<Work&>> run_if(bool is_long, Guid business, Work work) {
    if (is_long) co_return co_await run(business, std::move(work));
    co_return work();
  }

  /// True if work waits for a thread.
  bool is_busy() const;

 private:
  class State;

  /// The right to one thread until it is destroyed.
  class Turn {
   public:
    Turn(std::shared_ptr<State> state, const Guid& business)
        : state_(std::move(state)), business_(business) {}
    ~Turn();
    Turn(Turn&&) noexcept = default;
    Turn& operator=(Turn&&) = delete;

   private:
    std::shared_ptr<State> state_;
    Guid business_;
  };

  static asio::awaitable<Turn> take_turn(std::shared_ptr<State> state, Guid business);

  /// Does the work on another thread.
  asio::awaitable<void> perform(Guid business, std::function<void()> work);

  void serve();

  std::shared_ptr<State> state_;  // shared with the turns
  asio::io_context work_;
  asio::executor_work_guard<asio::io_context::executor_type> guard_ = asio::make_work_guard(work_);
  std::vector<Thread> threads_;
};

}  // namespace waybill::api
