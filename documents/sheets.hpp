#pragma once

#include <cairo.h>
#include <functional>
#include <memory>
#include <pango/pango.h>
#include <string>
#include <vector>

#include "base/owned.hpp"
#include "documents/page_text.hpp"
#include "documents/text_layout.hpp"

namespace waybill::documents {

/// A column of a table on sheets. Lengths are in points.
struct Column {
  double left;
  double width;
  bool at_right = false;
};

/// A PDF of A4 pages (ISO 216), written from top to bottom. Lengths are in points (1/72 inch). Text is never
/// cut: it wraps, and what does not fit on a page continues on the next. Used as layouts of text are
/// (text_layout.hpp). The constructor and `finish` throw std::runtime_error if the PDF cannot be made.
class Sheets {
 public:
  static constexpr double points_per_mm = 72 / 25.4;
  static constexpr double margin = 15 * points_per_mm;
  static constexpr double inner_width = (210 - 30) * points_per_mm;

  explicit Sheets(const char* title);
  Sheets(const Sheets&) = delete;
  Sheets& operator=(const Sheets&) = delete;
  ~Sheets() = default;

  /// Begins a part on a new page. Each of its pages has `footer` and its number within the part.
  void begin_part(Paragraph footer);
  /// Called at the top of each further page of the part; null: nothing.
  void set_head(std::function<void()> head) { head_ = std::move(head); }

  /// Writes the texts of a row of columns. A row that fits on one page is not divided.
  void row(const std::vector<Column>& columns, const std::vector<Paragraph>& texts, double size);
  void rule(double thickness, const std::string& color);
  void space(double height);

  /// Returns the bytes of the PDF. Called once, at the end.
  std::string finish();

 private:
  struct Rule {
    double top;
    double thickness;
    std::string color;
  };
  struct Page {
    std::vector<PlacedLine> lines;
    std::vector<Rule> rules;
  };

  void begin_page();
  void end_page();
  void next_page();
  void draw(const Page& page, SmallFonts& small_fonts);

  std::string bytes_;
  Owned<cairo_surface_t, cairo_surface_destroy> surface_;
  Owned<cairo_t, cairo_destroy> page_;
  Owned<PangoContext, g_object_unref> context_;
  std::vector<Page> pages_;  // drawn at the end, when the glyphs of all pages are known
  std::function<void()> head_;
  Paragraph footer_{};
  int number_ = 0;  // of the page within its part
  double y_ = 0;    // from the upper edge
};

}  // namespace waybill::documents
