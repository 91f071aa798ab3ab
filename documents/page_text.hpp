#pragma once

#include <cairo.h>
#include <map>
#include <memory>
#include <pango/pango.h>
#include <vector>

#include "documents/small_font.hpp"

namespace waybill::documents {

/// A line of a layout on a page.
struct PlacedLine {
  std::shared_ptr<PangoLayout> layout;  // not changed any more
  int line;
  double left;  // of the line, in points from the upper left corner of the page
  double baseline;
  double scale;
};

/// The small fonts of a document (small_font.hpp). All of its lines are added before one is drawn.
class SmallFonts {
 public:
  void add(const std::vector<PlacedLine>& lines);

  /// Returns null for a font that needs none.
  SmallFont* find(PangoFont* font) { return needs_small_font(font) ? &fonts_.at(face_of(font)) : nullptr; }

 private:
  void add(const PangoGlyphItem& run);

  std::map<hb_face_t*, SmallFont> fonts_;
};

/// Draws lines of text so that programs can extract it.
void draw_text(cairo_t* page, const std::vector<PlacedLine>& lines, SmallFonts& small_fonts);

}  // namespace waybill::documents
