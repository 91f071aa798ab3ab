#pragma once

#include <netinet/in.h>
#include <optional>
#include <string>
#include <string_view>

namespace waybill::net {

/// The addresses that outgoing requests of businesses may reach.
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

/// Returns why a URL is refused, as the end of a sentence; nullopt if it may be used. Checks only the text
/// (scheme, user info, port, a literal address); names are resolved and their addresses checked at each
/// connect.
std::optional<std::string> check_url(std::string_view url, const DestinationPolicy& policy);

/// nullopt if the URL does not parse.
std::optional<Destination> parse_destination(std::string_view url);

/// True for an address that sockets may connect to: not loopback, private, link-local, carrier-grade NAT
/// (100.64/10), NAT64 (64:ff9b::/96), v4-mapped, 6to4 or Teredo, multicast, unspecified, documentation,
/// reserved, unique local or a cloud's metadata address (IANA special-purpose registries, RFC 6890).
bool is_public_address(const sockaddr& address);

/// True for 80, 443 and 1024 and above.
bool is_public_port(int port);

}  // namespace waybill::net
