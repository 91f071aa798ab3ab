#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/steady_timer.hpp>

#include "base/clock.hpp"
#include "storage/params.hpp"
#include "storage/pq/libpq.hpp"
#include "storage/pq/prepared.hpp"
#include "storage/rows.hpp"
#include "storage/statement.hpp"

namespace waybill::storage::pq {

namespace asio = boost::asio;
using SteadyTime = std::chrono::steady_clock::time_point;

struct ChannelOptions {
  std::string url;
  std::string application_name;
  bool read_only = false;
  Duration statement_timeout{};
  Duration connect_timeout{};
};

/// What came back for one query.
struct Answer {
  enum class Kind : std::uint8_t {
    rows,
    failed,   // refused with `error`
    stale,    // refused with `error`: its plan is gone or no longer fits; when sent again it is prepared anew
    aborted,  // not run, because one before it failed
  };
  Kind kind;
  Rows rows;
  std::shared_ptr<const StatementError> error;
};

/// The host of a URL to which this process connected last, counted from 0; its channels share it.
std::shared_ptr<std::atomic<std::size_t>> last_host(const std::string& url);

/// One libpq connection in pipeline mode on an io_context: statements go out in order, are prepared before
/// their first use, and their answers come back to the listener in the same order. After a failed one the
/// server skips the rest up to the next sync. Opens when told to; a broken connection is closed and reported,
/// never reopened by itself. An attempt to connect tries each host of the URL once, beginning with the one
/// that answered last. After it failed, the next one is allowed 25 ms later, then twice that, up to 1 s, less
/// a random part; a connection that worked before may be reopened at once. A server that refuses a write as
/// read-only is left like one that has ended the connection, unless the channel itself only reads.
///
/// One thread. Host names are resolved synchronously by libpq. Listener calls are made from the io_context,
/// never from inside `query`; from inside `sync` and `alive` only `lost`. The listener may call anything from
/// inside its calls.
class Channel : public std::enable_shared_from_this<Channel> {
 public:
  class Listener {
   public:
    virtual ~Listener() = default;
    virtual void opened() = 0;
    virtual void received(void* owner, Answer answer) = 0;
    virtual void synced() = 0;
    /// All that has come is delivered.
    virtual void drained() = 0;
    /// The connection could not be made, or broke with the queries of `owners` unanswered.
    virtual void lost(const std::vector<void*>& owners, const std::string& why) = 0;
  };

  Channel(asio::io_context& io, ChannelOptions options, Listener& listener);
  ~Channel();
  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;

  bool is_open() const { return state_ == State::open; }
  bool is_closed() const { return state_ == State::closed; }
  /// False while the pause after a failed attempt lasts.
  bool may_open() const { return std::chrono::steady_clock::now() >= next_attempt_; }
  const std::string& last_failure() const { return last_failure_; }

  /// Starts connecting; only when closed. `opened` or `lost` follows.
  void open();

  /// Whether an open connection still is one, as far as the kernel knows: for those that must not be sent in
  /// vain.
  bool alive();

  /// Queues one statement; only when open. `owner` comes back with its answer.
  void query(const Statement& statement, const Params& params, void* owner, Format format = Format::text);
  void query_text(std::string_view name, std::string_view text, const Params& params, void* owner,
                  Format format = Format::text);

  /// Ends a unit: what was queued since the last one is sent, and fails together.
  void sync();

  /// Whether anything is unanswered.
  bool busy() const { return !sent_.empty(); }
  /// The owners of the unanswered queries, in order.
  std::vector<void*> unanswered() const;
  /// When something last came, or the first unanswered unit was sent.
  SteadyTime last_progress() const { return progress_; }
  /// When the server last answered; min() if never.
  SteadyTime last_answer() const { return answered_; }

  /// Drops the connection; nobody is told.
  void close();
  /// `close`, and no call of the listener ever again.
  void detach();

 private:
  enum class State : std::uint8_t { closed, connecting, open };
  enum class Kind : std::uint8_t { prepare, query, deallocate, sync };

  struct Sent {
    Kind kind;
    bool muted = false;  // its owner has been answered already
    std::uint32_t generation = 0;
    Prepared* prepared = nullptr;
    void* owner = nullptr;
    SteadyTime at{};
  };

  using Step = void (Channel::*)();

  void connect_soon();
  void start_connecting();
  void poll_connecting();
  void established();
  void on_socket(asio::posix::stream_descriptor::wait_type direction, Step step);
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

  void fail(const std::string& why);
  void tear_down();
  static void on_notice(void* channel, const PGresult* notice);

  asio::io_context& io_;
  const ChannelOptions options_;
  const std::size_t hosts_;  // of the URL
  const std::shared_ptr<std::atomic<std::size_t>> last_host_;
  std::size_t host_ = 0;         // the one that is connected to
  std::size_t hosts_tried_ = 0;  // since `open`
  Listener* listener_;
  asio::posix::stream_descriptor socket_;
  asio::steady_timer timer_;
  ConnectionHandle connection_;
  PreparedCache prepared_;
  std::deque<Sent> sent_;  // unanswered, in order

  State state_ = State::closed;
  std::uint64_t epoch_ = 0;  // of this connection; completions of earlier ones are ignored
  int syncs_due_ = 0;
  bool terminator_due_ = false;
  bool watching_ = false;
  bool writing_ = false;
  bool doomed_ = false;  // the server has said that it ends this session
  bool send_failed_ = false;
  bool proven_ = false;  // this connection has answered something
  bool was_lost_ = false;
  int failures_ = 0;
  SteadyTime next_attempt_{};
  SteadyTime progress_{};
  SteadyTime answered_ = SteadyTime::min();
  SteadyTime head_since_{};  // when the oldest unanswered query became the oldest
  std::string last_failure_ = "not connected";
};

}  // namespace waybill::storage::pq
