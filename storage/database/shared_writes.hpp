#pragma once

#include <cstddef>
#include <deque>
#include <exception>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <boost/asio/async_result.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "base/guid.hpp"
#include "storage/database/commit_position.hpp"
#include "storage/database/database.hpp"

namespace waybill::storage::pq {

/// The changes that wait to share a transaction with others (see Database::write_shared). Changes with the
/// same shared statement, business and cause form a line. One transaction of a line is under way; when it
/// ends, the first waiting change leads a group of those behind it. One thread; call `shut_down` before the
/// io_context ends.
class SharedWrites {
 public:
  struct Request;
  using Handler = asio::async_result<asio::use_awaitable_t<>, void()>::handler_type;
  /// A suspended caller; `request` is in its frame.
  struct Waiter {
    Handler handler;
    Request* request;
  };
  using Line = std::tuple<const char*, Guid, std::string>;

  struct Request {
    const SharedWrite& change;
    Commits* commits;  // null: not wanted
    bool leads = false;
    std::vector<Waiter> followers = {};  // the others of the group, if this change leads
    std::optional<Rows> rows = {};       // the result, if a group made the change
    std::exception_ptr error = {};       // the outcome is unknown
  };

  /// A transaction of the line that is under way. Its end lets the next group begin.
  class Turn {
   public:
    Turn() = default;
    Turn(SharedWrites& writes, Line line) : writes_(&writes), line_(std::move(line)) {}
    ~Turn() { end(); }
    Turn(Turn&& other) noexcept
        : writes_(std::exchange(other.writes_, nullptr)), line_(std::move(other.line_)) {}
    Turn& operator=(Turn&&) = delete;
    void end() {
      if (writes_ != nullptr) std::exchange(writes_, nullptr)->end_turn(line_);
    }

   private:
    SharedWrites* writes_ = nullptr;
    Line line_;
  };

  explicit SharedWrites(asio::io_context& io) : io_(io) {}

  /// Waits until the change can begin, alone or as the leader of `request.followers`, or until another leader
  /// has completed it. In that case the turn is empty.
  asio::awaitable<Turn> take_turn(Request& request, const Cause& cause);

  /// Resumes a follower, whose request has its result. Without a result it makes its change alone.
  void complete(Waiter waiter);

  /// All waiting callers get DatabaseUnavailable.
  void shut_down();

 private:
  void end_turn(const Line& line);
  std::vector<Waiter> take_followers(std::deque<Waiter>& waiting, const Request& leader);

  asio::io_context& io_;
  std::map<Line, std::deque<Waiter>> lines_;  // only those with a transaction under way
  bool shut_down_ = false;
};

}  // namespace waybill::storage::pq
