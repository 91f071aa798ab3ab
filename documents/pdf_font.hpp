#pragma once

#include <hpdf.h>
#include <string_view>

namespace waybill::documents {

/// Gives a font with the encoding UTF-8 a correct map from its codes to Unicode, for programs that extract
/// text. libharu 2.3 writes the operator `begincidrange` there, which is not allowed (ISO 32000-1 section
/// 9.10.3). An error is kept in the document (HPDF_GetError).
void set_to_unicode(HPDF_Font font);

/// Embeds the parts of composite glyphs at any depth. libharu 2.3 embeds only the parts of the first level,
/// so that letters such as Ё and ế would lose strokes. `file` is the TrueType file that the font was loaded
/// from. Called after the last text and before the document is saved.
void embed_parts_of_glyphs(HPDF_Font font, std::string_view file);

}  // namespace waybill::documents
