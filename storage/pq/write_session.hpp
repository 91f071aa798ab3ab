#pragma once

#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/asio/async_result.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "storage/params.hpp"
#include "storage/pq/channel.hpp"
#include "storage/rows.hpp"
#include "storage/statement.hpp"

namespace waybill::storage::pq {

/// What a unit came to. `rows` are those of its last wanted statement.
struct Outcome {
  Rows rows;
  std::exception_ptr error;  // StatementError or DatabaseUnavailable
  bool stale = false;        // the error is a plan's, which sending it all again heals
};

/// An exclusive connection: one transaction at a time, nothing sent twice.
class WriteSession final : public Channel::Listener {
 public:
  WriteSession(asio::io_context& io, ChannelOptions options);
  ~WriteSession() override;
  WriteSession(const WriteSession&) = delete;
  WriteSession& operator=(const WriteSession&) = delete;

  /// Connects unless connected. Throws DatabaseUnavailable.
  asio::awaitable<void> ensure_open();

  /// Once lost, only `ensure_open` brings the connection back: what was begun on it is gone.
  bool is_open() const { return channel_->is_open(); }
  SteadyTime last_answer() const { return channel_->last_answer(); }

  /// Queue the parts of a transaction; they are sent by `flush`. Only while open.
  void begin(const std::string& cause);
  void add(const Statement& statement, const Params& params, Format format = Format::text);
  void add_text(std::string_view name, std::string_view text, const Params& params, Format format);
  /// The cause of what follows in this transaction.
  void set_cause(const std::string& cause);
  /// Savepoints, which nest: the last one that is neither kept nor undone is kept or undone.
  void save();
  void keep();
  void undo();
  void commit();

  /// Sends what is queued and waits for all of it.
  asio::awaitable<Outcome> flush();

  /// Ends a transaction whose statement failed.
  asio::awaitable<void> roll_back();

  /// Brings the session back to where it can be used again, whatever it was left in, and calls `done` then:
  /// at once, or when a transaction left open is rolled back.
  void make_free(std::function<void()> done);

  /// Whoever waits gets DatabaseUnavailable.
  void shut_down();

  void opened() override { resume(); }
  void received(void* owner, Answer answer) override;
  void synced() override;
  void drained() override {}
  void lost(const std::vector<void*>& owners, const std::string& why) override;

 private:
  using Handler = asio::async_result<asio::use_awaitable_t<>, void()>::handler_type;

  asio::awaitable<void> wait();
  void resume();
  void send_rollback();

  std::shared_ptr<Channel> channel_;
  asio::io_context& io_;
  std::optional<Handler> waiter_;
  std::function<void()> on_free_;
  Outcome outcome_;
  std::size_t units_due_ = 0;
  bool in_transaction_ = false;
};

}  // namespace waybill::storage::pq
