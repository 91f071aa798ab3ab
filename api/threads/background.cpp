#include "api/threads/background.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <deque>
#include <unordered_map>

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "base/error.hpp"
#include "base/free_memory.hpp"
#include "base/thread/mutex.hpp"
#include "base/thread/run_on.hpp"

namespace waybill::api {
namespace {

constexpr std::chrono::seconds idle_interval{2};
constexpr int idle_releases = 10;

}  // namespace

/// The businesses with waiting or running work. Thread-safe.
class Background::State {
 public:
  explicit State(Options options)
      : options_(std::move(options)), share_(std::max<std::size_t>(options_.threads, 2) - 1) {}

  using Handler = asio::async_result<asio::use_awaitable_t<>, void(std::exception_ptr)>::handler_type;
  struct Waiter {
    Handler handler;
    asio::any_io_executor executor;
  };

  /// True if the caller has a thread; otherwise it must call `wait`. Throws Failure if there is too much
  /// work.
  bool enter(const Guid& business) {
    const Lock lock(mutex_);
    Holder& holder = holders_[business];
    const bool is_too_much = !business.is_nil() &&
                             holder.running + holder.expected + holder.waiting.size() >= options_.most_of_one;
    if (total_ >= options_.most_waiting || is_too_much) {
      forget_if_idle(business);
      throw Failure(ErrorCode::unavailable, options_.refusal);
    }
    ++total_;
    const bool is_free = running_ < options_.threads && has_share_left(business, holder);
    if (is_free) {
      begin(holder);
    } else {
      ++holder.expected;
    }
    return is_free;
  }

  void wait(const Guid& business, Waiter waiter) {
    const Lock lock(mutex_);
    Holder& holder = holders_[business];
    --holder.expected;
    if (closed_) return refuse(std::move(waiter));
    holder.waiting.push_back(std::move(waiter));
    ++waiting_;
    serve();
  }

  void leave(const Guid& business) {
    const Lock lock(mutex_);
    --holders_[business].running;
    --running_;
    --total_;
    forget_if_idle(business);
    serve();
  }

  void close() {
    const Lock lock(mutex_);
    closed_ = true;
    for (auto& [business, holder] : holders_) {
      for (Waiter& waiter : std::exchange(holder.waiting, {})) refuse(std::move(waiter));
    }
  }

  bool is_busy() const {
    const Lock lock(mutex_);
    return waiting_ > 0;
  }

 private:
  struct Holder {
    std::size_t running = 0;
    std::size_t expected = 0;  // callers between `enter` and `wait`
    std::uint64_t last_turn = 0;
    std::deque<Waiter> waiting;
  };

  bool has_share_left(const Guid& business, const Holder& holder) const {
    return business.is_nil() || holder.running < share_;
  }

  void begin(Holder& holder) REQUIRES(mutex_) {
    ++holder.running;
    ++running_;
    holder.last_turn = ++turns_;
  }

  void forget_if_idle(const Guid& business) REQUIRES(mutex_) {
    const auto entry = holders_.find(business);
    const Holder& holder = entry->second;
    if (holder.running + holder.expected + holder.waiting.size() == 0) holders_.erase(entry);
  }

  /// Gives free threads to waiting work: of the business with the fewest threads first, then of the business
  /// with the oldest turn.
  void serve() REQUIRES(mutex_) {
    while (running_ < options_.threads) {
      Holder* next = nullptr;
      for (auto& [business, holder] : holders_) {
        if (holder.waiting.empty() || !has_share_left(business, holder)) continue;
        const auto rank = [](const Holder& each) { return std::pair(each.running, each.last_turn); };
        if (next == nullptr || rank(holder) < rank(*next)) next = &holder;
      }
      if (next == nullptr) return;
      begin(*next);
      --waiting_;
      resume(std::move(next->waiting.front()), nullptr);
      next->waiting.pop_front();
    }
  }

  void refuse(Waiter waiter) {
    resume(std::move(waiter),
           std::make_exception_ptr(Failure(ErrorCode::unavailable, "The service is shutting down.")));
  }

  static void resume(Waiter waiter, std::exception_ptr error) {
    const auto executor = waiter.executor;
    asio::post(executor, [handler = std::move(waiter.handler), error = std::move(error)]() mutable {
      handler(std::move(error));
    });
  }

  const Options options_;
  const std::size_t share_;
  mutable Mutex mutex_;
  std::unordered_map<Guid, Holder> holders_ GUARDED_BY(mutex_);
  std::size_t running_ GUARDED_BY(mutex_) = 0;
  std::size_t waiting_ GUARDED_BY(mutex_) = 0;
  std::size_t total_ GUARDED_BY(mutex_) = 0;
  std::uint64_t turns_ GUARDED_BY(mutex_) = 0;
  bool closed_ GUARDED_BY(mutex_) = false;
};

Background::Turn::~Turn() {
  if (state_) state_->leave(business_);
}

Background::Background(const Options& options) : state_(std::make_shared<State>(options)) {
  for (std::size_t i = 0; i < options.threads; ++i)
    threads_.emplace_back(options.kind, [this](const std::stop_token&) { serve(); });
}

void Background::stop(Moment /*until*/) {
  state_->close();
  guard_.reset();
  threads_.clear();
}

/// Runs work until the guard is gone and nothing is left. What a thread allocates, such as a parsed body, is
/// freed by others after its work. So an idle thread gives memory back, several times.
void Background::serve() {
  int releases_left = 0;
  while (!work_.stopped()) {
    if (work_.run_one_for(idle_interval) > 0) {
      releases_left = idle_releases;
    } else if (releases_left > 0) {
      --releases_left;
      release_free_memory();
    }
  }
}

bool Background::is_busy() const { return state_->is_busy(); }

asio::awaitable<Background::Turn> Background::take_turn(std::shared_ptr<State> state, Guid business) {
  if (!state->enter(business)) {
    const auto executor = co_await asio::this_coro::executor;
    co_await asio::async_initiate<const asio::use_awaitable_t<>, void(std::exception_ptr)>(
        [&](State::Handler handler) { state->wait(business, {std::move(handler), executor}); },
        asio::use_awaitable);
  }
  co_return Turn(std::move(state), business);
}

asio::awaitable<void> Background::perform(Guid business, std::function<void()> work) {
  const Turn turn = co_await take_turn(state_, business);
  co_await run_on(work_, std::move(work));
}

}  // namespace waybill::api
