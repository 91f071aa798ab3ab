#pragma once

#include <cairo.h>
#include <memory>
#include <pango/pango.h>
#include <vector>

namespace waybill::documents {

/// A line of a layout on a page.
struct PlacedLine {
  std::shared_ptr<PangoLayout> layout;  // not changed any more
  int line;
  double left;  // of the line, in points from the upper left corner of the page
  double baseline;
  double scale;
};

/// Draws lines of text so that programs can extract it.
void draw_text(cairo_t* page, const std::vector<PlacedLine>& lines);

}  // namespace waybill::documents
