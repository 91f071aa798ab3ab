#include "net/destination/address_check.hpp"

#include <cstring>

#include "net/destination/destination.hpp"

namespace waybill::net {
namespace {

int port_of(const sockaddr& address) {
  // The port has the same offset for IPv4 and IPv6.
  sockaddr_in in{};
  std::memcpy(&in, &address, sizeof in);
  return ntohs(in.sin_port);
}

}  // namespace

bool AddressCheck::allows(const sockaddr& address) {
  const bool is_allowed = !is_guarded_ || (is_public_address(address) && is_public_port(port_of(address)));
  has_allowed_ = has_allowed_ || is_allowed;
  has_refused_ = has_refused_ || !is_allowed;
  return is_allowed;
}

}  // namespace waybill::net
