#include "api/records/totals.hpp"

#include <utility>

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace waybill::api {
namespace {

using std::chrono::steady_clock;

constexpr std::size_t most_remembered = 4096;
constexpr auto majority_time = std::chrono::minutes(1);

template <typename Value>
void remember_in(std::unordered_map<std::string, Value>& values, const std::string& key, Value value) {
  if (values.size() >= most_remembered && !values.contains(key)) values.clear();
  values[key] = value;
}

}  // namespace

Totals::Size Totals::last_size(const std::string& key) const {
  const auto found = sizes_.find(key);
  return found == sizes_.end() ? Size::unknown : found->second;
}

void Totals::remember(const std::string& key, std::int64_t total) {
  remember_in(sizes_, key, total < large ? Size::small : Size::large);
}

std::optional<bool> Totals::holds_most(const std::string& key) const {
  const auto found = majorities_.find(key);
  if (found == majorities_.end() || found->second.until < steady_clock::now()) return std::nullopt;
  return found->second.holds_most;
}

void Totals::remember_holds_most(const std::string& key, bool holds_most) {
  remember_in(majorities_, key,
              Majority{.holds_most = holds_most, .until = steady_clock::now() + majority_time});
}

asio::awaitable<void> Totals::wait(Round& round) {
  const auto timer = std::make_shared<asio::steady_timer>(co_await asio::this_coro::executor,
                                                          asio::steady_timer::time_point::max());
  round.waiting.push_back(timer);
  boost::system::error_code cancelled;
  co_await timer->async_wait(asio::redirect_error(asio::use_awaitable, cancelled));
}

asio::awaitable<std::int64_t> Totals::count(std::string key, Count count) {
  const auto [running, is_first] = next_.try_emplace(key);
  std::shared_ptr<Round> round;
  if (is_first) {
    round = std::make_shared<Round>();
    co_await run(key, round, count);
  } else {
    if (!running->second) running->second = std::make_shared<Round>();
    round = running->second;
    co_await wait(*round);
    // The first of the callers that waited counts for all of them.
    if (!std::exchange(round->has_leader, true)) co_await run(key, round, count);
  }
  if (round->error) std::rethrow_exception(round->error);
  co_return round->total.value();
}

asio::awaitable<void> Totals::run(const std::string& key, std::shared_ptr<Round> round, const Count& count) {
  try {
    round->total = co_await count();
  } catch (...) {
    round->error = std::current_exception();
  }
  for (const auto& timer : round->waiting) timer->cancel();
  begin_next(key);
}

void Totals::begin_next(const std::string& key) {
  const auto running = next_.find(key);
  const auto round = std::exchange(running->second, nullptr);
  if (!round) {
    next_.erase(running);
    return;
  }
  round->waiting.front()->cancel();
  round->waiting.pop_front();
}

}  // namespace waybill::api
