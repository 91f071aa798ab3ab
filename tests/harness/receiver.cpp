#include "tests/harness/receiver.hpp"

#include <arpa/inet.h>
#include <array>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <set>
#include <stdexcept>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>

namespace waybill::tests {
namespace {

bool send_all(int socket, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

bool receive_some(int socket, std::string& buffer) {
  std::array<char, 65536> bytes{};
  const ssize_t got = recv(socket, bytes.data(), bytes.size(), 0);
  if (got <= 0) return false;
  buffer.append(bytes.data(), static_cast<std::size_t>(got));
  return true;
}

// Reads one request; false if the connection ended. Senders of webhooks send a Content-Length, so chunked
// bodies are not supported.
bool receive_request(int socket, std::string& buffer, Received& request) {
  auto end = buffer.find("\r\n\r\n");
  while (end == std::string::npos) {
    if (!receive_some(socket, buffer)) return false;
    end = buffer.find("\r\n\r\n");
  }
  const std::string head = buffer.substr(0, end + 2);
  buffer.erase(0, end + 4);
  auto line_end = head.find("\r\n");
  const std::string line = head.substr(0, line_end);
  const auto first_space = line.find(' ');
  const auto second_space = line.find(' ', first_space + 1);
  if (second_space == std::string::npos) return false;
  request.method = line.substr(0, first_space);
  request.target = line.substr(first_space + 1, second_space - first_space - 1);
  for (auto start = line_end + 2; start < head.size(); start = line_end + 2) {
    line_end = head.find("\r\n", start);
    const std::string field = head.substr(start, line_end - start);
    const auto colon = field.find(':');
    if (colon == std::string::npos) return false;
    const auto value = field.find_first_not_of(' ', colon + 1);
    request.headers.emplace_back(field.substr(0, colon),
                                 value == std::string::npos ? "" : field.substr(value));
  }
  if (!request.header("expect").empty() && !send_all(socket, "HTTP/1.1 100 Continue\r\n\r\n")) return false;
  const std::string length = request.header("content-length");
  const std::size_t size = length.empty() ? 0 : std::stoul(length);
  while (buffer.size() < size) {
    if (!receive_some(socket, buffer)) return false;
  }
  request.body = buffer.substr(0, size);
  buffer.erase(0, size);
  request.at = std::chrono::steady_clock::now();
  request.wall_at = std::chrono::system_clock::now();
  return true;
}

std::string path_of(const std::string& target) { return target.substr(0, target.find('?')); }

std::string answer_text(const Reply& reply) {
  std::string text = "HTTP/1.1 " + std::to_string(reply.status) + " Scripted\r\n";
  for (const auto& [name, value] : reply.headers) text.append(name).append(": ").append(value).append("\r\n");
  return text + "Content-Length: " + std::to_string(reply.body.size()) + "\r\n\r\n" + reply.body;
}

}  // namespace

void Gate::open() {
  open_ = true;
  open_.notify_all();
}

void Gate::wait() const { open_.wait(false); }

json::value Received::json_body() const {
  boost::system::error_code error;
  return json::parse(body, error);
}

struct Receiver::State {
  mutable std::mutex mutex;
  std::condition_variable changed;
  std::map<std::string, std::vector<Received>, std::less<>> requests;
  std::map<std::string, Reply, std::less<>> default_replies;
  std::map<std::string, std::deque<Reply>, std::less<>> next;
  std::function<Reply(const Received&)> decider;
  std::vector<std::shared_ptr<Gate>> gates;
  std::set<int> sockets;
  std::vector<std::thread> threads;
  std::size_t connections = 0;
  bool stopped = false;
  int listener = -1;
  int port = 0;
  std::string address;
  std::thread acceptor;

  void accept_all() {
    while (true) {
      const int socket = accept4(listener, nullptr, nullptr, SOCK_CLOEXEC);
      const std::lock_guard lock(mutex);
      if (stopped || socket < 0) {
        if (socket >= 0) ::close(socket);
        if (stopped) return;
        continue;
      }
      const int on = 1;
      setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
      sockets.insert(socket);
      const std::size_t number = connections++;
      threads.emplace_back([this, socket, number] { serve(socket, number); });
    }
  }

  void serve(int socket, std::size_t number) {
    std::string buffer;
    while (true) {
      Received request;
      request.connection = number;
      if (!receive_request(socket, buffer, request)) break;
      if (!send_reply(socket, keep(std::move(request)), buffer)) break;
    }
    const std::lock_guard lock(mutex);
    sockets.erase(socket);
    ::close(socket);
  }

  std::function<Reply(const Received&)> current_decider() {
    const std::lock_guard lock(mutex);
    return decider;
  }

  Reply keep(Received request) {
    if (const auto decide = current_decider()) return decide(request);
    const std::string path = path_of(request.target);
    const std::lock_guard lock(mutex);
    requests[path].push_back(std::move(request));
    changed.notify_all();
    if (auto& queued = next[path]; !queued.empty()) {
      Reply reply = std::move(queued.front());
      queued.pop_front();
      return reply;
    }
    const auto found = default_replies.find(path);
    return found == default_replies.end() ? Reply{} : found->second;
  }

