#include "base/utf8.hpp"

#include <algorithm>
#include <clocale>
#include <cstdint>
#include <cstring>
#include <cwctype>

#include "base/ascii.hpp"

namespace waybill {
namespace {

bool is_continuation(char c) { return (static_cast<unsigned char>(c) & 0xc0U) == 0x80U; }

// The length in bytes of the first character; 0 if it is malformed (RFC 3629 section 4).
std::size_t sequence_length(std::string_view text) {
  const auto first = static_cast<unsigned char>(text[0]);
  if (first < 0x80) return 1;
  if (first < 0xc2 || first > 0xf4) return 0;
  const std::size_t length = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
  if (text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if (!is_continuation(text[i])) return 0;
  }
  const auto second = static_cast<unsigned char>(text[1]);
  const bool overlong = (first == 0xe0 && second < 0xa0) || (first == 0xf0 && second < 0x90);
  const bool surrogate = first == 0xed && second > 0x9f;
  const bool too_large = first == 0xf4 && second > 0x8f;
  return overlong || surrogate || too_large ? 0 : length;
}

bool eight_ascii(const char* bytes) {
  std::uint64_t word = 0;
  std::memcpy(&word, bytes, sizeof word);
  return (word & 0x8080808080808080U) == 0;
}

/// The code point of a sequence of `length` bytes.
char32_t code_point_of(std::string_view sequence, std::size_t length) {
  const auto first = static_cast<unsigned char>(sequence[0]);
  char32_t code = length == 1 ? first : first & (0xffU >> (length + 1));
  for (std::size_t i = 1; i < length; ++i)
    code = code << 6U | (static_cast<unsigned char>(sequence[i]) & 0x3fU);
  return code;
}

void append_utf8(std::string& text, char32_t code) {
  const auto put = [&](char32_t byte) { text += static_cast<char>(static_cast<unsigned char>(byte)); };
  const auto put_low_bits = [&](unsigned shift) { put(0x80U | (code >> shift & 0x3fU)); };
  if (code < 0x80) return put(code);
  if (code < 0x800) {
    put(0xc0U | code >> 6U);
  } else if (code < 0x10000) {
    put(0xe0U | code >> 12U);
    put_low_bits(6);
  } else {
    put(0xf0U | code >> 18U);
    put_low_bits(12);
    put_low_bits(6);
  }
  put_low_bits(0);
}

char32_t lower(char32_t code) {
  static const locale_t unicode = newlocale(LC_CTYPE_MASK, "C.UTF-8", nullptr);
  if (code < 0x80) return static_cast<unsigned char>(ascii_lower(static_cast<char>(code)));
  return unicode == nullptr ? code : static_cast<char32_t>(towlower_l(static_cast<wint_t>(code), unicode));
}

}  // namespace

std::size_t valid_utf8_prefix(std::string_view text) {
  std::size_t at = 0;
  while (at < text.size()) {
    if (text.size() - at >= 8 && eight_ascii(text.data() + at)) {
      at += 8;
      continue;
    }
    const std::size_t length = sequence_length(text.substr(at));
    if (length == 0) break;
    at += length;
  }
  return at;
}

bool is_utf8(std::string_view text) { return valid_utf8_prefix(text) == text.size(); }

std::size_t count_characters(std::string_view utf8) {
  return static_cast<std::size_t>(std::ranges::count_if(utf8, [](char c) { return !is_continuation(c); }));
}

std::string lower_utf8(std::string_view utf8) {
  std::string text;
  text.reserve(utf8.size());
  while (!utf8.empty()) {
    if (const char c = utf8.front(); static_cast<unsigned char>(c) < 0x80) {
      text += ascii_lower(c);
      utf8.remove_prefix(1);
      continue;
    }
    const std::size_t length = std::max<std::size_t>(sequence_length(utf8), 1);
    append_utf8(text, lower(code_point_of(utf8, length)));
    utf8.remove_prefix(length);
  }
  return text;
}

std::string folded_utf8(std::string_view utf8) {
  constexpr std::string_view final_sigma = "ς", sigma = "σ";
  std::string text = lower_utf8(utf8);
  for (auto at = text.find(final_sigma); at != std::string::npos; at = text.find(final_sigma, at)) {
    text.replace(at, final_sigma.size(), sigma);
  }
  return text;
}

std::string to_text(std::string_view bytes) {
  constexpr std::string_view replacement = "\xef\xbf\xbd";
  std::string text;
  text.reserve(bytes.size());
  while (!bytes.empty()) {
    const std::size_t valid = std::min(valid_utf8_prefix(bytes), bytes.find('\0'));
    text += bytes.substr(0, valid);
    bytes.remove_prefix(valid);
    if (bytes.empty()) break;
    text += replacement;
    bytes.remove_prefix(1);
  }
  return text;
}

}  // namespace waybill
