#include "app/demo/demo_receiver.hpp"

#include <cerrno>
#include <cstdlib>
#include <memory>
#include <netdb.h>
#include <poll.h>
#include <stdexcept>
#include <string_view>
#include <sys/socket.h>
#include <sys/time.h>
#include <system_error>
#include <unistd.h>
#include <utility>

#include "base/ascii.hpp"

namespace waybill::app {
namespace {

constexpr std::size_t most_bytes = 4 << 20;
constexpr std::string_view head_end = "\r\n\r\n";

[[noreturn]] void fail(const std::string& problem) {
  throw std::system_error(errno, std::generic_category(), problem);
}

FileHandle listen_on(const ListenAddress& address) {
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_PASSIVE;
  addrinfo* found = nullptr;
  if (::getaddrinfo(address.host.c_str(), std::to_string(address.port).c_str(), &hints, &found) != 0) {
    throw std::runtime_error("there is no address " + address.text() + " to listen on");
  }
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> owned(found, &::freeaddrinfo);
  FileHandle socket(::socket(found->ai_family, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const int on = 1;
  if (!socket || ::setsockopt(socket.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) != 0 ||
      ::bind(socket.get(), found->ai_addr, found->ai_addrlen) != 0 || ::listen(socket.get(), 64) != 0) {
    fail("cannot listen on " + address.text());
  }
  return socket;
}

std::uint16_t port_of(int socket) {
  sockaddr_storage address{};
  socklen_t size = sizeof address;
  char port[8] = "";
  if (::getsockname(socket, reinterpret_cast<sockaddr*>(&address), &size) != 0 ||
      ::getnameinfo(reinterpret_cast<sockaddr*>(&address), size, nullptr, 0, port, sizeof port,
                    NI_NUMERICSERV) != 0) {
    fail("cannot read the port");
  }
  return static_cast<std::uint16_t>(std::atoi(port));
}

std::string_view trim(std::string_view text) {
  while (text.starts_with(' ') || text.starts_with('\t')) text.remove_prefix(1);
  while (text.ends_with(' ') || text.ends_with('\t')) text.remove_suffix(1);
  return text;
}

/// The header fields after the request line.
std::map<std::string, std::string, std::less<>> parse_headers(std::string_view head) {
  std::map<std::string, std::string, std::less<>> headers;
  for (std::size_t at = head.find("\r\n"); at != std::string_view::npos;) {
    const std::size_t end = head.find("\r\n", at + 2);
    const std::string_view line = head.substr(at + 2, end == std::string_view::npos ? end : end - at - 2);
    if (const std::size_t colon = line.find(':'); colon != std::string_view::npos) {
      headers[ascii_lower(line.substr(0, colon))] = trim(line.substr(colon + 1));
    }
    at = end;
  }
  return headers;
}

}  // namespace

DemoReceiver::DemoReceiver(const ListenAddress& address)
    : listener_(listen_on(address)),
      url_("http://" + ListenAddress{address.host, port_of(listener_.get())}.text() + "/"),
      thread_(ThreadKind::demo, [this](const std::stop_token& stop) { serve(stop); }) {}

DemoReceiver::~DemoReceiver() = default;

std::optional<Delivery> DemoReceiver::next(std::chrono::milliseconds timeout, const std::stop_token& stop) {
  Lock guard(mutex_);
  const auto has_delivery = [this]() REQUIRES(mutex_) { return !deliveries_.empty(); };
  if (!arrived_.wait_for(guard, stop, timeout, has_delivery)) return std::nullopt;
  Delivery delivery = std::move(deliveries_.front());
  deliveries_.pop_front();
  return delivery;
}

void DemoReceiver::serve(const std::stop_token& stop) {
  while (!stop.stop_requested()) {
    pollfd waiting{.fd = listener_.get(), .events = POLLIN, .revents = 0};
    if (::poll(&waiting, 1, 100) <= 0) continue;
    const FileHandle connection(::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC));
    if (!connection) continue;
    const timeval timeout{.tv_sec = 5, .tv_usec = 0};
    ::setsockopt(connection.get(), SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof timeout);
    std::optional<Delivery> delivery = receive(connection.get());
    const std::string_view answer = delivery ? "HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n"
                                             : "HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n";
    ::send(connection.get(), answer.data(), answer.size(), MSG_NOSIGNAL);
    if (!delivery) continue;
    const Lock guard(mutex_);
    deliveries_.push_back(std::move(*delivery));
    arrived_.notify_all();
  }
}

/// Reads one request with a Content-Length; returns nullopt if it is not one.
std::optional<Delivery> DemoReceiver::receive(int connection) {
  Delivery delivery;
  std::string data;
  std::size_t body_at = std::string::npos;
  std::size_t wanted = 0;
  while (body_at == std::string::npos || data.size() < body_at + wanted) {
    char chunk[16384];
    const ssize_t got = ::recv(connection, chunk, sizeof chunk, 0);
    if (got <= 0 || data.size() > most_bytes) return std::nullopt;
    if (data.empty()) delivery.first_byte = std::chrono::steady_clock::now();
    data.append(chunk, static_cast<std::size_t>(got));
    if (body_at != std::string::npos) continue;
    const std::size_t end = data.find(head_end);
    if (end == std::string::npos) continue;
    delivery.headers = parse_headers(std::string_view(data).substr(0, end));
    body_at = end + head_end.size();
    const auto length = delivery.headers.find("content-length");
    wanted = length == delivery.headers.end() ? 0 : std::strtoul(length->second.c_str(), nullptr, 10);
  }
  delivery.body = data.substr(body_at, wanted);
  return delivery;
}

}  // namespace waybill::app
