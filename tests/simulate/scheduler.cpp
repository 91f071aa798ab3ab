#include "tests/simulate/scheduler.hpp"

#include <algorithm>
#include <array>
#include <csetjmp>
#include <cstring>
#include <cxxabi.h>
#include <exception>
#include <stdexcept>
#include <sys/mman.h>
#include <ucontext.h>
#include <utility>

namespace waybill::simulate {
namespace {

constexpr std::size_t stack_size = 256UL * 1024;
constexpr std::size_t page_size = 4096;
constexpr Time first_time = std::chrono::sys_days(std::chrono::year(2026) / 11 / 20);
// The C++ library's state of the exceptions that a thread handles (Itanium C++ ABI, 2.2.2): a pointer and a
// number.
using Exceptions = std::array<std::byte, 2 * sizeof(void*)>;

thread_local Scheduler* running = nullptr;

}  // namespace

/// The stacks of fibers that ended, for the next ones.
struct Scheduler::Stacks {
  static std::vector<void*>& free() {
    static std::vector<void*> stacks;
    return stacks;
  }
  static void* take() {
    if (!free().empty()) {
      void* const stack = free().back();
      free().pop_back();
      return stack;
    }
    void* const stack = mmap(nullptr, stack_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (stack == MAP_FAILED) throw std::bad_alloc();
    mprotect(stack, page_size, PROT_NONE);
    return stack;
  }
};

struct Scheduler::Fiber {
  enum class State { ready, waiting, ended };

