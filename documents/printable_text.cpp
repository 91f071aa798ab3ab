#include "documents/printable_text.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <glib.h>
#include <string>
#include <vector>

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
std::vector<gunichar> plain(gunichar character) {
  const Owned<char, g_free> text(g_utf8_normalize(utf8_of(character).c_str(), -1, G_NORMALIZE_NFKC));
  auto parts = characters_of(text.get());
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
    if (kind == Kind::blank) {
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

  void add_substitute(Kind kind, gunichar character) {
    const auto parts = plain(character);
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

std::string printable_text(std::string_view text) {
  std::string unended(text);
  std::ranges::replace(unended, '\0', ' ');
  const Owned<char, g_free> valid(g_utf8_make_valid(unended.c_str(), -1));
  Printer printer;
  for (const auto character : characters_of(valid.get())) printer.add(character);
  return std::move(printer).finish();
}

}  // namespace waybill::documents
