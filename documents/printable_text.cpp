#include "documents/printable_text.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <glib.h>
#include <string>
#include <vector>

#include "base/blanks.hpp"
#include "base/owned.hpp"
#include "documents/fonts.hpp"
#include "documents/label.hpp"
#include "documents/scripts.hpp"

namespace waybill::documents {
namespace {

struct Range {
  gunichar first;
  gunichar last;
};

constexpr bool contains(const auto& ranges, gunichar character) {
  return std::ranges::any_of(
      ranges, [&](const Range& range) { return range.first <= character && character <= range.last; });
}

/// Zero-width space, non-joiner and joiner, and selectors of a letter's form.
constexpr auto shaping =
    std::to_array<Range>({{0x180B, 0x180F}, {0x200B, 0x200D}, {0xFE00, 0xFE0D}, {0xE0100, 0xE01EF}});

/// Invisible characters that are marks, not format characters: the grapheme joiner, inherent vowels of Khmer,
/// and the selectors of text and emoji.
constexpr auto ignored = std::to_array<Range>({{0x034F, 0x034F}, {0x17B4, 0x17B5}, {0xFE0E, 0xFE0F}});

/// Invisible letters that fill the place of a Hangul letter.
constexpr auto fillers = std::to_array<Range>({{0x115F, 0x1160}, {0x3164, 0x3164}, {0xFFA0, 0xFFA0}});

/// The blocks of emoji and other pictures.
constexpr auto pictures = std::to_array<Range>({{0x1F000, 0x1FAFF}});

/// White letters and digits on black, which Unicode gives no plain form.
struct Enclosed {
  gunichar first;
  gunichar last;
  gunichar letter;  // of the first; 0 for numbers
  int number;       // of the first
};
constexpr auto enclosed = std::to_array<Enclosed>({{0x24EB, 0x24F4, 0, 11},
                                                   {0x24F5, 0x24FE, 0, 1},
                                                   {0x24FF, 0x24FF, 0, 0},
                                                   {0x2776, 0x277F, 0, 1},
                                                   {0x2780, 0x2789, 0, 1},
                                                   {0x278A, 0x2793, 0, 1},
                                                   {0x1F10B, 0x1F10B, 0, 0},
                                                   {0x1F10C, 0x1F10C, 0, 0},
                                                   {0x1F150, 0x1F169, 'A', 0},
                                                   {0x1F170, 0x1F189, 'A', 0},
                                                   {0x1F18A, 0x1F18A, 'P', 0}});

bool is_noncharacter(gunichar character) {
  return (character & 0xFFFEU) == 0xFFFE || (character >= 0xFDD0 && character <= 0xFDEF);
}

enum class Kind : std::uint8_t { blank, dropped, invisible, mark, letter, sign };

Kind kind_of(gunichar character) {
  if (contains(shaping, character)) return Kind::invisible;
  if (contains(ignored, character)) return Kind::dropped;
  if (contains(fillers, character) || contains(pictures, character) || is_noncharacter(character))
    return Kind::blank;
  switch (g_unichar_type(character)) {
    case G_UNICODE_CONTROL:
    case G_UNICODE_LINE_SEPARATOR:
    case G_UNICODE_PARAGRAPH_SEPARATOR:
    case G_UNICODE_SPACE_SEPARATOR:
    case G_UNICODE_PRIVATE_USE:
    case G_UNICODE_SURROGATE:
      return Kind::blank;
    case G_UNICODE_FORMAT:
      return Kind::dropped;
    case G_UNICODE_NON_SPACING_MARK:
      return Kind::mark;
    case G_UNICODE_ENCLOSING_MARK:
    case G_UNICODE_CONNECT_PUNCTUATION:
    case G_UNICODE_DASH_PUNCTUATION:
    case G_UNICODE_CLOSE_PUNCTUATION:
    case G_UNICODE_FINAL_PUNCTUATION:
    case G_UNICODE_INITIAL_PUNCTUATION:
    case G_UNICODE_OTHER_PUNCTUATION:
    case G_UNICODE_OPEN_PUNCTUATION:
    case G_UNICODE_CURRENCY_SYMBOL:
    case G_UNICODE_MODIFIER_SYMBOL:
    case G_UNICODE_MATH_SYMBOL:
    case G_UNICODE_OTHER_SYMBOL:
      return Kind::sign;
    default:
      return Kind::letter;
  }
}

std::string utf8_of(gunichar character) {
  std::array<char, 6> bytes{};
  return {bytes.data(), static_cast<std::size_t>(g_unichar_to_utf8(character, bytes.data()))};
}

std::vector<gunichar> characters_of(const char* text) {
  std::vector<gunichar> characters;
  for (; *text != '\0'; text = g_utf8_next_char(text)) characters.push_back(g_utf8_get_char(text));
  return characters;
}

/// Returns the plain characters that `character` stands for; empty if there are none or no font has them.
std::vector<gunichar> printable_parts(gunichar character) {
  auto parts = characters_of(plain_characters(character).c_str());
  if (!std::ranges::all_of(parts, has_glyph)) parts.clear();
  return parts;
}

std::string code_of(gunichar character) {
  std::array<char, 16> text{};
  std::snprintf(text.data(), text.size(), "U+%04X", static_cast<unsigned>(character));
  return text.data();
}

/// Collects the characters of a printed text.
class Printer {
 public:
  void add(gunichar character) {
    const auto kind = kind_of(character);
    if (kind == Kind::dropped) return;
    if (contains(pictures, character)) {
      add_picture(character);
    } else if (kind == Kind::blank) {
      is_spaced_ = true;
    } else if (kind == Kind::invisible) {
      if (!is_spaced_ && !printed_.empty()) append(character);
    } else if (has_glyph(character)) {
      add_visible(kind, character);
    } else {
      add_substitute(kind, character);
    }
  }

