#pragma once

#include <cairo.h>
#include <memory>
#include <pango/pango.h>
#include <string>
#include <vector>

#include "base/owned.hpp"
#include "documents/barcode.hpp"
#include "documents/page_text.hpp"
#include "documents/text_layout.hpp"

namespace waybill::documents {

/// A part of the page that text may fill.
struct Box {
  double left;
  double top;
  double width;
  double height;
};

/// A PDF of one A6 page (ISO 216). Lengths are in points (1/72 inch); y grows upwards from the page's lower
/// edge. All text but the watermark lies above bars and white areas. The constructor and `finish` throw
/// std::runtime_error if the PDF cannot be made.
class LabelPage {
 public:
  static constexpr double points_per_mm = 72 / 25.4;
  static constexpr double width = 105 * points_per_mm;
  static constexpr double height = 148 * points_per_mm;

  /// Text is not set smaller than `least_scale` times the smallest sizes given below, but cut.
  explicit LabelPage(double least_scale);
  LabelPage(const LabelPage&) = delete;
  LabelPage& operator=(const LabelPage&) = delete;
  ~LabelPage() = default;

  /// Writes paragraphs from the top of `box` in the largest size that fits, from `largest` down to `smallest`
  /// points. If they do not fit even then, the longest ones are cut, so that each keeps its beginning. If one
  /// line of each does not fit, they are set smaller still.
  void block(const Box& box, const std::vector<Paragraph>& paragraphs, double largest, double smallest);

  /// Writes one line at a baseline in the largest size that fits, cut if necessary; right-aligned if
  /// `at_right`. Returns its width.
  double line(const Paragraph& text, double largest, double left, double right, double baseline,
              bool at_right = false);

  void centered(const Paragraph& text, double size, double baseline);

  /// Writes a text in light grey along the diagonal of `box`.
  void watermark(const Box& box, const std::string& text, double size);

  void rule(double left, double right, double y);

  /// Covers a part of the page with white.
  void clear(const Box& box);

  /// Draws modules of `module_width` × `module_height` from the upper left corner.
  void barcode(const Barcode& code, double left, double top, double module_width, double module_height);

  /// Returns the bytes of the PDF. Called once, at the end.
  std::string finish();

 private:
  std::shared_ptr<PangoLayout> layout(const Paragraph& paragraph);
  void place(const std::shared_ptr<PangoLayout>& layout, int line, double size, double left, double baseline);

  double least_scale_;
  std::string bytes_;
  Owned<cairo_surface_t, cairo_surface_destroy> surface_;
  Owned<cairo_t, cairo_destroy> page_;
  Owned<PangoContext, g_object_unref> context_;
  std::vector<PlacedLine> lines_;
};

}  // namespace waybill::documents
