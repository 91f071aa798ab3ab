#pragma once

#include <atomic>
#include <concepts>
#include <memory>
#include <string>

#include "base/clock.hpp"
#include "base/thread/loop.hpp"
#include "base/thread/service.hpp"
#include "storage/pq/connect_attempts.hpp"
#include "storage/pq/connect_params.hpp"

namespace waybill::storage {

class ServerCheck;

/// The error of a session that CallWatch ended.
inline constexpr const char* silent_server = "the server holds the connection and does not answer";

/// A blocking session with its server, as libpq names it.
struct WatchedSession {
  int socket = -1;
  int process = 0;  // of the server
  std::string host;
  std::string port;
};

/// A session, and the connection string with which another connection reaches its server.
struct WatchedServer {
  std::string check;
  int socket = -1;
  int process = 0;
};
WatchedServer watched_server(const std::string& url, const WatchedSession& session);

/// The calls of one blocking session, for the CallWatch of the process. Without one, nothing is watched. A
/// call costs two readings of a clock: no system call, no lock, no message to the server. One thread.
class WatchedCalls {
 public:
  using Moment = Service::Moment;

  WatchedCalls() = default;
  ~WatchedCalls() { close(); }
  WatchedCalls(const WatchedCalls&) = delete;
  WatchedCalls& operator=(const WatchedCalls&) = delete;

  /// Watches the calls from now on. `server` is called if the process has a CallWatch. A server that is
  /// silent for `longest_silence` during a call loses the session.
  template <std::invocable Server>
  void open(Duration longest_silence, Server server) {
    if (is_active()) add(server(), longest_silence);
  }
  /// Call it before the connection is closed.
  void close();
  /// True if the session was ended because its server was silent.
  bool is_ended() const { return is_ended_.load(std::memory_order_relaxed); }

  /// The time in which the thread waits for the server. A call within another is a part of it.
  class Call {
   public:
    explicit Call(WatchedCalls& calls) : calls_(calls.begin() ? &calls : nullptr) {}
    ~Call() {
      if (calls_ != nullptr) calls_->since_.store(0, std::memory_order_relaxed);
    }
    Call(const Call&) = delete;
    Call& operator=(const Call&) = delete;

   private:
    WatchedCalls* const calls_;
  };

 private:
  friend class CallWatch;

  static bool is_active();
  void add(WatchedServer server, Duration longest_silence);
  bool begin() {
    if (socket_ < 0 || since_.load(std::memory_order_relaxed) != 0) return false;
    since_.store(Moment::clock::now().time_since_epoch().count(), std::memory_order_relaxed);
    return true;
  }

  std::atomic<Moment::rep> since_ = 0;  // the beginning of the running call; 0: there is none
  std::atomic<bool> is_ended_ = false;
  int socket_ = -1;  // a duplicate: libpq closes its own descriptor within a call if the connection breaks
  WatchedServer server_;
  Duration longest_silence_{};

  // Used by CallWatch, under its mutex.
  Moment answered_at_{};          // when the server last showed that it works for this session
  Moment::rep doubted_call_ = 0;  // the beginning of a call for which a server that answers does not work
};

/// An attempt to connect. Of several hosts it begins with the one that answered this process last, as
/// pq::Channel does: all its sessions use one primary, even if an old one starts again. It is noted for the
/// end of the process: while it ends, no further attempt begins after a server has not answered one. Any
/// thread.
class WatchedConnect {
 public:
  /// Throws DatabaseUnavailable if the process ends and the server was silent.
  explicit WatchedConnect(const std::string& url);
  ~WatchedConnect();
  WatchedConnect(const WatchedConnect&) = delete;
  WatchedConnect& operator=(const WatchedConnect&) = delete;

  /// The URL with its hosts in the order of the attempt.
  std::string url() const { return pq::beginning_with_host(url_, first_); }
  /// Notes the host, as libpq names it.
  void succeeded(const std::string& host, const std::string& port);

 private:
  const std::string url_;
  const std::size_t hosts_;
  const std::shared_ptr<pq::LastConnection> last_;
  const std::size_t first_;
  const Service::Moment began_;
  bool has_succeeded_ = false;
};

/// Ends the blocking sessions of the process whose server holds their connections and answers nothing. While
/// a call lasts for long, another connection asks the same server: one that answers has all the time that the
/// statement needs, and one that does not, loses the session. The call then fails as it does when a
/// connection breaks. Asynchronous connections (pq::Channel) have limits of their own. Make one for each
/// process, before the sessions that it watches.
class CallWatch final : public Service {
 public:
  CallWatch();
  ~CallWatch() override;

  void start() override { loop_.start(); }
  /// The process ends: calls and connections wait for a silent server for as short a time as leases.
  void hurry();
  void stop(Moment /*until*/) override { loop_.stop(); }

 private:
  Loop::Wait turn();
  void finish_check();
  void look(Moment now);
  bool must_end(const WatchedCalls& session, Duration silence, Duration limit, Moment now) const;

  std::unique_ptr<ServerCheck> check_;
  Moment check_began_{};
  Moment last_turn_{};
  Loop loop_{ThreadKind::calls, [this] { return turn(); }};
};

}  // namespace waybill::storage
