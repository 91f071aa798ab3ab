#include "api/http/url.hpp"

#include "base/ascii.hpp"
#include "base/utf8.hpp"

namespace waybill::api {
std::optional<std::string> percent_decode(std::string_view text, bool plus_is_space) {
  std::string decoded;
  decoded.reserve(text.size());
  for (std::size_t at = 0; at < text.size(); ++at) {
    char c = text[at];
    if (c == '%') {
      if (at + 2 >= text.size()) return std::nullopt;
      const int high = hex_value(text[at + 1]);
      const int low = hex_value(text[at + 2]);
      if (high < 0 || low < 0) return std::nullopt;
      c = static_cast<char>(high * 16 + low);
      at += 2;
    } else if (c == '+' && plus_is_space) {
      c = ' ';
    }
    if (c == '\0') return std::nullopt;
    decoded += c;
  }
  if (!is_utf8(decoded)) return std::nullopt;
  return decoded;
}

QueryPairs parse_query(std::string_view query, std::vector<std::string>& malformed) {
  QueryPairs pairs;
  while (!query.empty()) {
    const auto end = query.find('&');
    const auto pair = query.substr(0, end);
    query.remove_prefix(end == std::string_view::npos ? query.size() : end + 1);
    if (pair.empty()) continue;
    const auto equals = pair.find('=');
    auto name = percent_decode(pair.substr(0, equals), true);
    auto value =
        equals == std::string_view::npos ? std::string() : percent_decode(pair.substr(equals + 1), true);
    if (name && value) {
      pairs.emplace_back(std::move(*name), std::move(*value));
    } else {
      malformed.push_back(name ? std::move(*name) : "query");
    }
  }
  return pairs;
}

std::string authority(std::string_view host, std::uint16_t port) {
  const bool is_ipv6 = host.find(':') != std::string_view::npos;
  const std::string name(host);
  return (is_ipv6 ? "[" + name + "]" : name) + ":" + std::to_string(port);
}

}  // namespace waybill::api
