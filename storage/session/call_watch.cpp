#include "storage/session/call_watch.hpp"

#include <algorithm>
#include <array>
#include <fcntl.h>
#include <netdb.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>
#include <utility>
#include <vector>

#include "base/thread/mutex.hpp"
#include "storage/pq/connect_params.hpp"
#include "storage/session/server_check.hpp"
#include "storage/session/session_limits.hpp"
#include "storage/statement/errors.hpp"

namespace waybill::storage {
namespace {

using namespace std::chrono_literals;
using std::chrono::steady_clock;

constexpr Duration usual_pause = 500ms;
constexpr Duration pause_of_check = 20ms;
// At the end of the process, once a server was silent: the calls of the parts that stop follow each other.
constexpr Duration silence_of_last_calls = 300ms;
// A process that was stopped, or that got no time, has not listened.
constexpr auto longest_turn = 1s;
// A server that refuses connections does so at once.
constexpr auto longest_refusal = 1s;

struct AllCalls {
  Mutex mutex;
  std::vector<WatchedCalls*> sessions GUARDED_BY(mutex);
  std::atomic<bool> is_active = false;
  std::atomic<bool> is_ending = false;  // the process ends
  std::atomic<bool> is_silent = false;  // the last call or attempt to connect had no answer
};

AllCalls all_calls;

/// The part of the longest silence after which the server is asked, and the time that it has for its answer.
Duration patience(Duration longest_silence) { return longest_silence * 2 / 5; }

/// The address of the other end in numbers; empty for a socket in a directory.
std::string address_of_peer(int socket) {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  std::array<char, NI_MAXHOST> text{};
  auto* const peer = reinterpret_cast<sockaddr*>(&address);  // NOLINT(*-reinterpret-cast): as POSIX wants it
  if (getpeername(socket, peer, &size) != 0 || address.ss_family == AF_UNIX) return "";
  if (getnameinfo(peer, size, text.data(), text.size(), nullptr, 0, NI_NUMERICHOST) != 0) return "";
  return text.data();
}

/// The longest silence of all sessions.
Duration longest_silence() {
  if (!all_calls.is_ending) return Duration::max();
  return all_calls.is_silent ? silence_of_last_calls : silence_of_leases;
}

/// True if the answer of the server, or the end of the connection, waits to be read.
bool has_input(int socket) {
  pollfd watched_socket{.fd = socket, .events = POLLIN, .revents = 0};
  return poll(&watched_socket, 1, 0) != 0;
}

}  // namespace

WatchedServer watched_server(const std::string& url, const WatchedSession& session) {
  const pq::ServerAddress server{
      .host = session.host, .address = address_of_peer(session.socket), .port = session.port};
  return {.check = pq::conninfo_of_server(url, "waybill check", "-c statement_timeout=5000", server),
          .socket = session.socket,
          .process = session.process};
}

bool WatchedCalls::is_active() { return all_calls.is_active; }

void WatchedCalls::add(WatchedServer server, Duration longest_silence) {
  const int socket = fcntl(server.socket, F_DUPFD_CLOEXEC, 0);
  if (socket < 0) return;
  server_ = std::move(server);
  longest_silence_ = longest_silence;
  socket_ = socket;
  const Lock lock(all_calls.mutex);
  all_calls.sessions.push_back(this);
}

void WatchedCalls::close() {
  if (socket_ < 0) return;
  {
    const Lock lock(all_calls.mutex);
    std::erase(all_calls.sessions, this);
  }
  ::close(std::exchange(socket_, -1));
}

WatchedConnect::WatchedConnect(const std::string& url)
    : url_(url),
      hosts_(pq::host_count(url)),
      last_(pq::last_connection(url)),
      first_(last_->host),
      began_(steady_clock::now()) {
  if (all_calls.is_ending && all_calls.is_silent)
    throw DatabaseUnavailable("the process ends, and the database does not answer");
}

WatchedConnect::~WatchedConnect() {
  if (!has_succeeded_ && steady_clock::now() - began_ > longest_refusal) all_calls.is_silent = true;
}

void WatchedConnect::succeeded(const std::string& host, const std::string& port) {
  has_succeeded_ = true;
  all_calls.is_silent = false;
  if (hosts_ == 1) return;
  if (const auto index = pq::host_of(url_, host, port)) last_->host = *index;
}

CallWatch::CallWatch() {
  all_calls.is_active = true;
  all_calls.is_silent = false;
}

CallWatch::~CallWatch() {
  loop_.stop();
  all_calls.is_active = false;
  all_calls.is_ending = false;
}

void CallWatch::hurry() {
  all_calls.is_ending = true;
  loop_.wake();
}

Loop::Wait CallWatch::turn() {
  const Moment now = steady_clock::now();
  if (now - std::exchange(last_turn_, now) > longest_turn) check_.reset();
  if (check_ && check_->continues_to_end()) finish_check();
  look(now);
  return {.length = check_ || all_calls.is_ending ? pause_of_check : usual_pause};
}

/// Notes for which sessions the server works.
void CallWatch::finish_check() {
  const Lock lock(all_calls.mutex);
  for (WatchedCalls* const session : all_calls.sessions) {
    const Moment::rep call = session->since_.load(std::memory_order_relaxed);
    if (call > check_began_.time_since_epoch().count() || session->server_.check != check_->connection())
      continue;
    const bool works = check_->works_for(session->server_.process);
    if (works) session->answered_at_ = steady_clock::now();
    session->doubted_call_ = works ? 0 : call;
    if (works) all_calls.is_silent = false;
  }
  check_.reset();
}

/// Ends sessions, and begins a check if a call lasts for long.
void CallWatch::look(Moment now) {
  bool awaits_check = false;  // a call waits for the server that is asked
  const std::string* next = nullptr;
  const Lock lock(all_calls.mutex);
  for (WatchedCalls* const session : all_calls.sessions) {
    const Moment::rep call = session->since_.load(std::memory_order_relaxed);
    if (call == 0 || session->is_ended()) continue;
    const Duration limit = std::min(session->longest_silence_, longest_silence());
    const auto silence = std::chrono::duration_cast<Duration>(
        now - std::max(Moment(Moment::duration(call)), session->answered_at_));
    if (silence < patience(limit)) continue;
    if (must_end(*session, silence, limit, now)) {
      if (session->doubted_call_ != call) all_calls.is_silent = true;  // else the server answers others
      session->is_ended_ = true;
      shutdown(session->socket_, SHUT_RDWR);
    } else if (check_ && session->server_.check == check_->connection()) {
      awaits_check = true;
    } else {
      next = &session->server_.check;
    }
  }
  if (!awaits_check) check_.reset();
  if (check_ || next == nullptr || (!all_calls.is_ending && now - check_began_ < usual_pause)) return;
  check_ = std::make_unique<ServerCheck>(*next);
  check_began_ = now;
}

bool CallWatch::must_end(const WatchedCalls& session, Duration silence, Duration limit, Moment now) const {
  if (silence < limit || has_input(session.socket_)) return false;
  if (session.doubted_call_ == session.since_.load(std::memory_order_relaxed)) return true;
  return check_ && session.server_.check == check_->connection() && now - check_began_ >= patience(limit);
}

}  // namespace waybill::storage
