#pragma once

#include <cairo.h>
#include <hb-subset.h>
#include <hb.h>
#include <memory>
#include <pango/pango.h>

#include "base/owned.hpp"

namespace waybill::documents {

/// Returns the font file of a font, which its font map keeps.
hb_face_t* face_of(PangoFont* font);

/// Returns true if the font has its outlines as CFF (Compact Font Format). cairo 1.16 embeds such a font with
/// an entry for each subroutine of the font: 52 kB for each face of Noto Sans CJK, however few the glyphs.
bool needs_small_font(PangoFont* font);

/// A font with only the glyphs that a document uses. Throws std::runtime_error if it cannot be made.
class SmallFont {
 public:
  explicit SmallFont(PangoFont* font);

  /// Called for all glyphs before the functions below.
  void add(PangoGlyph glyph) { hb_set_add(glyphs_.get(), glyph); }

  /// Returns the font for cairo, which may keep it longer than this object lives.
  cairo_font_face_t* face();

  /// Returns the number in the small font of a glyph that was added.
  unsigned long number_of(PangoGlyph glyph);

 private:
  void make();

  hb_face_t* whole_;
  Owned<hb_set_t, hb_set_destroy> glyphs_;
  Owned<hb_subset_plan_t, hb_subset_plan_destroy> plan_;
  Owned<cairo_font_face_t, cairo_font_face_destroy> face_;
};

}  // namespace waybill::documents
