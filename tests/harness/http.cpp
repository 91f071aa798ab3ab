#include "tests/harness/http.hpp"

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <cctype>
#include <charconv>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdexcept>
#include <sys/socket.h>
#include <unistd.h>

#include "base/ascii.hpp"
#include "base/number.hpp"

namespace waybill::tests {
namespace {

using SteadyTime = std::chrono::steady_clock::time_point;

const json::value null_value;

std::string lower(std::string_view text) {
  std::string result(text);
  std::ranges::transform(result, result.begin(), [](unsigned char c) { return std::tolower(c); });
  return result;
}

// The number in hexadecimal digits at the beginning of a text.
std::optional<std::size_t> chunk_size(std::string_view text) {
  std::size_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
  if (error != std::errc{} || end == text.data()) return std::nullopt;
  return value;
}

// The head of a response, without the empty line.
std::optional<Response> parse_head(std::string_view head) {
  Response response;
  const auto line_end = head.find("\r\n");
  const std::string_view line = head.substr(0, line_end);
  if (!line.starts_with("HTTP/1.") || line.size() < 12) return std::nullopt;
  response.status = parse_number<int>(line.substr(9, 3)).value_or(0);
  while (line_end != std::string_view::npos && head.find("\r\n") != std::string_view::npos) {
    head.remove_prefix(head.find("\r\n") + 2);
    const std::string_view field = head.substr(0, head.find("\r\n"));
    const auto colon = field.find(':');
    if (colon == std::string_view::npos) continue;
    response.headers.emplace_back(lower(field.substr(0, colon)), trimmed(field.substr(colon + 1)));
  }
  return response;
}

}  // namespace

std::string header_value(const Headers& headers, std::string_view name) {
  const std::string wanted = lower(name);
  const auto found =
      std::ranges::find_if(headers, [&](const auto& field) { return lower(field.first) == wanted; });
  return found == headers.end() ? std::string() : found->second;
}

const json::value& at(const json::object& object, std::string_view path) {
  const auto dot = path.find('.');
  const json::value* member = object.if_contains(path.substr(0, dot));
  if (member == nullptr) return null_value;
  return dot == std::string_view::npos ? *member : at(*member, path.substr(dot + 1));
}

const json::value& at(const json::value& value, std::string_view path) {
  if (path.empty())
    return value;  // NOLINT(bugprone-return-const-ref-from-parameter): the caller keeps the whole value
  if (const auto* object = value.if_object()) return at(*object, path);
  const auto* array = value.if_array();
  const auto dot = path.find('.');
  const auto index = parse_number<std::size_t>(path.substr(0, dot));
  if (array == nullptr || !index || *index >= array->size()) return null_value;
  return dot == std::string_view::npos ? (*array)[*index] : at((*array)[*index], path.substr(dot + 1));
}

std::string text_at(const json::value& value, std::string_view path) {
  const json::value& found = at(value, path);
  return found.is_string() ? std::string(found.get_string()) : std::string();
}

const json::value& Response::data() const { return at(body, "data"); }

std::string Response::error_code() const { return text_at(body, "error.code"); }

json::object Response::details() const {
  const json::value& details = at(body, "error.details");
  return details.is_object() ? details.get_object() : json::object();
}

RawConnection::RawConnection(const std::string& host, int port)
    : socket_(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  if (inet_pton(AF_INET, host.c_str(), &address.sin_addr) != 1 ||
      connect(socket_, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    ::close(socket_);
    throw std::runtime_error("cannot connect to " + host + ":" + std::to_string(port));
  }
  const int on = 1;
  setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
}

bool RawConnection::can_connect(const std::string& host, int port) {
  try {
    const RawConnection connection(host, port);
    return true;
  } catch (const std::runtime_error&) {
    return false;
  }
}

RawConnection::~RawConnection() {
  if (socket_ >= 0) ::close(socket_);
}

RawConnection::RawConnection(RawConnection&& other) noexcept
    : socket_(std::exchange(other.socket_, -1)), buffer_(std::move(other.buffer_)) {}

RawConnection& RawConnection::operator=(RawConnection&& other) noexcept {
  std::swap(socket_, other.socket_);
  std::swap(buffer_, other.buffer_);
  return *this;
}

bool RawConnection::send(std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent < 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

void RawConnection::half_close() { shutdown(socket_, SHUT_WR); }

void RawConnection::reset() {
  const linger at_once{1, 0};
  setsockopt(socket_, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
  ::close(std::exchange(socket_, -1));
}

RawConnection::More RawConnection::fill(SteadyTime until) {
  const auto left =
      std::chrono::ceil<std::chrono::milliseconds>(until - std::chrono::steady_clock::now()).count();
  pollfd watched{socket_, POLLIN, 0};
  if (poll(&watched, 1, static_cast<int>(std::max<std::int64_t>(left, 0))) <= 0) return More::late;
  std::array<char, 65536> bytes{};
  const ssize_t got = recv(socket_, bytes.data(), bytes.size(), 0);
  if (got <= 0) return More::closed;
  buffer_.append(bytes.data(), static_cast<std::size_t>(got));
  return More::data;
}

std::optional<Response> RawConnection::read_head(SteadyTime until) {
  auto end = buffer_.find("\r\n\r\n");
  while (end == std::string::npos) {
    if (fill(until) != More::data) return std::nullopt;
    end = buffer_.find("\r\n\r\n");
  }
  auto head = parse_head(std::string_view(buffer_).substr(0, end));
  buffer_.erase(0, end + 4);
  return head;
}

bool RawConnection::read_continue(Deadline deadline) {
  const auto head = read_head(std::chrono::steady_clock::now() + deadline);
  return head && head->status == 100;
}

Response RawConnection::read_response(Deadline deadline, bool head_only) {
  const auto until = std::chrono::steady_clock::now() + deadline;
  std::optional<Response> response;
  while (!response || response->status == 100) {
    response = read_head(until);
    if (!response) return {};
  }
  const auto need = [&](std::size_t size) {
    while (buffer_.size() < size) {
      if (fill(until) != More::data) return false;
    }
    return true;
  };
  const auto take = [&](std::size_t size) {
    response->text += buffer_.substr(0, size);
    buffer_.erase(0, size);
  };
  const std::string length = response->header("content-length");
  if (head_only || response->status == 204 || response->status == 304) {
    return *response;
  }
  if (lower(response->header("transfer-encoding")) == "chunked") {
    while (true) {
      while (buffer_.find("\r\n") == std::string::npos) {
        if (fill(until) != More::data) return {};
      }
      const auto size = chunk_size(buffer_);
      buffer_.erase(0, buffer_.find("\r\n") + 2);
      if (!size || !need(*size + 2)) return {};
      take(*size);
      buffer_.erase(0, 2);
      if (*size == 0) break;
    }
  } else if (!length.empty()) {
    const auto size = parse_number<std::size_t>(length);
    if (!size || !need(*size)) return {};
    take(*size);
  } else {
    while (true) {
      const More more = fill(until);
      if (more == More::late) return {};
      if (more == More::closed) break;
    }
    take(buffer_.size());
  }
  boost::system::error_code error;
  response->body = json::parse(response->text, error);
  return *response;
}

std::optional<std::string> RawConnection::read_until_close(Deadline deadline) {
  const auto until = std::chrono::steady_clock::now() + deadline;
  while (true) {
    const More more = fill(until);
    if (more == More::late) return std::nullopt;
    if (more == More::closed) return std::exchange(buffer_, {});
  }
}

Http::Http(std::string host, int port, std::string token)
    : host_(std::move(host)), port_(port), token_(std::move(token)) {}

Response Http::request(std::string_view method, std::string_view path, const json::value& body,
                       const Headers& headers) {
  return request_text(method, path, body.is_null() ? std::string() : json::serialize(body), headers);
}

Response Http::request_text(std::string_view method, std::string_view path, std::string_view body,
                            const Headers& headers) {
  Headers all{{"Host", host_ + ":" + std::to_string(port_)}, {"Accept", "application/json"}};
  if (!token_.empty()) all.emplace_back("Authorization", "Bearer " + token_);
  if (!body.empty()) all.emplace_back("Content-Type", "application/json");
  if (!body.empty() || (method != "GET" && method != "HEAD")) {
    all.emplace_back("Content-Length", std::to_string(body.size()));
  }
  for (const auto& [name, value] : headers) {
    std::erase_if(all, [&](const auto& field) { return lower(field.first) == lower(name); });
    all.emplace_back(name, value);
  }
  std::string text = std::string(method) + " " + std::string(path) + " HTTP/1.1\r\n";
  for (const auto& [name, value] : all) text.append(name).append(": ").append(value).append("\r\n");
  text += "\r\n";
  text += body;
  const bool reused = connection_.has_value();
  if (!reused) connection_.emplace(host_, port_);
  Response response;
  if (connection_->send(text)) response = connection_->read_response(deadline_, method == "HEAD");
  // The server may have closed a kept connection; only requests that change nothing are safe to repeat.
  if (response.status == 0 && reused && (method == "GET" || method == "HEAD")) {
    connection_.emplace(host_, port_);
    if (connection_->send(text)) response = connection_->read_response(deadline_, method == "HEAD");
  }
  if (response.status == 0 || lower(response.header("connection")) == "close") connection_.reset();
  return response;
}

std::string url_encode(std::string_view text) {
  constexpr std::string_view digits = "0123456789ABCDEF";
  std::string result;
  for (const unsigned char c : text) {
    if (std::isalnum(c) != 0 ||
        std::string_view("-._~").find(static_cast<char>(c)) != std::string_view::npos) {
      result += static_cast<char>(c);
    } else {
      result += '%';
      result += digits[c >> 4U];
      result += digits[c & 15U];
    }
  }
  return result;
}

}  // namespace waybill::tests
