#include "documents/sheets.hpp"

#include <algorithm>
#include <cairo-pdf.h>
#include <charconv>
#include <cstdint>
#include <utility>

#include "documents/cairo_output.hpp"

namespace waybill::documents {
namespace {

constexpr double page_width = 210 * Sheets::points_per_mm;
constexpr double page_height = 297 * Sheets::points_per_mm;
constexpr double bottom = page_height - Sheets::margin - 14;  // of the text above the footer
constexpr double footer_size = 8;

double line_width(PangoLayout* layout, int line) {
  PangoRectangle extents;
  pango_layout_line_get_extents(pango_layout_get_line_readonly(layout, line), nullptr, &extents);
  return pango_units_to_double(extents.width) / set_size;
}

/// A part of a colour "#rrggbb".
double channel(const std::string& color, std::size_t index) {
  std::uint8_t value = 0;
  if (color.size() == 7)
    std::from_chars(color.data() + 1 + 2 * index, color.data() + 3 + 2 * index, value, 16);
  return value / 255.0;
}

}  // namespace

Sheets::Sheets(const char* title)
    : surface_(cairo_pdf_surface_create_for_stream(append, &bytes_, page_width, page_height)),
      page_(cairo_create(surface_.get())),
      context_(new_text_context()) {
  check(cairo_status(page_.get()));
  cairo_pdf_surface_set_metadata(surface_.get(), CAIRO_PDF_METADATA_TITLE, title);
  cairo_pdf_surface_set_metadata(surface_.get(), CAIRO_PDF_METADATA_CREATOR, "waybill");
  // Equal documents are equal PDFs.
  cairo_pdf_surface_set_metadata(surface_.get(), CAIRO_PDF_METADATA_CREATE_DATE, "");
}

void Sheets::begin_part(Paragraph footer) {
  end_page();
  head_ = nullptr;
  footer_ = std::move(footer);
  number_ = 1;
  begin_page();
}

void Sheets::row(const std::vector<Column>& columns, const std::vector<Paragraph>& texts, double size) {
  std::vector<std::shared_ptr<PangoLayout>> layouts;
  int most_lines = 0;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    auto& layout = layouts.emplace_back(new_layout(context_.get(), texts[i]));
    wrap(layout.get(), columns[i].width / size);
    most_lines = std::max(most_lines, pango_layout_get_line_count(layout.get()));
  }
  std::vector<Extent> extents(static_cast<std::size_t>(most_lines), Extent{0, 0});
  double total = 0;
  for (int line = 0; line < most_lines; ++line) {
    Extent& extent = extents[static_cast<std::size_t>(line)];
    for (const auto& layout : layouts) {
      if (line >= pango_layout_get_line_count(layout.get())) continue;
      const Extent one = extent_of(layout.get(), line);
      extent = {std::max(extent.above, one.above * size), std::max(extent.below, one.below * size)};
    }
    total += extent.above + extent.below;
  }
  constexpr double most_undivided = (bottom - margin) / 2;
  if (y_ + total > bottom && total <= most_undivided) next_page();
  for (int line = 0; line < most_lines; ++line) {
    const Extent& extent = extents[static_cast<std::size_t>(line)];
    if (y_ + extent.above + extent.below > bottom) next_page();
    y_ += extent.above;
    for (std::size_t i = 0; i < layouts.size(); ++i) {
      if (line >= pango_layout_get_line_count(layouts[i].get())) continue;
      const double unused =
          columns[i].at_right ? columns[i].width - line_width(layouts[i].get(), line) * size : 0;
      pages_.back().lines.push_back({.layout = layouts[i],
                                     .line = line,
                                     .left = columns[i].left + unused,
                                     .baseline = y_,
                                     .scale = size / set_size});
    }
    y_ += extent.below;
  }
}

void Sheets::rule(double thickness, const std::string& color) {
  pages_.back().rules.push_back({.top = y_, .thickness = thickness, .color = color});
  y_ += thickness;
}

void Sheets::space(double height) { y_ += height; }

void Sheets::begin_page() {
  pages_.emplace_back();
  y_ = margin;
}

void Sheets::next_page() {
  end_page();
  ++number_;
  begin_page();
  if (head_) head_();
}

void Sheets::end_page() {
  if (pages_.empty()) return;
  Paragraph footer = footer_;
  footer.text += (footer.text.empty() ? "" : " · ") + std::to_string(number_);
  pages_.back().lines.push_back({.layout = new_layout(context_.get(), footer),
                                 .line = 0,
                                 .left = margin,
                                 .baseline = page_height - margin,
                                 .scale = footer_size / set_size});
}

void Sheets::draw(const Page& page, SmallFonts& small_fonts) {
  for (const Rule& rule : page.rules) {
    cairo_set_source_rgb(page_.get(), channel(rule.color, 0), channel(rule.color, 1), channel(rule.color, 2));
    cairo_rectangle(page_.get(), margin, rule.top, inner_width, rule.thickness);
    cairo_fill(page_.get());
  }
  cairo_set_source_rgb(page_.get(), 0, 0, 0);
  draw_text(page_.get(), page.lines, small_fonts);
  cairo_show_page(page_.get());
  check(cairo_status(page_.get()));
}

std::string Sheets::finish() {
  end_page();
  SmallFonts small_fonts;
  for (const Page& page : pages_) small_fonts.add(page.lines);
  for (const Page& page : pages_) draw(page, small_fonts);
  cairo_surface_finish(surface_.get());
  check(cairo_surface_status(surface_.get()));
  return std::move(bytes_);
}

}  // namespace waybill::documents