  // False if the connection must be closed.
  bool send_reply(int socket, const Reply& reply, std::string& buffer) {
    if (reply.gate) reply.gate->wait();
    switch (reply.kind) {
      case Reply::Kind::answer:
        return send_all(socket, answer_text(reply));
      case Reply::Kind::hang:
        while (receive_some(socket, buffer)) {
        }
        return false;
      case Reply::Kind::trickle:
        return trickle(socket);
      case Reply::Kind::reset: {
        const linger at_once{1, 0};
        setsockopt(socket, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
        return false;
      }
      case Reply::Kind::close:
        return false;
      case Reply::Kind::cut: {
        const std::string whole = answer_text(reply);
        send_all(socket, std::string_view(whole).substr(0, whole.size() - (reply.body.size() + 1) / 2));
        return false;
      }
      case Reply::Kind::flood:
        return flood(socket, reply);
    }
    return false;
  }

  bool trickle(int socket) {
    if (!send_all(socket, "HTTP/1.1 200 Scripted\r\nContent-Length: 100000\r\n\r\n")) return false;
    std::unique_lock lock(mutex);
    while (!stopped) {
      changed.wait_for(lock, std::chrono::milliseconds(50), [&] { return stopped; });
      lock.unlock();
      const bool sent = send_all(socket, "x");
      lock.lock();
      if (!sent) break;
    }
    return false;
  }

  static bool flood(int socket, const Reply& reply) {
    if (!send_all(socket, "HTTP/1.1 " + std::to_string(reply.status) + " Scripted\r\nContent-Length: " +
                              std::to_string(reply.flood_bytes) + "\r\n\r\n")) {
      return false;
    }
    const std::string block(65536, 'x');
    for (std::size_t left = reply.flood_bytes; left > 0;) {
      const std::size_t size = std::min(left, block.size());
      if (!send_all(socket, std::string_view(block).substr(0, size))) return false;
      left -= size;
    }
    return true;
  }

  void remember_gate(const Reply& reply) {
    if (reply.gate) gates.push_back(reply.gate);
  }
};

Receiver::Receiver(std::string address_text, int port) : state_(std::make_shared<State>()) {
  state_->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  const int on = 1;
  setsockopt(state_->listener, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  socklen_t size = sizeof address;
  if (inet_pton(AF_INET, address_text.c_str(), &address.sin_addr) != 1 ||
      bind(state_->listener, reinterpret_cast<const sockaddr*>(&address), size) != 0 ||
      listen(state_->listener, 1024) != 0 ||
      getsockname(state_->listener, reinterpret_cast<sockaddr*>(&address), &size) != 0) {
    throw std::runtime_error("cannot listen on " + address_text);
  }
  state_->port = ntohs(address.sin_port);
  state_->address = std::move(address_text);
  state_->acceptor = std::thread([state = state_.get()] { state->accept_all(); });
}

Receiver::~Receiver() {
  {
    const std::lock_guard lock(state_->mutex);
    state_->stopped = true;
    state_->changed.notify_all();
    shutdown(state_->listener, SHUT_RDWR);
    for (const int socket : state_->sockets) shutdown(socket, SHUT_RDWR);
    for (const auto& gate : state_->gates) gate->open();
  }
  state_->acceptor.join();
  for (std::thread& thread : state_->threads) thread.join();
  ::close(state_->listener);
}

int Receiver::port() const { return state_->port; }

std::string Receiver::url(std::string_view path) const {
  return "http://" + state_->address + ":" + std::to_string(state_->port) + std::string(path);
}

void Receiver::answer(std::string_view path, Reply reply) {
  const std::lock_guard lock(state_->mutex);
  state_->remember_gate(reply);
  state_->default_replies.insert_or_assign(std::string(path), std::move(reply));
}

void Receiver::answer_next(std::string_view path, Reply reply) {
  const std::lock_guard lock(state_->mutex);
  state_->remember_gate(reply);
  state_->next[std::string(path)].push_back(std::move(reply));
}

std::vector<Received> Receiver::wait_for(std::string_view path, std::size_t count, Deadline deadline) {
  wait_until(path, [&](const auto& requests) { return requests.size() >= count; }, deadline);
  return received(path);
}

bool Receiver::wait_until(std::string_view path,
                          const std::function<bool(const std::vector<Received>&)>& done, Deadline deadline) {
  std::unique_lock lock(state_->mutex);
  return state_->changed.wait_for(lock, deadline, [&] { return done(state_->requests[std::string(path)]); });
}

std::vector<Received> Receiver::received(std::string_view path) const {
  const std::lock_guard lock(state_->mutex);
  const auto found = state_->requests.find(path);
  return found == state_->requests.end() ? std::vector<Received>() : found->second;
}

std::size_t Receiver::count(std::string_view path) const {
  const std::lock_guard lock(state_->mutex);
  const auto found = state_->requests.find(path);
  return found == state_->requests.end() ? 0 : found->second.size();
}

std::size_t Receiver::connections() const {
  const std::lock_guard lock(state_->mutex);
  return state_->connections;
}

void Receiver::on_request(std::function<Reply(const Received&)> decide) {
  const std::lock_guard lock(state_->mutex);
  state_->decider = std::move(decide);
}

}  // namespace waybill::tests
