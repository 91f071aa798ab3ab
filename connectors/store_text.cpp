#include "connectors/store_text.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <utility>

#include "base/ascii.hpp"
#include "base/number.hpp"
#include "base/utf8.hpp"
#include "connectors/html_text.hpp"
#include "domain/values/email.hpp"

namespace waybill::connectors {
namespace {

using Text = std::optional<std::string>;
using Range = std::pair<std::uint32_t, std::uint32_t>;

// The property White_Space of Unicode.
constexpr auto white_space = std::to_array<Range>({{0x09, 0x0D},
                                                   {0x20, 0x20},
                                                   {0x85, 0x85},
                                                   {0xA0, 0xA0},
                                                   {0x1680, 0x1680},
                                                   {0x2000, 0x200A},
                                                   {0x2028, 0x2029},
                                                   {0x202F, 0x202F},
                                                   {0x205F, 0x205F},
                                                   {0x3000, 0x3000}});
// Characters of the category Cf that have no shape of their own.
constexpr auto invisible = std::to_array<Range>({{0xAD, 0xAD},
                                                 {0x61C, 0x61C},
                                                 {0x180E, 0x180E},
                                                 {0x200B, 0x200F},
                                                 {0x202A, 0x202E},
                                                 {0x2060, 0x2064},
                                                 {0x2066, 0x206F},
                                                 {0xFEFF, 0xFEFF}});

template <std::size_t size>
bool is_in(std::uint32_t code, const std::array<Range, size>& ranges) {
  return std::ranges::any_of(
      ranges, [code](const Range& range) { return code >= range.first && code <= range.second; });
}

struct Character {
  std::string_view bytes;
  bool is_blank = false;
  bool is_invisible = false;
};

// The first character of valid UTF-8 that is not empty.
Character first_character(std::string_view text) {
  const auto first = static_cast<unsigned char>(text[0]);
  if (first < 0x80) return {text.substr(0, 1), is_in(first, white_space), false};
  const std::size_t length = first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
  std::uint32_t code = first & (0xFFU >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) code = code << 6U | (static_cast<unsigned char>(text[i]) & 0x3FU);
  return {text.substr(0, length), is_in(code, white_space), is_in(code, invisible)};
}

/// The part between the first and the last character that is visible.
std::string_view visible_part(std::string_view text) {
  std::size_t first = std::string_view::npos;
  std::size_t end = 0;
  for (std::size_t at = 0; at < text.size();) {
    const auto character = first_character(text.substr(at));
    if (!character.is_blank && !character.is_invisible) {
      first = std::min(first, at);
      end = at + character.bytes.size();
    }
    at += character.bytes.size();
  }
  return end == 0 ? std::string_view() : text.substr(first, end - first);
}

/// The first characters of valid UTF-8.
std::string_view first_characters(std::string_view text, std::size_t count) {
  if (text.size() <= count) return text;
  std::size_t end = 0;
  for (; count > 0 && end < text.size(); --count) end += first_character(text.substr(end)).bytes.size();
  return text.substr(0, end);
}

enum class Invisible : std::uint8_t { keep, remove };

std::string one_line(std::string_view text, Invisible invisible_characters) {
  std::string line;
  bool is_gap = false;
  while (!text.empty()) {
    const auto character = first_character(text);
    text.remove_prefix(character.bytes.size());
    if (character.is_blank) {
      is_gap = true;
    } else if (!character.is_invisible || invisible_characters == Invisible::keep) {
      if (is_gap && !line.empty()) line += ' ';
      is_gap = false;
      line += character.bytes;
    }
  }
  return line;
}

// Strings, and numbers as decimal text.
Text text_of(const json::value* value) {
  if (value == nullptr) return std::nullopt;
  if (value->is_string()) return std::string(value->get_string());
  return value->is_number() ? decimal_text(*value) : std::nullopt;
}

bool never_exists(std::string_view email) {
  constexpr std::string_view reserved = ".invalid";
  return email.size() > reserved.size() &&
         equal_ignoring_case(email.substr(email.size() - reserved.size()), reserved);
}

}  // namespace

std::string_view cut_text(std::string_view text, std::size_t limit) {
  const auto kept = first_characters(text, limit);
  return kept.size() == text.size() ? text : visible_part(kept);
}

Text clean_text(std::string_view text, std::size_t limit) {
  std::string clean = to_text(text);
  std::erase_if(clean, [](unsigned char byte) {
    return (byte < 0x20 && byte != '\n' && byte != '\t') || byte == 0x7f;
  });
  const auto kept = cut_text(visible_part(clean), limit);
  if (kept.empty()) return std::nullopt;
  return std::string(kept);
}

Text clean_text(const json::value* value, std::size_t limit) {
  const auto text = text_of(value);
  return text ? clean_text(*text, limit) : std::nullopt;
}

Text clean_line(std::string_view text, std::size_t limit) {
  const auto clean = clean_text(one_line(to_text(text), Invisible::keep), limit);
  return clean;
}

Text clean_line(const json::value* value, std::size_t limit) {
  const auto text = text_of(value);
  return text ? clean_line(*text, limit) : std::nullopt;
}

Text clean_identifier(const json::value* value, std::size_t limit) {
  const auto text = text_of(value);
  return text ? clean_text(one_line(to_text(*text), Invisible::remove), limit) : std::nullopt;
}

Text plain_text(const json::value* value, std::size_t limit) {
  const auto text = text_of(value);
  return text ? clean_text(html_text(*text), limit) : std::nullopt;
}

Text plain_line(const json::value* value, std::size_t limit) {
  const auto text = text_of(value);
  return text ? clean_line(html_text(*text), limit) : std::nullopt;
}

Text clean_email(std::string_view text) {
  auto email = domain::email_in(to_text(text));
  return email && !never_exists(*email) ? std::move(email) : std::nullopt;
}

std::vector<const json::value*> elements_of(const json::value* list) {
  std::vector<const json::value*> elements;
  if (list == nullptr) return elements;
  if (const auto* const array = list->if_array()) {
    for (const auto& element : *array) elements.push_back(&element);
  } else if (const auto* const object = list->if_object()) {
    const bool is_list =
        std::ranges::all_of(*object, [](const auto& entry) { return all_digits(entry.key()); });
    if (!is_list) return elements;
    for (const auto& entry : *object) elements.push_back(&entry.value());
  }
  return elements;
}

std::optional<double> number_of(const json::value* value) {
  const auto text = clean_text(value);
  const auto number = text ? parse_number<double>(*text) : std::nullopt;
  return number && std::isfinite(*number) ? number : std::nullopt;
}

}  // namespace waybill::connectors
