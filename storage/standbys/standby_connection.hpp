#pragma once

#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <boost/asio/async_result.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>

#include "base/fair_queue.hpp"
#include "base/guid.hpp"
#include "base/observe.hpp"
#include "storage/database/commit_position.hpp"
#include "storage/pq/channel.hpp"
#include "storage/statement/params.hpp"
#include "storage/statement/rows.hpp"
#include "storage/statement/statement.hpp"

namespace waybill::storage::pq {

/// The answer of a server to the last check.
struct StandbyState {
  std::int64_t cluster = 0;  // the system identifier
  bool is_standby = false;
  CommitPosition replayed;
  SteadyTime checked_at{};
};

/// A read on a standby. It belongs to its caller, which is suspended until the outcome is known.
struct StandbyRead {
  Statement statement;  // only the name if `text` is set
  std::string_view text;
  const Params& params;
  Format format = Format::text;
  Guid business = {};  // takes turns with others
  CommitPosition required = {};

  /// The outcome: `fault` is the reason to read on the primary, `error` (StatementError) a failure that is
  /// final. Without both, `rows` show at least `position`, which is not before `required`.
  Rows rows = {};
  CommitPosition position = {};
  std::optional<Observable> fault = {};
  std::exception_ptr error = {};

  using Handler = asio::async_result<asio::use_awaitable_t<>, void()>::handler_type;
  std::optional<Handler> handler = {};
};

/// One connection to one standby. It takes a few reads at a time; others wait, and businesses take turns. A
/// check precedes the reads that are sent together in the same pipeline: rows of a server that has not
/// replayed the required position are not used. Nothing is sent twice.
/// A server that does not answer a check within a second is given up. One thread; used on the io_context.
class StandbyConnection final : public Channel::Listener,
                                public std::enable_shared_from_this<StandbyConnection> {
 public:
  StandbyConnection(asio::io_context& io, ChannelOptions options);

  /// Connects if the connection is closed; otherwise sends a check if the last one is older than 20 ms. Does
  /// not wait.
  void refresh();
  /// Null unless the connection is open and the server has answered a check.
  const StandbyState* state() const { return state_ ? &*state_ : nullptr; }
  /// The last failure; empty if there was none.
  const std::string& last_failure() const { return last_failure_; }

  /// Returns when the outcome is known; at once, with a fault, if `state` is null.
  asio::awaitable<void> run(StandbyRead& read);

  /// Closes the connection in the next turn of the loop; reads end with a fault. `refresh` opens it again.
  void close_soon(std::string_view reason);

  /// Ends all reads with a fault. No call may follow.
  void shut_down();

  void opened() override { identify(); }
  void received(void* owner, Answer answer) override;
  void synced() override {}
  void drained() override { flush(); }
  void lost(const std::vector<void*>& owners, const std::string& reason) override;

 private:
  void identify();
  void check();
  void schedule_flush();
  void flush();
  void watch();
  void give_up(const std::string& reason);
  void check_answered(const Answer& answer);
  void read_answered(StandbyRead& read, Answer answer);
  void pass_over(StandbyRead& read);

  asio::io_context& io_;
  std::shared_ptr<Channel> channel_;
  asio::steady_timer timer_;
  FairQueue<Guid, StandbyRead*> waiting_;  // by business; nil without one
  std::size_t in_flight_ = 0;              // reads
  bool flush_scheduled_ = false;
  std::optional<StandbyState> state_;
  std::int64_t cluster_ = 0;  // known once the connection is identified
  SteadyTime check_sent_{};
  std::size_t checks_due_ = 0;
  std::string last_failure_;
};

}  // namespace waybill::storage::pq
