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
  FiberId id = 0;
  Owner owner = world;
  std::function<void()> body;
  const std::vector<int>* descriptors = nullptr;  // of one that waits for signals
  bool was_woken = false;
  bool has_ended = false;
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
  for (const Slot& slot : slots_) {
    if (slot.fiber->stack != nullptr) Stacks::free().push_back(slot.fiber->stack);
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
  slots_.push_back({.fiber = std::move(fiber), .owner = owner});
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
  fiber.has_ended = true;
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

void Scheduler::wake(Slot& slot) {
  slot.is_waiting = false;
  slot.fiber->was_woken = true;
}

/// The place of the next fiber: one of those that may continue, or the one whose deadline comes first, to
/// which the clock then moves. Nullopt if all wait without an end.
std::optional<std::size_t> Scheduler::choose() {
  for (;;) {
    ready_.clear();
    Moment next = Moment::max();
    for (std::size_t place = 0; place < slots_.size(); ++place) {
      Slot& slot = slots_[place];
      if (!stopped_.empty() && stopped_.contains(slot.owner)) continue;
      if (slot.is_waiting && slot.deadline > now_) {
        next = std::min(next, slot.deadline);
        continue;
      }
      slot.is_waiting = false;
      ready_.push_back(place);
    }
    if (!ready_.empty()) return ready_[random_.below(ready_.size())];
    if (next == Moment::max()) return std::nullopt;
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
    const auto place = choose();
    if (!place) throw std::runtime_error("all threads wait for each other");
    current_place_ = *place;
    Fiber& fiber = *slots_[*place].fiber;
    step_to(fiber);
    if (!fiber.has_ended) continue;
    Stacks::free().push_back(std::exchange(fiber.stack, nullptr));
    const bool is_main = fiber.id == main;
    const std::exception_ptr failure = fiber.failure;
    slots_.erase(slots_.begin() + static_cast<std::ptrdiff_t>(*place));
    if (failure) std::rethrow_exception(failure);
    if (is_main) return;
  }
}

void Scheduler::sleep(Duration length) { wait(nullptr, now_ + length); }

bool Scheduler::wait(Key key, std::optional<Moment> deadline) {
  Fiber& fiber = *current_;
  Slot& slot = slots_[current_place_];
  slot.key = key;
  slot.deadline = deadline.value_or(Moment::max());
  slot.is_waiting = true;
  fiber.was_woken = false;
  give_way();
  return fiber.was_woken;
}

void Scheduler::join(FiberId id) {
  const auto found = std::ranges::find_if(slots_, [&](const Slot& slot) { return slot.fiber->id == id; });
  if (found != slots_.end()) wait(found->fiber.get());
}

void Scheduler::wake_all(Key key) {
  for (Slot& slot : slots_) {
    if (slot.key == key && slot.is_waiting) wake(slot);
  }
}

void Scheduler::wake_one(Key key) {
  std::vector<Slot*> waiting;
  for (Slot& slot : slots_) {
    if (slot.key == key && slot.is_waiting) waiting.push_back(&slot);
  }
  if (!waiting.empty()) wake(*waiting[random_.below(waiting.size())]);
}

int Scheduler::open_signal() {
  signals_.emplace(next_signal_, false);
  return next_signal_++;
}

void Scheduler::signal(int descriptor) {
  const auto found = signals_.find(descriptor);
  if (found == signals_.end()) return;
  found->second = true;
  for (Slot& slot : slots_) {
    if (slot.key == &signals_ && slot.is_waiting &&
        std::ranges::find(*slot.fiber->descriptors, descriptor) != slot.fiber->descriptors->end())
      wake(slot);
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
  fiber.descriptors = &descriptors;
  wait(&signals_, deadline);
}

}  // namespace waybill::simulate
