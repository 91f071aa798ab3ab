#include "net/percent_encoding.hpp"

#include "base/ascii.hpp"

namespace waybill::net {

std::string percent_encode(std::string_view text) {
  constexpr std::string_view digits = "0123456789ABCDEF";
  constexpr std::string_view marks = "-._~";
  std::string out;
  for (const char c : text) {
    const bool is_unreserved = is_alphanumeric(c) || marks.find(c) != std::string_view::npos;
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