  FiberId id = 0;
  Owner owner = world;
  std::function<void()> body;
  State state = State::ready;
  Key key = nullptr;             // of a waiting fiber
  std::vector<int> descriptors;  // of one that waits for signals
  std::optional<Moment> deadline;
  bool was_woken = false;
  std::exception_ptr failure;
  void* stack = nullptr;
  ucontext_t context{};  // until it runs for the first time
  jmp_buf place{};       // where it gave way
  bool has_begun = false;
  Exceptions exceptions{};
};

Scheduler::Scheduler(std::uint64_t seed)
    : random_(seed), now_(std::chrono::hours(1000)), began_(now_), loop_(std::make_unique<Fiber>()) {}

Scheduler::~Scheduler() {
  // Only after a failure are there fibers that have not ended. What is on their stacks is lost.
  for (const auto& fiber : fibers_) {
    if (fiber->stack != nullptr) Stacks::free().push_back(fiber->stack);
  }
}

Scheduler* Scheduler::active() { return running; }

Time Scheduler::time() const { return first_time + std::chrono::duration_cast<Duration>(now_ - began_); }

Duration Scheduler::skew() const {
  const auto found = skews_.find(owner());
  return found == skews_.end() ? Duration::zero() : found->second;
}

Owner Scheduler::owner() const { return current_ == nullptr ? world : current_->owner; }

Scheduler::FiberId Scheduler::start(Owner owner, std::function<void()> body) {
  auto fiber = std::make_unique<Fiber>();
  fiber->id = ++last_id_;
  fiber->owner = owner;
  fiber->body = std::move(body);
  fiber->stack = Stacks::take();
  getcontext(&fiber->context);
  fiber->context.uc_stack.ss_sp = fiber->stack;
  fiber->context.uc_stack.ss_size = stack_size;
  fiber->context.uc_link = nullptr;
  makecontext(&fiber->context, enter, 0);
  fibers_.push_back(std::move(fiber));
  return last_id_;
}

void Scheduler::enter() {
  Scheduler& scheduler = *running;
  Fiber& fiber = *scheduler.current_;
  try {
    fiber.body();
  } catch (...) {
    fiber.failure = std::current_exception();
  }
  fiber.body = nullptr;
  fiber.state = Fiber::State::ended;
  scheduler.wake_all(&fiber);
  scheduler.give_way();
}

/// Continues the fiber until it gives way.
void Scheduler::step_to(Fiber& fiber) {
  auto* const exceptions = abi::__cxa_get_globals();
  std::memcpy(loop_->exceptions.data(), exceptions, sizeof(Exceptions));
  std::memcpy(exceptions, fiber.exceptions.data(), sizeof(Exceptions));
  current_ = &fiber;
  // Unlike swapcontext, the pair of _setjmp and _longjmp makes no system call.
  if (_setjmp(loop_->place) == 0) {
    if (!std::exchange(fiber.has_begun, true)) setcontext(&fiber.context);
    _longjmp(fiber.place, 1);
  }
  current_ = nullptr;
  std::memcpy(fiber.exceptions.data(), exceptions, sizeof(Exceptions));
  std::memcpy(exceptions, loop_->exceptions.data(), sizeof(Exceptions));
}

void Scheduler::give_way() {
  if (_setjmp(current_->place) == 0) _longjmp(loop_->place, 1);
}

/// The next fiber: one of those that may continue, or the one whose deadline comes first, to which the clock
/// then moves. Null if all wait without an end.
Scheduler::Fiber* Scheduler::choose() {
  for (;;) {
    std::vector<Fiber*> ready;
    Moment next = Moment::max();
    for (const auto& fiber : fibers_) {
      if (stopped_.contains(fiber->owner)) continue;
      if (fiber->state == Fiber::State::waiting && fiber->deadline && *fiber->deadline <= now_)
        fiber->state = Fiber::State::ready;
      if (fiber->state == Fiber::State::ready) {
        ready.push_back(fiber.get());
      } else if (fiber->deadline) {
        next = std::min(next, *fiber->deadline);
      }
    }
    if (!ready.empty()) return ready[random_.below(ready.size())];
    if (next == Moment::max()) return nullptr;
    now_ = next;
  }
}

void Scheduler::run(std::function<void()> body, std::size_t most_steps) {
  running = this;
  const struct Ended {
    ~Ended() { running = nullptr; }
  } ended;
  const FiberId main = start(world, std::move(body));
  for (;;) {
    if (++steps_ > most_steps) throw std::runtime_error("the simulation does not come to an end");
    Fiber* const fiber = choose();
    if (fiber == nullptr) throw std::runtime_error("all threads wait for each other");
    step_to(*fiber);
    if (fiber->state != Fiber::State::ended) continue;
    Stacks::free().push_back(std::exchange(fiber->stack, nullptr));
    const bool is_main = fiber->id == main;
    const std::exception_ptr failure = fiber->failure;
    std::erase_if(fibers_, [&](const auto& each) { return each.get() == fiber; });
    if (failure) std::rethrow_exception(failure);
    if (is_main) return;
  }
}

void Scheduler::sleep(Duration length) { wait(nullptr, now_ + length); }

bool Scheduler::wait(Key key, std::optional<Moment> deadline) {
  Fiber& fiber = *current_;
  fiber.key = key;
  fiber.deadline = deadline;
  fiber.was_woken = false;
  fiber.state = Fiber::State::waiting;
  give_way();
  fiber.key = nullptr;
  fiber.deadline.reset();
  return fiber.was_woken;
}

void Scheduler::join(FiberId id) {
  const auto found = std::ranges::find_if(fibers_, [&](const auto& fiber) { return fiber->id == id; });
  if (found != fibers_.end() && (*found)->state != Fiber::State::ended) wait(found->get());
}

void Scheduler::wake_all(Key key) {
  for (const auto& fiber : fibers_) {
    if (fiber->state != Fiber::State::waiting || fiber->key != key) continue;
    fiber->state = Fiber::State::ready;
    fiber->was_woken = true;
  }
}

void Scheduler::wake_one(Key key) {
  std::vector<Fiber*> waiting;
  for (const auto& fiber : fibers_) {
    if (fiber->state == Fiber::State::waiting && fiber->key == key) waiting.push_back(fiber.get());
  }
  if (waiting.empty()) return;
  Fiber& woken = *waiting[random_.below(waiting.size())];
  woken.state = Fiber::State::ready;
  woken.was_woken = true;
}

int Scheduler::open_signal() {
  signals_.emplace(next_signal_, false);
  return next_signal_++;
}

void Scheduler::signal(int descriptor) {
  const auto found = signals_.find(descriptor);
  if (found == signals_.end()) return;
  found->second = true;
  for (const auto& fiber : fibers_) {
    if (fiber->state != Fiber::State::waiting ||
        std::ranges::find(fiber->descriptors, descriptor) == fiber->descriptors.end())
      continue;
    fiber->state = Fiber::State::ready;
    fiber->was_woken = true;
  }
}

bool Scheduler::is_signalled(int descriptor) const {
  const auto found = signals_.find(descriptor);
  return found != signals_.end() && found->second;
}

bool Scheduler::take_signal(int descriptor) {
  const auto found = signals_.find(descriptor);
  return found != signals_.end() && std::exchange(found->second, false);
}

void Scheduler::wait_for_signals(const std::vector<int>& descriptors, Moment deadline) {
  if (std::ranges::any_of(descriptors, [&](int each) { return is_signalled(each); })) return;
  Fiber& fiber = *current_;
  fiber.descriptors = descriptors;
  wait(nullptr, deadline);
  fiber.descriptors.clear();
}

}  // namespace waybill::simulate
