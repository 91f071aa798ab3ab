#pragma once

#include <pango/pango.h>

namespace waybill::documents {

/// The family that the program contains: DejaVu Sans, regular and bold. It has Latin, Greek, Cyrillic and
/// some other scripts. Characters that it lacks come from the fonts that fontconfig finds.
inline constexpr const char* base_family = "DejaVu Sans";

/// The fonts for Pango, which one thread at a time may use. The first call searches the machine's fonts: some
/// milliseconds with fontconfig's cache, seconds without. Bitmap and colour fonts are not used. Fonts that
/// are installed later are not seen. Any thread. Throws std::system_error or std::runtime_error.
PangoFontMap* font_map();

/// Returns true if some font has a glyph for the character. Any thread; throws like `font_map`.
bool has_glyph(char32_t character);

}  // namespace waybill::documents
