#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <boost/asio/io_context.hpp>

#include "base/clock.hpp"
#include "storage/pq/channel_waits.hpp"
#include "storage/pq/connect_attempts.hpp"
#include "storage/pq/libpq.hpp"
#include "storage/pq/prepared.hpp"
#include "storage/pq/sent_statements.hpp"
#include "storage/pq/steady_time.hpp"
#include "storage/statement/params.hpp"
#include "storage/statement/rows.hpp"
#include "storage/statement/statement.hpp"

namespace waybill::storage::pq {

namespace asio = boost::asio;

/// The number of reads that a connection has at a time. With fewer, the server's process waits for its next
/// read; with more, too many wait if it gets no processor (decision 50).
inline constexpr std::size_t reads_of_connection = 4;

struct ChannelOptions {
  std::string url;
  std::string application_name;
  bool read_only = false;
  Duration statement_timeout{};
  Duration connect_timeout{};
  Duration lock_timeout{};       // of a read-only session; zero means no limit
  bool plans_each_call = false;  // with the values of the call, instead of a kept plan for average ones
  bool is_optional = false;  // other code reports its failures; they do not count as losses of the database
};

/// The outcome of one query.
struct Answer {
  enum class Kind : std::uint8_t {
    rows,
    failed,   // refused with `error`
    stale,    // refused with `error` because its plan is missing or outdated; can be sent again
    aborted,  // not run, because an earlier one failed
  };
  Kind kind;
  Rows rows;
  std::shared_ptr<const StatementError> error;
};

/// One libpq connection in pipeline mode on an io_context. Statements are sent in order and prepared before
/// their first use; the listener receives their answers in the same order. After a failed statement the
/// server skips the rest up to the next sync. The channel connects only in `open` (see ConnectAttempts); a
/// broken connection is closed and reported. A server that refuses a write as read-only is treated as if it
/// had ended the connection, unless the channel is read-only.
///
/// One thread. libpq resolves host names synchronously. The listener is called from the io_context, never
/// from inside `query`, and from inside `sync` and `alive` only with `lost`. It may call any method in its
/// callbacks.
class Channel : public std::enable_shared_from_this<Channel> {
 public:
  class Listener {
   public:
    virtual ~Listener() = default;
    virtual void opened() = 0;
    virtual void received(void* owner, Answer answer) = 0;
    virtual void synced() = 0;
    /// All received data is delivered.
    virtual void drained() = 0;
    /// Connecting failed, or the connection broke with the queries of `owners` unanswered.
    virtual void lost(const std::vector<void*>& owners, const std::string& reason) = 0;
  };

  Channel(asio::io_context& io, ChannelOptions options, Listener& listener);
  ~Channel();
  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;

  bool is_open() const { return state_ == State::open; }
  bool is_closed() const { return state_ == State::closed; }
  /// False during the pause after a failed attempt.
  bool may_open() const { return attempts_.may_begin(std::chrono::steady_clock::now()); }
  const std::string& last_failure() const { return last_failure_; }
  /// The number of the server's process; only while open.
  int server_pid() const { return PQbackendPID(connection_.get()); }

  /// Starts connecting; only while closed. `opened` or `lost` follows.
  void open();

  /// True if the connection is open as far as the kernel knows. Call it before a query that is not repeated.
  bool alive();

  /// Queues one statement; only while open. The answer carries `owner`.
  void query(const Statement& statement, const Params& params, void* owner, Format format = Format::text);
  void query_text(std::string_view name, std::string_view text, const Params& params, void* owner,
                  Format format = Format::text);

  /// Sends the statements queued since the last sync as one unit. If one fails, the server skips the rest.
  void sync();

  /// True if a query is unanswered.
  bool busy() const { return !sent_.empty(); }
  /// Returns the owners of the unanswered queries in order.
  std::vector<void*> unanswered() const { return sent_.owners(); }
  /// Time of the last received data, or of the sending of the first unanswered unit.
  SteadyTime last_progress() const { return sent_.last_progress(); }
  /// Time of the server's last answer; min() if there is none.
  SteadyTime last_answer() const { return sent_.last_answer(); }

  /// Closes the connection without calling the listener.
  void close();
  /// Closes the connection and never calls the listener again.
  void detach();

 private:
  enum class State : std::uint8_t { closed, connecting, open };

  using Step = void (Channel::*)();

  void connect_soon();
  void start_connecting();
  void poll_connecting();
  void established();
  void on_socket(ChannelWaits::Direction direction, Step step);
  void watch_until(SteadyTime time);
  void check_progress();

  void send(Prepared& prepared, const Params& params, void* owner, Format format);
  void deallocate(const std::string& server_name);
  void flush();
  void on_readable();
  void process();
  void dispatch(Sent sent, ResultHandle result);
  void prepare_answered(const Sent& sent, const PGresult* result);
  void query_answered(const Sent& sent, ResultHandle result);
  Answer explain_failure(const Sent& sent, const PGresult* result);
  void time_statement(const Sent& sent);

  void fail(const std::string& reason);
  void tear_down();
  static void on_notice(void* channel, const PGresult* notice);

  const ChannelOptions options_;
  ConnectAttempts attempts_;
  Listener* listener_;
  ChannelWaits waits_;
  ConnectionHandle connection_;
  PreparedCache prepared_;
  SentStatements sent_;

  State state_ = State::closed;
  bool writing_ = false;
  bool is_ending_ = false;  // the server has announced the end of this session
  bool send_failed_ = false;
  std::string last_failure_ = "not connected";
};

}  // namespace waybill::storage::pq
