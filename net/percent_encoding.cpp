#include "net/percent_encoding.hpp"

namespace waybill::net {

std::string percent_encode(std::string_view text) {
  constexpr std::string_view digits = "0123456789ABCDEF";
  constexpr std::string_view marks = "-._~";
  std::string out;
  for (const char c : text) {
    const bool is_unreserved = (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
                               marks.find(c) != std::string_view::npos;
    if (is_unreserved) {
      out += c;
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    out += {'%', digits[byte >> 4U], digits[byte & 15U]};
  }
  return out;
}

}  // namespace waybill::net
