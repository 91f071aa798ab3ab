#include "documents/scripts.hpp"

#include <algorithm>
#include <array>
#include <glib.h>

#include "documents/fonts.hpp"

namespace waybill::documents {
namespace {

struct Script {
  GUnicodeScript script;
  std::string_view name;
  char32_t letter;  // one that every font of the script has
};

constexpr auto scripts = std::to_array<Script>({
    {G_UNICODE_SCRIPT_ARABIC, "Arabic", U'\u0627'},
    {G_UNICODE_SCRIPT_ARMENIAN, "Armenian", U'\u0561'},
    {G_UNICODE_SCRIPT_BENGALI, "Bengali", U'\u0995'},
    {G_UNICODE_SCRIPT_BOPOMOFO, "Bopomofo", U'\u3105'},
    {G_UNICODE_SCRIPT_CYRILLIC, "Cyrillic", U'\u0430'},
    {G_UNICODE_SCRIPT_DEVANAGARI, "Devanagari", U'\u0915'},
    {G_UNICODE_SCRIPT_ETHIOPIC, "Ethiopic", U'\u1200'},
    {G_UNICODE_SCRIPT_GEORGIAN, "Georgian", U'\u10D0'},
    {G_UNICODE_SCRIPT_GREEK, "Greek", U'\u03B1'},
    {G_UNICODE_SCRIPT_GUJARATI, "Gujarati", U'\u0A95'},
    {G_UNICODE_SCRIPT_GURMUKHI, "Gurmukhi", U'\u0A15'},
    {G_UNICODE_SCRIPT_HAN, "Han", U'\u4E00'},
    {G_UNICODE_SCRIPT_HANGUL, "Hangul", U'\uAC00'},
    {G_UNICODE_SCRIPT_HEBREW, "Hebrew", U'\u05D0'},
    {G_UNICODE_SCRIPT_HIRAGANA, "Hiragana", U'\u3042'},
    {G_UNICODE_SCRIPT_KANNADA, "Kannada", U'\u0C95'},
    {G_UNICODE_SCRIPT_KATAKANA, "Katakana", U'\u30A2'},
    {G_UNICODE_SCRIPT_KHMER, "Khmer", U'\u1780'},
    {G_UNICODE_SCRIPT_LAO, "Lao", U'\u0E81'},
    {G_UNICODE_SCRIPT_LATIN, "Latin", U'\u0061'},
    {G_UNICODE_SCRIPT_MALAYALAM, "Malayalam", U'\u0D15'},
    {G_UNICODE_SCRIPT_MYANMAR, "Myanmar", U'\u1000'},
    {G_UNICODE_SCRIPT_ORIYA, "Oriya", U'\u0B15'},
    {G_UNICODE_SCRIPT_SINHALA, "Sinhala", U'\u0D9A'},
    {G_UNICODE_SCRIPT_TAMIL, "Tamil", U'\u0B95'},
    {G_UNICODE_SCRIPT_TELUGU, "Telugu", U'\u0C15'},
    {G_UNICODE_SCRIPT_THAANA, "Thaana", U'\u0780'},
    {G_UNICODE_SCRIPT_THAI, "Thai", U'\u0E01'},
    {G_UNICODE_SCRIPT_TIBETAN, "Tibetan", U'\u0F40'},
});

struct Forms {
  std::string_view country;
  std::string_view language;
};

constexpr std::string_view japanese = "ja";
constexpr std::string_view korean = "ko";
constexpr std::string_view simplified_chinese = "zh-cn";

constexpr auto forms_by_country = std::to_array<Forms>({
    {"CN", simplified_chinese},
    {"HK", "zh-hk"},
    {"JP", japanese},
    {"KP", korean},
    {"KR", korean},
    {"MO", "zh-hk"},
    {"MY", simplified_chinese},
    {"SG", simplified_chinese},
    {"TW", "zh-tw"},
});

/// Returns the code of a script, such as "Cher".
std::string iso_code(GUnicodeScript script) {
  const auto code = g_unicode_script_to_iso15924(script);
  std::string text;
  for (int shift = 24; shift >= 0; shift -= 8) text += static_cast<char>(code >> shift & 0xFFU);
  return text;
}

}  // namespace

std::string script_of(char32_t character) {
  const auto script = g_unichar_get_script(character);
  if (script == G_UNICODE_SCRIPT_COMMON || script == G_UNICODE_SCRIPT_INHERITED ||
      script == G_UNICODE_SCRIPT_UNKNOWN) {
    return {};
  }
  const auto* const known = std::ranges::find(scripts, script, &Script::script);
  return known == scripts.end() ? iso_code(script) : std::string(known->name);
}

std::vector<std::string_view> scripts_without_font() {
  std::vector<std::string_view> missing;
  for (const auto& script : scripts) {
    if (!has_glyph(script.letter)) missing.push_back(script.name);
  }
  return missing;
}

std::string_view han_language(std::string_view country, std::string_view text) {
  const auto* const forms = std::ranges::find(forms_by_country, country, &Forms::country);
  if (forms != forms_by_country.end()) return forms->language;
  const std::string valid(text);
  for (const char* at = valid.c_str(); *at != '\0'; at = g_utf8_next_char(at)) {
    const auto script = g_unichar_get_script(g_utf8_get_char(at));
    if (script == G_UNICODE_SCRIPT_HIRAGANA || script == G_UNICODE_SCRIPT_KATAKANA) return japanese;
    if (script == G_UNICODE_SCRIPT_HANGUL) return korean;
  }
  return simplified_chinese;
}

}  // namespace waybill::documents
