#include "base/percent_encoding.hpp"

#include "base/ascii.hpp"

namespace waybill {

void append_percent_encoded(std::string& out, std::string_view text, std::string_view kept) {
  constexpr std::string_view digits = "0123456789ABCDEF";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (is_alphanumeric(c) || kept.find(c) != std::string_view::npos) {
      out += c;
    } else {
      out.append({'%', digits[byte >> 4U], digits[byte & 15U]});
    }
  }
}

std::string percent_encode(std::string_view text) {
  std::string out;
  append_percent_encoded(out, text, "-._~");
  return out;
}

}  // namespace waybill
