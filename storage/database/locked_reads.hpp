#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include "storage/database/database.hpp"
#include "storage/pq/read_pipeline.hpp"
#include "storage/pq/steady_time.hpp"

namespace waybill::storage::pq {

/// The reads whose tables another session has locked. A statement that did not get a lock within
/// `ChannelOptions::lock_timeout` is held: its reads leave the connections that others share, and wait here.
/// One of them at a time is attempted on a connection that it has to itself, every 20 ms one of all
/// statements. If it gets its locks, all reads of the statement continue. After a second, the reads of a held
/// statement get StatementError (55P03) at once, except the one that is attempted.
///
/// A statement made for its call is held by its text. Other texts of its name are attempted here before they
/// use the shared connections, so that no number of different texts makes other reads wait. One thread; call
/// `shut_down` before the io_context ends.
class LockedReads final : public LockedReadSink, public std::enable_shared_from_this<LockedReads> {
 public:
  /// Performs a read on a connection of its own. Throws as Database::run_read.
  using Attempt = std::function<asio::awaitable<Rows>(Read)>;
  /// Performs a read as usual and gives the result to the handler.
  using Resume = std::function<void(ReadHandler, Read)>;

  LockedReads(asio::io_context& io, ReadRequestPool& requests, Attempt attempt, Resume resume);

  bool empty() const override { return held_.empty(); }
  bool holds(const ReadRequest& request) const override {
    return holds(request.statement.name, request.text);
  }
  bool holds(const Read& read) const { return holds(read.statement.name, read.text); }
  void take(ReadRequest& request) override;

  /// Holds the statement of a read, and waits until the read is performed.
  asio::awaitable<Rows> wait(Read read);

  /// Refuses all waiting reads.
  void shut_down();

 private:
  struct Waiting {
    ReadHandler handler;
    Read read;
    SteadyTime since;
  };
  struct Statements {
    SteadyTime since{};
    SteadyTime last_used{};
    std::deque<Waiting> waiting;
    bool is_attempted = false;
    bool is_free = false;  // a text that got its locks, while others of its name are held
  };
  using Texts = std::map<std::string, Statements>;  // by text; "" if the statement is a constant
  using Names = std::map<std::string, Texts, std::less<>>;

  bool holds(std::string_view name, const std::string& text) const;
  void add(ReadHandler handler, Read read);
  static void forget_unused(Texts& texts, SteadyTime now);
  void start();
  void tick();
  void refuse_overdue(SteadyTime now);
  std::pair<std::string, std::string> next_of_turn() const;
  static asio::awaitable<void> attempt(std::shared_ptr<LockedReads> self, std::string name, std::string text);
  asio::awaitable<void> attempt_first(const std::string& name, const std::string& text);
  bool has_waiting() const;
  void attempted(const std::string& name, const std::string& text, bool is_locked);
  void complete(Waiting waiting, const std::exception_ptr& error, Rows rows);
  void refuse_all(Statements& statement);

  asio::io_context& io_;
  ReadRequestPool& requests_;
  const Attempt attempt_;
  const Resume resume_;
  Names held_;
  std::pair<std::string, std::string> turn_;  // the statement attempted last
  asio::steady_timer timer_;
  bool is_running_ = false;  // the timer
  bool shut_down_ = false;
};

}  // namespace waybill::storage::pq
