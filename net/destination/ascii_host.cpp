#include "net/destination/ascii_host.hpp"

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

std::string with_ascii_host(std::string_view url) {
  const auto scheme = url.find("://");
  if (scheme == std::string_view::npos) return std::string(url);
  const auto authority = scheme + 3;
  const auto authority_end = std::min(url.find_first_of("/?#", authority), url.size());
  const auto user_end = url.substr(0, authority_end).rfind('@');
  const auto host = user_end == std::string_view::npos || user_end < authority ? authority : user_end + 1;
  const auto host_end = std::min(url.find(':', host), authority_end);
  return std::string(url.substr(0, host)) + ascii_domain(url.substr(host, host_end - host)) +
         std::string(url.substr(host_end));
}

}  // namespace waybill::net
