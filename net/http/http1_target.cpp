#include "net/http/http1_target.hpp"

#include <algorithm>
#include <array>
#include <charconv>

#include "base/ascii.hpp"
#include "net/destination/curl_url.hpp"
#include "net/http/curl_headers.hpp"

namespace waybill::net {
namespace {

constexpr std::size_t max_known = 1024;

std::shared_ptr<const Http1Target> split(const std::string& url) {
  if (breaks_line(url)) return nullptr;
  const CurlUrl parsed = parse_curl_url(url);
  if (parsed == nullptr || url_part(parsed, CURLUPART_USER) || url_part(parsed, CURLUPART_PASSWORD) ||
      url_part(parsed, CURLUPART_ZONEID))
    return nullptr;
  auto target = std::make_shared<Http1Target>();
  const auto scheme = url_part(parsed, CURLUPART_SCHEME);
  target->is_secure = scheme == "https";
  if (!target->is_secure && scheme != "http") return nullptr;
  const std::string_view default_port = target->is_secure ? "443" : "80";
  target->host = url_part(parsed, CURLUPART_HOST).value_or("");
  const bool is_ascii = std::ranges::all_of(target->host, [](char c) { return c > ' ' && c < '\x7f'; });
  if (target->host.empty() || !is_ascii) return nullptr;
  target->name =
      target->host.starts_with('[') ? target->host.substr(1, target->host.size() - 2) : target->host;
  const std::string port =
      url_part(parsed, CURLUPART_PORT, CURLU_DEFAULT_PORT).value_or(std::string(default_port));
  target->authority = ascii_lower(target->host) + ':' + port;
  if (port != default_port) target->host.append(1, ':').append(port);
  target->target = url_part(parsed, CURLUPART_PATH).value_or("/");
  if (const auto query = url_part(parsed, CURLUPART_QUERY)) target->target.append(1, '?').append(*query);
  return target;
}

}  // namespace

std::shared_ptr<const Http1Target> Http1Targets::find(const std::string& url) {
  if (const auto known = known_.find(url); known != known_.end()) return known->second;
  if (known_.size() >= max_known) known_.clear();
  return known_.emplace(url, split(url)).first->second;
}

bool write_head(std::string& head, const Http1Target& target, std::string_view method,
                const std::vector<std::pair<std::string, std::string>>& headers, std::size_t body_bytes,
                std::string_view user_agent) {
  bool has_host = false;
  bool has_agent = false;
  bool has_accept = false;
  for (const auto& [name, value] : headers) {
    if (name.empty() || is_broken_header(name, value)) return false;
    has_host = has_host || equal_ignoring_case(name, "host");
    has_agent = has_agent || equal_ignoring_case(name, "user-agent");
    has_accept = has_accept || equal_ignoring_case(name, "accept");
  }
  head.clear();
  head.append(method).append(1, ' ').append(target.target).append(" HTTP/1.1\r\n");
  if (!has_host) head.append("Host: ").append(target.host).append("\r\n");
  if (!has_agent) head.append("User-Agent: ").append(user_agent).append("\r\n");
  if (!has_accept) head.append("Accept: */*\r\n");
  for (const auto& [name, value] : headers) {
    head.append(name).append(1, ':');
    if (const std::string_view text = trimmed(value); !text.empty()) head.append(1, ' ').append(text);
    head.append("\r\n");
  }
  // A method that is expected to have a body states its length also when it has none (RFC 9110 section 8.6).
  if (body_bytes > 0 || method == "POST" || method == "PUT" || method == "PATCH") {
    std::array<char, 24> digits{};
    const char* const end = std::to_chars(digits.begin(), digits.end(), body_bytes).ptr;
    head.append("Content-Length: ").append(std::string_view(digits.data(), end)).append("\r\n");
  }
  head.append("\r\n");
  return true;
}

}  // namespace waybill::net
