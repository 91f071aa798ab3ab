#include "base/blanks.hpp"

#include <algorithm>
#include <cstdint>
#include <unictype.h>
#include <unistr.h>

namespace waybill {
namespace {

enum class Sort : std::uint8_t { visible, space, invisible };

struct Character {
  Sort sort = Sort::visible;
  std::size_t length = 1;  // bytes
};

Character first_character(std::string_view utf8) {
  const auto first = static_cast<unsigned char>(utf8.front());
  if (first < 0x80) return {first <= ' ' || first == 0x7f ? Sort::space : Sort::visible, 1};
  ucs4_t code = 0;
  const int length = u8_mbtouc(&code, reinterpret_cast<const std::uint8_t*>(utf8.data()), utf8.size());
  constexpr std::uint32_t spaces = UC_CATEGORY_MASK_Z | UC_CATEGORY_MASK_Cc;
  const Sort sort = uc_is_general_category_withtable(code, spaces)                ? Sort::space
                    : uc_is_general_category_withtable(code, UC_CATEGORY_MASK_Cf) ? Sort::invisible
                                                                                  : Sort::visible;
  return {sort, static_cast<std::size_t>(length)};
}

/// Calls `take(sort, text)` for each character until it returns false.
void for_each_character(std::string_view utf8, auto take) {
  while (!utf8.empty()) {
    const auto [sort, length] = first_character(utf8);
    if (!take(sort, utf8.substr(0, length))) return;
    utf8.remove_prefix(length);
  }
}

bool is_plain(char c) { return c > ' ' && c < '\x7f'; }

}  // namespace

bool has_blanks(std::string_view utf8) {
  bool found = false;
  for_each_character(utf8, [&](Sort sort, std::string_view) { return !(found = sort != Sort::visible); });
  return found;
}

bool is_blank(std::string_view utf8) {
  bool visible = false;
  for_each_character(utf8, [&](Sort sort, std::string_view) { return !(visible = sort == Sort::visible); });
  return !visible;
}

std::string_view without_outer_blanks(std::string_view utf8) {
  if (utf8.empty() || (is_plain(utf8.front()) && is_plain(utf8.back()))) return utf8;
  const char* begin = nullptr;
  const char* end = nullptr;
  for_each_character(utf8, [&](Sort sort, std::string_view character) {
    if (sort != Sort::visible) return true;
    if (begin == nullptr) begin = character.data();
    end = character.data() + character.size();
    return true;
  });
  return begin == nullptr ? std::string_view() : std::string_view(begin, end);
}

std::string single_spaced(std::string_view utf8) {
  std::string text;
  bool space_before = false;
  for_each_character(utf8, [&](Sort sort, std::string_view character) {
    if (sort == Sort::space) space_before = true;
    if (sort != Sort::visible) return true;
    if (space_before && !text.empty()) text += ' ';
    space_before = false;
    text += character;
    return true;
  });
  return text;
}

std::string without_blanks(std::string_view utf8) {
  std::string text;
  for_each_character(utf8, [&](Sort sort, std::string_view character) {
    if (sort == Sort::visible) text += character;
    return true;
  });
  return text;
}

std::vector<std::string_view> words_between_blanks(std::string_view utf8) {
  std::vector<std::string_view> words;
  bool space_before = true;
  for_each_character(utf8, [&](Sort sort, std::string_view character) {
    if (sort == Sort::space) space_before = true;
    if (sort != Sort::visible) return true;
    const char* const begin = space_before ? character.data() : words.back().data();
    if (space_before) words.emplace_back();
    words.back() = std::string_view(begin, character.data() + character.size());
    space_before = false;
    return true;
  });
  return words;
}

}  // namespace waybill
