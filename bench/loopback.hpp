#pragma once

#include <arpa/inet.h>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <ctime>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdexcept>
#include <string>
#include <string_view>
#include <sys/socket.h>
#include <system_error>
#include <unistd.h>
#include <utility>

#include "base/number.hpp"

namespace waybill::bench {

/// The current time in nanoseconds of CLOCK_MONOTONIC. All programs of the benchmark run on one machine, so
/// their times can be compared.
inline std::int64_t now_ns() {
  timespec time{};
  ::clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<std::int64_t>(time.tv_sec) * 1'000'000'000 + time.tv_nsec;
}

template <typename Number>
Number parse_number(std::string_view text, const char* name) {
  const auto number = waybill::parse_number<Number>(text);
  if (!number) {
    throw std::invalid_argument(std::string(name) + " must be a number, not \"" + std::string(text) + "\"");
  }
  return *number;
}

class Socket {
 public:
  Socket() = default;
  explicit Socket(int fd) : fd_(fd) {}
  Socket(Socket&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Socket& operator=(Socket&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  Socket(const Socket&) = delete;
  Socket& operator=(const Socket&) = delete;
  ~Socket() {
    if (fd_ >= 0) ::close(fd_);
  }
  int fd() const { return fd_; }

 private:
  int fd_ = -1;
};

[[noreturn]] inline void fail(const char* call) {
  throw std::system_error(errno, std::generic_category(), call);
}

inline sockaddr_in loopback(std::uint16_t port, std::uint32_t last_byte = 1) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(port);
  address.sin_addr.s_addr = htonl((INADDR_LOOPBACK & 0xFFFFFF00U) | last_byte);
  return address;
}

inline void send_at_once(int fd) {
  const int on = 1;
  ::setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

inline Socket connect_to(std::uint16_t port) {
  Socket socket(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const sockaddr_in address = loopback(port);
  if (socket.fd() < 0 ||
      ::connect(socket.fd(), reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    fail("connect");
  }
  send_at_once(socket.fd());
  return socket;
}

inline void send_all(int fd, std::string_view data) {
  while (!data.empty()) {
    const ssize_t sent = ::send(fd, data.data(), data.size(), MSG_NOSIGNAL);
    if (sent < 0) fail("send");
    data.remove_prefix(static_cast<std::size_t>(sent));
  }
}

/// An HTTP/1.1 message with a Content-Length (RFC 9112 section 6.2).
struct Message {
  std::string_view start_line;
  std::string_view fields;  // each line with its CRLF
  std::string_view body;
  std::size_t size = 0;  // 0 if it is not complete yet
};

inline bool same_name(std::string_view name, std::string_view lower_case) {
  if (name.size() != lower_case.size()) return false;
  for (std::size_t i = 0; i < name.size(); ++i) {
    const char c = name[i];
    if ((c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c) != lower_case[i]) return false;
  }
  return true;
}

inline std::string_view field(std::string_view fields, std::string_view lower_case_name) {
  while (!fields.empty()) {
    const std::size_t end = fields.find("\r\n");
    const std::string_view line = fields.substr(0, end);
    const std::size_t colon = line.find(':');
    if (colon != std::string_view::npos && same_name(line.substr(0, colon), lower_case_name)) {
      std::string_view value = line.substr(colon + 1);
      while (value.starts_with(' ')) value.remove_prefix(1);
      return value;
    }
    fields.remove_prefix(end == std::string_view::npos ? fields.size() : end + 2);
  }
  return {};
}

inline Message parse_message(std::string_view data) {
  const std::size_t head = data.find("\r\n\r\n");
  if (head == std::string_view::npos) return {};
  const std::size_t line = data.find("\r\n");
  Message message{
      .start_line = data.substr(0, line), .fields = data.substr(line + 2, head - line), .body = {}};
  const std::string_view length = field(message.fields, "content-length");
  const auto size = length.empty() ? 0 : parse_number<std::size_t>(length, "Content-Length");
  if (data.size() < head + 4 + size) return {};
  message.body = data.substr(head + 4, size);
  message.size = head + 4 + size;
  return message;
}

/// The status of an answer's start line.
inline int status_of(std::string_view start_line) {
  return start_line.size() < 12 ? 0 : parse_number<int>(start_line.substr(9, 3), "the status");
}

/// A kept-alive connection to a server on this machine, with one request at a time.
class Client {
 public:
  explicit Client(std::uint16_t port) : socket_(connect_to(port)) {}

  struct Answer {
    int status = 0;
    std::string body;
  };

  /// Sends a complete request.
  Answer answer_to(std::string_view request) {
    send_all(socket_.fd(), request);
    buffer_.clear();
    for (;;) {
      char chunk[16384];
      const ssize_t got = ::recv(socket_.fd(), chunk, sizeof chunk, 0);
      if (got < 0) fail("recv");
      if (got == 0) throw std::runtime_error("the server closed the connection");
      buffer_.append(chunk, static_cast<std::size_t>(got));
      const Message message = parse_message(buffer_);
      if (message.size > 0) return {status_of(message.start_line), std::string(message.body)};
    }
  }

  /// Sends a complete request and returns the body of its answer, which must be 2xx.
  std::string exchange(std::string_view request) {
    Answer answer = answer_to(request);
    if (answer.status / 100 != 2) {
      throw std::runtime_error("the server answered " + std::to_string(answer.status) + " " + answer.body);
    }
    return std::move(answer.body);
  }

  std::string get(std::string_view target) {
    return exchange("GET " + std::string(target) + " HTTP/1.1\r\nHost: localhost\r\n\r\n");
  }

 private:
  Socket socket_;
  std::string buffer_;
};

/// The guid of the n-th order of the benchmark's data; see data.sql.
inline std::string order_guid(std::uint64_t n) {
  const std::string digits = std::to_string(100'000'000'000 + n);
  return "00000000-0000-4000-8000-" + digits;
}

inline std::string status_change(std::uint64_t order, std::string_view status, std::string_view token) {
  const std::string body = R"({"status":")" + std::string(status) + R"("})";
  return "PATCH /api/v1/Orders/" + order_guid(order) +
         "/status HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nAuthorization: Bearer " +
         std::string(token) + "\r\nContent-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

}  // namespace waybill::bench
