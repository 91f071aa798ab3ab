#include "net/destination/destination.hpp"

#include <algorithm>
#include <arpa/inet.h>
#include <array>
#include <cstdint>
#include <cstring>
#include <netdb.h>
#include <span>
#include <sys/socket.h>

#include "base/ascii.hpp"
#include "base/number.hpp"
#include "net/destination/curl_url.hpp"

namespace waybill::net {
namespace {

constexpr std::size_t max_url_length = 2000;
constexpr int first_unprivileged_port = 1024;

struct Block4 {
  std::uint32_t first;
  int bits;
};

// IANA IPv4 Special-Purpose Address Registry, without the blocks that are globally reachable (AS112, AMT).
constexpr Block4 refused4[] = {
    {0x00000000, 8},   // "this network"
    {0x0a000000, 8},   // private
    {0x64400000, 10},  // carrier-grade NAT; a cloud's metadata service at 100.100.100.200
    {0x7f000000, 8},   // loopback
    {0xa83f8110, 32},  // a cloud's metadata service with a public address, 168.63.129.16
    {0xa9fe0000, 16},  // link-local; metadata services at 169.254.169.254
    {0xac100000, 12},  // private
    {0xc0000000, 24},  // IETF protocol assignments; a metadata service at 192.0.0.192
    {0xc0000200, 24},  // documentation
    {0xc0586300, 24},  // 6to4 relay anycast, deprecated
    {0xc0a80000, 16},  // private
    {0xc6120000, 15},  // benchmarking
    {0xc6336400, 24},  // documentation
    {0xcb007100, 24},  // documentation
    {0xe0000000, 4},   // multicast
    {0xf0000000, 4},   // reserved, broadcast
};

struct Block6 {
  std::array<std::uint8_t, 16> first;
  int bits;
};

// The special blocks of global unicast, 2000::/3 (RFC 4291, IANA IPv6 address space); everything outside
// global unicast is refused.
constexpr Block6 refused6[] = {
    {{0x20, 0x01, 0x00, 0x00}, 23},  // IETF protocol assignments: Teredo, ORCHID, benchmarking
    {{0x20, 0x01, 0x0d, 0xb8}, 32},  // documentation
    {{0x20, 0x02}, 16},              // 6to4
    {{0x3f, 0xff}, 20},              // documentation
};

constexpr Block6 global_unicast{{0x20}, 3};

bool contains(const Block4& block, std::uint32_t address) {
  const std::uint32_t mask = ~std::uint32_t{0} << (32 - block.bits);
  return (address & mask) == block.first;
}

bool contains(const Block6& block, std::span<const std::uint8_t, 16> address) {
  const auto whole = static_cast<std::size_t>(block.bits / 8);
  if (!std::equal(block.first.begin(), block.first.begin() + static_cast<std::ptrdiff_t>(whole),
                  address.begin())) {
    return false;
  }
  const int rest = block.bits % 8;
  return rest == 0 || ((block.first[whole] ^ address[whole]) >> (8 - rest)) == 0;
}

std::optional<Destination> destination_of(const CurlUrl& url) {
  auto scheme = url_part(url, CURLUPART_SCHEME);
  auto host = url_part(url, CURLUPART_HOST);
  const auto port = url_part(url, CURLUPART_PORT, CURLU_DEFAULT_PORT);
  if (!scheme || !host || host->empty() || !port) return std::nullopt;
  Destination result{ascii_lower(*scheme), ascii_lower(*host), 0};
  if (result.host.front() == '[') result.host = result.host.substr(1, result.host.size() - 2);
  result.port = parse_number<decltype(result.port)>(*port).value_or(0);
  return result;
}

// True for an address or a name of labels of 1 to 63 characters (RFC 1123 section 2.1), with or without a
// final dot.
bool is_possible_host(std::string_view host) {
  if (host.find(':') != std::string_view::npos) return host.find('%') == std::string_view::npos;
  if (host.ends_with('.')) host.remove_suffix(1);
  constexpr std::size_t longest_label = 63;
  for (;;) {
    const std::string_view label = host.substr(0, host.find('.'));
    const bool good = !label.empty() && label.size() <= longest_label && label.front() != '-' &&
                      label.back() != '-' && label.find('%') == std::string_view::npos;
    if (!good) return false;
    if (label.size() == host.size()) return true;
    host.remove_prefix(label.size() + 1);
  }
}

// Reads every form that the resolver takes for an address ("127.1", "0x7f.1"), also with a trailing dot.
// nullopt for a name.
std::optional<bool> is_public_literal(std::string host) {
  if (host.ends_with('.')) host.pop_back();
  addrinfo hints{};
  hints.ai_flags = AI_NUMERICHOST;
  addrinfo* found = nullptr;
  if (getaddrinfo(host.c_str(), nullptr, &hints, &found) != 0) return std::nullopt;
  const bool result = is_public_address(*found->ai_addr);
  freeaddrinfo(found);
  return result;
}

// True for the loopback names of RFC 6761 section 6.3.
bool is_localhost(std::string_view host) {
  if (host.ends_with('.')) host.remove_suffix(1);
  return host == "localhost" || host.ends_with(".localhost");
}

std::optional<std::string> check_characters(std::string_view url) {
  if (url.empty()) return "must not be empty";
  if (url.size() > max_url_length) return "must not be longer than 2000 characters";
  const bool clean = std::ranges::all_of(url, [](char c) { return c > ' ' && c < '\x7f' && c != '\\'; });
  if (clean) return std::nullopt;
  return "must not contain spaces, control characters, backslashes or characters beyond ASCII "
         "(write the host in its xn-- form, the rest percent-encoded)";
}

}  // namespace

std::string Destination::key() const { return host + ':' + std::to_string(port); }

std::optional<Destination> parse_destination(std::string_view url) {
  const CurlUrl parsed = parse_curl_url(url);
  return parsed == nullptr ? std::nullopt : destination_of(parsed);
}

std::optional<std::string> check_url(std::string_view url, const DestinationPolicy& policy) {
  if (auto error = check_characters(url)) return error;
  const CurlUrl parsed = parse_curl_url(url);
  if (parsed == nullptr) return "is not a valid URL";
  const auto destination = destination_of(parsed);
  if (!destination || (destination->scheme != "http" && destination->scheme != "https")) {
    return "must be an http or https URL";
  }
  // libcurl also accepts one slash or three.
  const std::string_view rest = url.substr(destination->scheme.size());
  if (!rest.starts_with("://") || rest.starts_with(":///")) return "is not a valid URL";
  if (url_part(parsed, CURLUPART_USER) || url_part(parsed, CURLUPART_PASSWORD)) {
    return "must not contain a user name or password";
  }
  if (destination->port < 1 || destination->port > 65535) return "has a port out of range";
  if (!is_possible_host(destination->host)) return "has an invalid host";
  if (policy.allow_private) return std::nullopt;
  if (!is_public_port(destination->port)) return "must not use a port below 1024 other than 80 and 443";
  if (is_localhost(destination->host) || !is_public_literal(destination->host).value_or(true)) {
    return "must not lead to a loopback, private or otherwise reserved address";
  }
  return std::nullopt;
}

bool is_public_port(int port) { return port == 80 || port == 443 || port >= first_unprivileged_port; }

bool is_public_address(const sockaddr& address) {
  if (address.sa_family == AF_INET) {
    sockaddr_in v4{};
    std::memcpy(&v4, &address, sizeof v4);
    const std::uint32_t bits = ntohl(v4.sin_addr.s_addr);
    return std::ranges::none_of(refused4, [&](const Block4& block) { return contains(block, bits); });
  }
  if (address.sa_family == AF_INET6) {
    sockaddr_in6 v6{};
    std::memcpy(&v6, &address, sizeof v6);
    const std::span<const std::uint8_t, 16> bytes(v6.sin6_addr.s6_addr);
    return contains(global_unicast, bytes) &&
           std::ranges::none_of(refused6, [&](const Block6& block) { return contains(block, bytes); });
  }
  return false;
}

}  // namespace waybill::net
