#include "storage/database/shared_writes.hpp"

#include <set>
#include <utility>

#include <boost/asio/post.hpp>

#include "base/check.hpp"
#include "storage/statement/errors.hpp"

namespace waybill::storage::pq {
namespace {

constexpr std::size_t group_limit = 64;
constexpr std::size_t group_bytes = 256UL * 1024;

}  // namespace

asio::awaitable<SharedWrites::Turn> SharedWrites::take_turn(Request& request, const Cause& cause) {
  if (shut_down_) throw DatabaseUnavailable("shutting down");
  Line line{request.change.shared.text.data(), cause.business, cause.json};
  const auto [found, is_free] = lines_.try_emplace(line);
  if (is_free) co_return Turn(*this, std::move(line));
  auto& waiting = found->second;
  co_await asio::async_initiate<const asio::use_awaitable_t<>, void()>(
      [&](Handler handler) { waiting.push_back({std::move(handler), &request}); }, asio::use_awaitable);
  if (request.leads) co_return Turn(*this, std::move(line));
  co_return Turn();
}

void SharedWrites::complete(Waiter waiter) {
  // The handler is posted and not called here, because destructors end turns.
  asio::post(io_, [handler = std::move(waiter.handler)]() mutable { handler(); });
}

/// Takes the waiting changes that fit into a group behind `leader`. Each record is in the group at most once.
std::vector<SharedWrites::Waiter> SharedWrites::take_followers(std::deque<Waiter>& waiting,
                                                               const Request& leader) {
  std::vector<Waiter> followers;
  std::set<Guid> records{leader.change.record};
  std::size_t bytes = leader.change.entry.size();
  std::deque<Waiter> left;
  for (Waiter& waiter : waiting) {
    const auto& change = waiter.request->change;
    const bool fits = followers.size() + 1 < group_limit && bytes + change.entry.size() <= group_bytes &&
                      records.insert(change.record).second;
    if (fits) bytes += change.entry.size();
    fits ? followers.push_back(std::move(waiter)) : left.push_back(std::move(waiter));
  }
  waiting = std::move(left);
  return followers;
}

void SharedWrites::end_turn(const Line& line) {
  if (shut_down_) return;
  const auto found = lines_.find(line);
  if (!check(found != lines_.end(), "the line of a transaction under way is known")) return;
  auto& waiting = found->second;
  if (waiting.empty()) {
    lines_.erase(found);
    return;
  }
  Waiter leader = std::move(waiting.front());
  waiting.pop_front();
  leader.request->leads = true;
  leader.request->followers = take_followers(waiting, *leader.request);
  complete(std::move(leader));
}

void SharedWrites::shut_down() {
  shut_down_ = true;
  for (auto& [line, waiting] : std::exchange(lines_, {})) {
    for (Waiter& waiter : waiting) {
      waiter.request->error = std::make_exception_ptr(DatabaseUnavailable("shutting down"));
      complete(std::move(waiter));
    }
  }
}

}  // namespace waybill::storage::pq