  std::string finish() && {
    if (!missing_.empty()) throw MissingFont(std::move(missing_));
    return std::move(printed_);
  }

 private:
  void add_visible(Kind kind, gunichar character) {
    constexpr int most_marks = 8;
    marks_ = kind == Kind::mark ? marks_ + 1 : 0;
    if (marks_ > most_marks) return;
    if (is_spaced_ && !printed_.empty()) printed_ += ' ';
    is_spaced_ = false;
    append(character);
  }

  /// Prints a letter or word in a square or circle, which some people write their names with.
  void add_picture(gunichar character) {
    const auto parts = printable_parts(character);
    for (const auto part : parts) add(part);
    if (parts.empty()) is_spaced_ = true;
  }

  void add_substitute(Kind kind, gunichar character) {
    // A circle around "1" must not part the digits of a number.
    if (g_unichar_type(character) == G_UNICODE_ENCLOSING_MARK) return;
    const auto parts = printable_parts(character);
    for (const auto part : parts) add(part);
    if (!parts.empty()) return;
    if (kind == Kind::sign) {
      is_spaced_ = true;
    } else {
      add_missing(character);
    }
  }

  /// Names each script once.
  void add_missing(gunichar character) {
    const auto script = script_of(character);
    const auto code = code_of(character);
    const auto is_known = [&](const std::string& known) {
      return !script.empty() && known.starts_with(script);
    };
    if (std::ranges::any_of(missing_, is_known)) return;
    missing_.push_back(script.empty() ? code : script + " (" + code + ")");
  }

  void append(gunichar character) { printed_ += utf8_of(character); }

  std::string printed_;
  bool is_spaced_ = false;
  int marks_ = 0;
  std::vector<std::string> missing_;
};

}  // namespace

std::string plain_characters(char32_t character) {
  for (const Enclosed& row : enclosed) {
    if (character < row.first || character > row.last) continue;
    const auto offset = character - row.first;
    if (row.letter == 0) return std::to_string(row.number + static_cast<int>(offset));
    return utf8_of(row.letter + offset);
  }
  std::string text = utf8_of(character);
  const Owned<char, g_free> plain(g_utf8_normalize(text.c_str(), -1, G_NORMALIZE_NFKC));
  return plain.get() == nullptr || text == plain.get() ? std::string() : std::string(plain.get());
}

std::string printable_text(std::string_view text) {
  std::string unended(text);
  std::ranges::replace(unended, '\0', ' ');
  const Owned<char, g_free> valid(g_utf8_make_valid(unended.c_str(), -1));
  Printer printer;
  for (const auto character : characters_of(valid.get())) printer.add(character);
  return std::move(printer).finish();
}

bool is_left_out(std::string_view text) { return printable_text(text).empty() && !is_blank(text); }

}  // namespace waybill::documents
