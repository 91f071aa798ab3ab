// The receiver of webhooks: bench_receiver PORT [ADDRESSES]
//
// Listens on 127.0.0.1 (to 127.0.0.ADDRESSES), prints "listening on PORT" and answers every POST with 200.
// Counts distinct `webhook-id`s and records the arrival of the first byte of each, in order. Controls:
//   GET /reset         clears all counts and times
//   GET /count         {"requests", "distinct", "held", "bytes", "last_ns"}
//   GET /wait?count=N  like /count, after N distinct ids have arrived
//   GET /times         the arrival times, one per line
//   GET /hold          holds the answers to POSTs until /release
//   GET /release       sends the held answers
//   GET /delay?ms=N    delays the answer to each later POST by N milliseconds

#include <array>
#include <cstdio>
#include <deque>
#include <fcntl.h>
#include <memory>
#include <sys/epoll.h>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "bench/loopback.hpp"

namespace waybill::bench {
namespace {

constexpr std::string_view accepted = "HTTP/1.1 200 OK\r\nContent-Length: 11\r\n\r\n{\"ok\":true}";

struct Connection {
  explicit Connection(int fd) : socket(fd) {}
  Socket socket;
  std::string input;
  std::int64_t first_byte = 0;  // arrival of the message at the start of `input`
};

struct Delayed {
  int fd;
  std::int64_t due;  // in the time of now_ns
};

struct Waiter {
  int fd;
  std::size_t count;
};

class Receiver {
 public:
  Receiver(std::uint16_t port, std::uint32_t addresses) : epoll_(::epoll_create1(EPOLL_CLOEXEC)) {
    for (std::uint32_t address = 1; address <= addresses; ++address) listen(port, address);
    ids_.reserve(1 << 18);
    times_.reserve(1 << 18);
  }

  std::uint16_t port() const { return port_; }

  [[noreturn]] void run() {
    std::array<epoll_event, 256> events{};
    for (;;) {
      const int count =
          ::epoll_wait(epoll_.fd(), events.data(), static_cast<int>(events.size()), answer_delayed());
      for (int i = 0; i < count; ++i) {
        const int fd = events.at(static_cast<std::size_t>(i)).data.fd;
        if (const auto found = connections_.find(fd); found != connections_.end()) {
          if (!read(*found->second)) connections_.erase(fd);
        } else {
          accept(fd);
        }
      }
    }
  }

