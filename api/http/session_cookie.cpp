#include "api/http/session_cookie.hpp"

#include <algorithm>
#include <cstddef>

#include <boost/asio/ip/address.hpp>

#include "api/http/message.hpp"
#include "base/ascii.hpp"

namespace waybill::api {
namespace {

constexpr std::string_view line_end = "\r\n";

struct Authority {
  std::string_view host;  // without the brackets of an IPv6 address
  std::string_view port;  // that of http unless given
};

/// Takes the parts of what follows the scheme of a URL.
Authority authority_of(std::string_view rest) {
  rest = rest.substr(0, rest.find_first_of("/?#"));
  if (const auto at = rest.rfind('@'); at != std::string_view::npos) rest.remove_prefix(at + 1);
  const auto bracket = rest.starts_with('[') ? rest.find(']') : std::string_view::npos;
  const auto colon = rest.find(':', bracket == std::string_view::npos ? 0 : bracket);
  Authority authority{.host = rest.substr(0, colon), .port = "80"};
  if (bracket != std::string_view::npos) authority.host = rest.substr(1, bracket - 1);
  if (colon != std::string_view::npos) authority.port = rest.substr(colon + 1);
  return authority;
}

bool ends_with_ignoring_case(std::string_view text, std::string_view lower_case_end) {
  return text.size() > lower_case_end.size() &&
         equal_ignoring_case(text.substr(text.size() - lower_case_end.size()), lower_case_end);
}

/// RFC 6761 section 6.3: the names below `localhost` are loopback names, too.
bool is_loopback(std::string_view host) {
  if (equal_ignoring_case(host, "localhost") || ends_with_ignoring_case(host, ".localhost")) return true;
  boost::system::error_code error;
  const auto address = boost::asio::ip::make_address(std::string(host), error);
  return !error && address.is_loopback();
}

std::string field(const SessionCookie& cookie, std::string_view token, std::string_view seconds) {
  std::string line = "Set-Cookie: " + cookie.name + "=";
  line.append(token).append("; Path=/; Max-Age=").append(seconds).append("; HttpOnly; SameSite=Strict");
  if (cookie.is_secure) line += "; Secure";
  return line.append(line_end);
}

/// Calls `take` with the value of each field of this name, without the white space around it.
template <typename Take>
void each_field(std::string_view head, std::string_view lower_case_name, const Take& take) {
  for (auto end = head.find(line_end); end != std::string_view::npos; end = head.find(line_end)) {
    head.remove_prefix(end + line_end.size());
    const auto line = head.substr(0, head.find(line_end));
    const auto colon = line.find(':');
    if (colon == std::string_view::npos) continue;
    if (equal_ignoring_case(line.substr(0, colon), lower_case_name))
      take(trimmed(line.substr(colon + 1), " \t"));
  }
}

/// True if the head has the field once, with exactly this value.
bool has_only(std::string_view head, std::string_view lower_case_name, std::string_view wanted) {
  std::size_t count = 0;
  bool is_wanted = false;
  each_field(head, lower_case_name, [&](std::string_view value) {
    ++count;
    is_wanted = value == wanted;
  });
  return count == 1 && is_wanted;
}

}  // namespace

std::optional<SessionCookie> SessionCookie::of(std::string_view public_url) {
  constexpr std::string_view plain = "http://";
  if (public_url.starts_with("https://")) return SessionCookie{.name = "__Host-waybill", .is_secure = true};
  if (!public_url.starts_with(plain)) return std::nullopt;
  const auto [host, port] = authority_of(public_url.substr(plain.size()));
  if (!is_loopback(host) || !all_digits(port)) return std::nullopt;
  return SessionCookie{.name = "waybill_" + std::string(port)};
}

std::string SessionCookie::set(std::string_view token) const { return field(*this, token, "86400"); }

std::string SessionCookie::clear() const { return field(*this, {}, "0"); }

std::optional<std::string_view> find_cookie(std::string_view head, std::string_view name) {
  std::optional<std::string_view> found;
  std::size_t count = 0;
  each_field(head, "cookie", [&](std::string_view pairs) {
    while (!pairs.empty()) {
      const auto end = std::min(pairs.find(';'), pairs.size());
      const auto pair = trimmed(pairs.substr(0, end), " \t");
      pairs.remove_prefix(std::min(end + 1, pairs.size()));
      const auto equals = pair.find('=');
      if (equals == std::string_view::npos || pair.substr(0, equals) != name) continue;
      ++count;
      found = pair.substr(equals + 1);
    }
  });
  if (count != 1 || found->empty()) return std::nullopt;
  return found;
}

bool is_from_console(std::string_view head) {
  return has_only(head, "x-waybill-console", "1") && has_only(head, "sec-fetch-site", "same-origin");
}

}  // namespace waybill::api
