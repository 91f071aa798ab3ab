#include "net/mail/mail_domain.hpp"

#include "net/destination/ascii_host.hpp"

namespace waybill::net {

std::string ascii_domain_address(std::string_view address) {
  const auto at = address.rfind('@');
  if (at == std::string_view::npos) return std::string(address);
  return std::string(address.substr(0, at + 1)) + ascii_domain(address.substr(at + 1));
}

}  // namespace waybill::net