 private:
  void listen(std::uint16_t port, std::uint32_t address) {
    Socket socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    const int on = 1;
    ::setsockopt(socket.fd(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
    sockaddr_in name = loopback(port_ == 0 ? port : port_, address);
    socklen_t size = sizeof name;
    if (::bind(socket.fd(), reinterpret_cast<sockaddr*>(&name), size) != 0 ||
        ::listen(socket.fd(), 4096) != 0 ||
        ::getsockname(socket.fd(), reinterpret_cast<sockaddr*>(&name), &size) != 0) {
      fail("listen");
    }
    port_ = ntohs(name.sin_port);
    watch(socket.fd());
    listeners_.push_back(std::move(socket));
  }

  void watch(int fd) {
    epoll_event event{.events = EPOLLIN, .data = {.fd = fd}};
    if (::epoll_ctl(epoll_.fd(), EPOLL_CTL_ADD, fd, &event) != 0) fail("epoll_ctl");
  }

  void accept(int listener) {
    for (;;) {
      const int fd = ::accept4(listener, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK);
      if (fd < 0) return;
      send_at_once(fd);
      connections_.emplace(fd, std::make_unique<Connection>(fd));
      watch(fd);
    }
  }

  /// Returns false if the connection is closed.
  bool read(Connection& connection) {
    std::array<char, 16384> chunk;  // NOLINT(cppcoreguidelines-pro-type-member-init): written by recv
    const ssize_t got = ::recv(connection.socket.fd(), chunk.data(), chunk.size(), 0);
    if (got < 0) return errno == EAGAIN;
    if (got == 0) return false;
    if (connection.input.empty()) connection.first_byte = now_ns();
    connection.input.append(chunk.data(), static_cast<std::size_t>(got));
    for (;;) {
      const Message message = parse_message(connection.input);
      if (message.size == 0) return true;
      if (message.start_line.starts_with("POST ")) {
        receive(connection, message);
      } else {
        control(connection, message.start_line);
      }
      connection.input.erase(0, message.size);
    }
  }

  void receive(const Connection& connection, const Message& message) {
    ++requests_;
    bytes_ += message.body.size();
    if (ids_.emplace(field(message.fields, "webhook-id")).second) {
      times_.push_back(connection.first_byte);
      last_ = now_ns();
      for (const Waiter& waiter : waiters_) {
        if (ids_.size() >= waiter.count) answer(waiter.fd, counts());
      }
      std::erase_if(waiters_, [&](const Waiter& waiter) { return ids_.size() >= waiter.count; });
    }
    if (holding_) {
      held_.push_back(connection.socket.fd());
    } else if (delay_ > 0) {
      delayed_.push_back({connection.socket.fd(), now_ns() + delay_});
    } else {
      reply(connection.socket.fd(), accepted);
    }
  }

  /// Answers the POSTs that are due. Returns the milliseconds until the next one is, as epoll_wait's timeout.
  int answer_delayed() {
    const std::int64_t now = now_ns();
    for (; !delayed_.empty() && delayed_.front().due <= now; delayed_.pop_front())
      reply(delayed_.front().fd, accepted);
    return delayed_.empty() ? -1 : static_cast<int>((delayed_.front().due - now) / 1'000'000 + 1);
  }

  void control(const Connection& connection, std::string_view start_line) {
    constexpr std::string_view wait = "GET /wait?count=";
    constexpr std::string_view delay = "GET /delay?ms=";
    const int fd = connection.socket.fd();
    if (start_line.starts_with(wait)) {
      const std::string_view rest = start_line.substr(wait.size());
      const auto count = parse_number<std::size_t>(rest.substr(0, rest.find(' ')), "count");
      if (ids_.size() < count) {
        waiters_.push_back({fd, count});
        return;
      }
    } else if (start_line.starts_with("GET /reset ")) {
      ids_.clear();
      times_.clear();
      requests_ = bytes_ = 0;
      last_ = 0;
    } else if (start_line.starts_with("GET /times ")) {
      std::string text;
      for (const std::int64_t time : times_) text += std::to_string(time) + "\n";
      answer(fd, text);
      return;
    } else if (start_line.starts_with(delay)) {
      const std::string_view rest = start_line.substr(delay.size());
      delay_ = parse_number<std::int64_t>(rest.substr(0, rest.find(' ')), "ms") * 1'000'000;
    } else if (start_line.starts_with("GET /hold ")) {
      holding_ = true;
    } else if (start_line.starts_with("GET /release ")) {
      holding_ = false;
      for (const int held : held_) reply(held, accepted);
      held_.clear();
    }
    answer(fd, counts());
  }

  std::string counts() const {
    return R"({"requests":)" + std::to_string(requests_) + R"(,"distinct":)" + std::to_string(ids_.size()) +
           R"(,"held":)" + std::to_string(held_.size()) + R"(,"bytes":)" + std::to_string(bytes_) +
           R"(,"last_ns":)" + std::to_string(last_) + "}\n";
  }

  void answer(int fd, std::string_view body) {
    reply(fd, "HTTP/1.1 200 OK\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" +
                  std::string(body));
  }

  /// Sends an answer; does nothing if the connection is closed.
  void reply(int fd, std::string_view answer) {
    while (connections_.contains(fd) && !answer.empty()) {
      const ssize_t sent = ::send(fd, answer.data(), answer.size(), MSG_NOSIGNAL);
      if (sent < 0 && errno != EAGAIN) return;
      if (sent > 0) answer.remove_prefix(static_cast<std::size_t>(sent));
    }
  }

  Socket epoll_;
  std::uint16_t port_ = 0;
  std::vector<Socket> listeners_;
  std::unordered_map<int, std::unique_ptr<Connection>> connections_;
  std::unordered_set<std::string> ids_;
  std::vector<std::int64_t> times_;
  std::vector<Waiter> waiters_;
  std::vector<int> held_;
  bool holding_ = false;
  std::deque<Delayed> delayed_;  // by due time, while the delay stays the same
  std::int64_t delay_ = 0;       // nanoseconds
  std::size_t requests_ = 0;
  std::size_t bytes_ = 0;
  std::int64_t last_ = 0;
};

}  // namespace
}  // namespace waybill::bench

int main(int argc, char** argv) {
  using namespace waybill::bench;
  try {
    const auto port = parse_number<std::uint16_t>(argc > 1 ? argv[1] : "0", "PORT");
    const auto addresses = parse_number<std::uint32_t>(argc > 2 ? argv[2] : "1", "ADDRESSES");
    Receiver receiver(port, addresses);
    std::printf("listening on %d\n", receiver.port());
    std::fflush(stdout);
    receiver.run();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench_receiver: %s\n", error.what());
    return 1;
  }
}
