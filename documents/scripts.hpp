#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace waybill::documents {

/// Returns the name of a character's script, such as "Thai", or its code (ISO 15924) if the script is rarely
/// used today; empty for a character of many scripts.
std::string script_of(char32_t character);

/// Returns the scripts in wide use today (Unicode Standard Annex 31, table 5) that no font of this machine
/// has. The first call in the process searches the fonts (fonts.hpp). Any thread; throws like `has_glyph`.
std::vector<std::string_view> scripts_without_font();

/// Returns the language (BCP 47) whose forms of Han characters the texts of a place have. It follows from the
/// country (ISO 3166-1 alpha-2), or else from kana and hangul in `text`; Simplified Chinese if neither tells.
std::string_view han_language(std::string_view country, std::string_view text);

}  // namespace waybill::documents
