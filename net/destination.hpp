#pragma once

#include <netinet/in.h>
#include <optional>
#include <string>
#include <string_view>

namespace waybill::net {

/// Where outgoing requests of tenants may go.
struct DestinationPolicy {
  bool allow_private = false;  // --allow-private-destinations: any address, any port
};

/// Scheme, host and port of a URL that passed `check_url`.
struct Destination {
  std::string scheme;  // "http" or "https"
  std::string host;    // lower case, without brackets
  int port = 0;
  std::string key() const;  // "host:port", the unit of limits and breakers
};

/// What a URL is refused for, as a sentence; nullopt when it may be used. Looks at the text alone (scheme,
/// user info, port, a literal address); names are resolved, and their addresses checked, at each connect.
std::optional<std::string> check_url(std::string_view url, const DestinationPolicy& policy);

/// nullopt when the URL does not parse.
std::optional<Destination> parse_destination(std::string_view url);

/// Whether a socket may be connected to this address: not loopback, private, link-local, carrier-grade NAT
/// (100.64/10), NAT64 (64:ff9b::/96), v4-mapped, 6to4 or Teredo, multicast, unspecified, documentation,
/// reserved, unique local or a cloud's metadata address (IANA special-purpose registries, RFC 6890).
bool is_public_address(const sockaddr& address);

/// 80, 443 and everything from 1024 on.
bool is_public_port(int port);

}  // namespace waybill::net
