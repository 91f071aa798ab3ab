#include "storage/database/locked_reads.hpp"

#include <chrono>
#include <exception>
#include <tuple>

#include <boost/asio/async_result.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "storage/statement/errors.hpp"

namespace waybill::storage::pq {
namespace {

using std::chrono::steady_clock;

constexpr auto attempt_interval = std::chrono::milliseconds(20);
// A read outlasts a lock that is held for a shorter time, such as that of a migration.
constexpr auto patience = std::chrono::seconds(1);
constexpr auto memory = std::chrono::seconds(10);  // a statement not used for longer is forgotten
constexpr std::size_t most_texts = 64;             // of one name

std::exception_ptr locked_error() {
  return std::make_exception_ptr(
      StatementError("another session has locked a table of the statement", "55P03", ""));
}

}  // namespace

LockedReads::LockedReads(asio::io_context& io, ReadRequestPool& requests, Attempt attempt, Resume resume)
    : io_(io), requests_(requests), attempt_(std::move(attempt)), resume_(std::move(resume)), timer_(io) {}

bool LockedReads::holds(std::string_view name, const std::string& text) const {
  const auto texts = held_.find(name);
  if (texts == held_.end()) return false;
  const auto statement = texts->second.find(text);
  return statement == texts->second.end() || !statement->second.is_free;
}

void LockedReads::take(ReadRequest& request) {
  Read read{.statement = request.statement,
            .merged = request.merged,
            .text = std::move(request.text),
            .params = std::move(request.params),
            .format = request.format,
            .business = request.business};
  ReadHandler handler = request.take_handler();
  requests_.give_back(request);
  add(std::move(handler), std::move(read));
}

asio::awaitable<Rows> LockedReads::wait(Read read) {
  return asio::async_initiate<const asio::use_awaitable_t<>, void(std::exception_ptr, Rows)>(
      [self = shared_from_this()](ReadHandler handler, Read waiting) {
        self->add(std::move(handler), std::move(waiting));
      },
      asio::use_awaitable, std::move(read));
}

void LockedReads::add(ReadHandler handler, Read read) {
  const auto now = steady_clock::now();
  Waiting waiting{.handler = std::move(handler), .read = std::move(read), .since = now};
  Texts& texts = held_[std::string(waiting.read.statement.name)];
  forget_unused(texts, now);
  if (!texts.contains(waiting.read.text) && texts.size() >= most_texts)
    return complete(std::move(waiting), locked_error(), {});
  Statements& statement = texts[waiting.read.text];
  statement.last_used = now;
  if (statement.since == SteadyTime() || std::exchange(statement.is_free, false)) statement.since = now;
  const bool has_next = statement.is_attempted || !statement.waiting.empty();
  if (shut_down_ || (has_next && now - statement.since >= patience))
    return complete(std::move(waiting), locked_error(), {});
  statement.waiting.push_back(std::move(waiting));
  start();
}

void LockedReads::forget_unused(Texts& texts, SteadyTime now) {
  std::erase_if(texts, [now](const auto& entry) {
    const Statements& statement = entry.second;
    return !statement.is_attempted && statement.waiting.empty() && now - statement.last_used >= memory;
  });
}

void LockedReads::start() {
  if (std::exchange(is_running_, true)) return;
  timer_.expires_after(attempt_interval);
  timer_.async_wait([weak = weak_from_this()](const boost::system::error_code& error) {
    const auto self = weak.lock();
    if (error || !self || self->shut_down_) return;
    self->is_running_ = false;
    self->tick();
  });
}

void LockedReads::tick() {
  refuse_overdue(steady_clock::now());
  const auto next = next_of_turn();
  if (!next.first.empty()) {
    turn_ = next;
    held_[next.first][next.second].is_attempted = true;
    asio::co_spawn(io_, attempt(shared_from_this(), next.first, next.second), asio::detached);
  }
  if (has_waiting()) start();
}

bool LockedReads::has_waiting() const {
  for (const auto& [name, texts] : held_) {
    for (const auto& [text, statement] : texts) {
      if (!statement.waiting.empty()) return true;
    }
  }
  return false;
}

/// A read may wait longer than usual for its attempt if the connections for long reads are in use.
void LockedReads::refuse_overdue(SteadyTime now) {
  for (auto& [name, texts] : held_) {
    for (auto& [text, statement] : texts) {
      auto& waiting = statement.waiting;
      while (!waiting.empty() && now - waiting.front().since >= 2 * patience) {
        complete(std::move(waiting.front()), locked_error(), {});
        waiting.pop_front();
      }
    }
  }
}

/// Returns the statement behind the last attempted one that has a read to attempt; an empty name if none has.
std::pair<std::string, std::string> LockedReads::next_of_turn() const {
  std::pair<std::string, std::string> first;
  for (const auto& [name, texts] : held_) {
    for (const auto& [text, statement] : texts) {
      if (statement.is_attempted || statement.waiting.empty()) continue;
      if (std::tie(name, text) > std::tie(turn_.first, turn_.second)) return {name, text};
      if (first.first.empty()) first = {name, text};
    }
  }
  return first;
}

asio::awaitable<void> LockedReads::attempt(std::shared_ptr<LockedReads> self, std::string name,
                                           std::string text) {
  if (!self->shut_down_) co_await self->attempt_first(name, text);
}

asio::awaitable<void> LockedReads::attempt_first(const std::string& name, const std::string& text) {
  auto& queue = held_[name][text].waiting;
  if (queue.empty()) {
    attempted(name, text, true);
    co_return;
  }
  Waiting waiting = std::move(queue.front());
  queue.pop_front();
  Rows rows;
  std::exception_ptr error;
  bool is_locked = false;
  bool is_known = true;
  try {
    rows = co_await attempt_(waiting.read);
  } catch (const StatementError& refusal) {
    is_locked = is_lock_conflict(refusal);
    error = is_locked ? locked_error() : std::current_exception();
  } catch (...) {
    is_known = false;
    error = std::current_exception();
  }
  if (is_locked && !shut_down_ && steady_clock::now() - held_[name][text].since < patience) {
    held_[name][text].waiting.push_front(std::move(waiting));
  } else {
    complete(std::move(waiting), error, std::move(rows));
  }
  if (!shut_down_) attempted(name, text, is_locked || !is_known);
}

void LockedReads::attempted(const std::string& name, const std::string& text, bool is_locked) {
  Texts& texts = held_[name];
  Statements& statement = texts[text];
  statement.is_attempted = false;
  if (is_locked) {
    if (steady_clock::now() - statement.since >= patience) refuse_all(statement);
    if (!statement.waiting.empty()) start();
    return;
  }
  statement.is_free = true;
  auto going_on = std::exchange(statement.waiting, {});
  bool is_any_held = false;
  for (const auto& [each, other] : texts) is_any_held = is_any_held || !other.is_free;
  if (!is_any_held) held_.erase(name);
  for (Waiting& waiting : going_on) resume_(std::move(waiting.handler), std::move(waiting.read));
}

void LockedReads::refuse_all(Statements& statement) {
  for (Waiting& waiting : std::exchange(statement.waiting, {}))
    complete(std::move(waiting), locked_error(), {});
}

// The handler is posted, because the caller may be about to wait for this read.
void LockedReads::complete(Waiting waiting, const std::exception_ptr& error, Rows rows) {
  asio::post(io_, [handler = std::move(waiting.handler), error, rows = std::move(rows)]() mutable {
    handler(error, std::move(rows));
  });
}

void LockedReads::shut_down() {
  shut_down_ = true;
  timer_.cancel();
  for (auto& [name, texts] : held_) {
    for (auto& [text, statement] : texts) refuse_all(statement);
  }
}

}  // namespace waybill::storage::pq
