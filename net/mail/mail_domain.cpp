#include "net/mail/mail_domain.hpp"

#include <algorithm>
#include <cstdint>
#include <idn2.h>
#include <memory>

namespace waybill::net {

std::string ascii_domain(std::string_view domain) {
  if (std::ranges::none_of(domain, [](char c) { return static_cast<unsigned char>(c) >= 0x80; }))
    return std::string(domain);
  const std::string unicode(domain);
  std::uint8_t* found = nullptr;
  const int result = idn2_lookup_u8(reinterpret_cast<const std::uint8_t*>(unicode.c_str()), &found,
                                    IDN2_NFC_INPUT | IDN2_NONTRANSITIONAL);
  if (result != IDN2_OK) return unicode;
  const std::unique_ptr<std::uint8_t, void (*)(void*)> owned(found, idn2_free);
  return reinterpret_cast<const char*>(found);
}

std::string ascii_domain_address(std::string_view address) {
  const auto at = address.rfind('@');
  if (at == std::string_view::npos) return std::string(address);
  return std::string(address.substr(0, at + 1)) + ascii_domain(address.substr(at + 1));
}

}  // namespace waybill::net
