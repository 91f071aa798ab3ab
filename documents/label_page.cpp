#include "documents/label_page.hpp"

#include <algorithm>
#include <cairo-pdf.h>
#include <cmath>
#include <iterator>
#include <numeric>
#include <pango/pangocairo.h>

#include "documents/cairo_output.hpp"

namespace waybill::documents {
namespace {

double height_of(PangoLayout* layout) {
  double height = 0;
  for (int line = 0; line < pango_layout_get_line_count(layout); ++line) {
    const auto extent = extent_of(layout, line);
    height += extent.above + extent.below;
  }
  return height;
}

/// The width of the first line in its size.
double width_of(PangoLayout* layout) {
  PangoRectangle extents;
  pango_layout_line_get_extents(pango_layout_get_line_readonly(layout, 0), nullptr, &extents);
  return pango_units_to_double(extents.width) / set_size;
}

/// Cuts a layout to a number of lines.
void cut(PangoLayout* layout, int lines) {
  pango_layout_set_height(layout, -lines);
  pango_layout_set_ellipsize(layout, PANGO_ELLIPSIZE_END);
}

using Layouts = std::vector<std::shared_ptr<PangoLayout>>;

double height_of(const Layouts& layouts) {
  return std::accumulate(layouts.begin(), layouts.end(), 0.0,
                         [](double sum, const auto& layout) { return sum + height_of(layout.get()); });
}

int lines_of(const std::shared_ptr<PangoLayout>& layout) { return pango_layout_get_line_count(layout.get()); }

/// Sets the layouts as LabelPage::block states, and returns the size.
double fit(const Layouts& layouts, const Box& box, double largest, double smallest) {
  constexpr double step = 0.5;
  double size = largest;
  for (;; size -= step) {
    for (const auto& layout : layouts) wrap(layout.get(), box.width / size);
    if (height_of(layouts) * size <= box.height) return size;
    if (size - step < smallest) break;
  }
  std::vector<int> lines;
  std::ranges::transform(layouts, std::back_inserter(lines), lines_of);
  while (height_of(layouts) * size > box.height) {
    const auto longest = std::ranges::max_element(lines);
    if (*longest == 1) return box.height / height_of(layouts);
    cut(layouts[static_cast<std::size_t>(longest - lines.begin())].get(), --*longest);
  }
  return size;
}

}  // namespace

LabelPage::LabelPage(double least_scale)
    : least_scale_(least_scale),
      surface_(cairo_pdf_surface_create_for_stream(append, &bytes_, width, height)),
      page_(cairo_create(surface_.get())),
      context_(new_text_context()) {
  check(cairo_status(page_.get()));
  cairo_pdf_surface_set_metadata(surface_.get(), CAIRO_PDF_METADATA_TITLE, "Label");
  cairo_pdf_surface_set_metadata(surface_.get(), CAIRO_PDF_METADATA_CREATOR, "waybill");
  // Equal labels are equal PDFs.
  cairo_pdf_surface_set_metadata(surface_.get(), CAIRO_PDF_METADATA_CREATE_DATE, "");
}

void LabelPage::block(const Box& box, const std::vector<Paragraph>& paragraphs, double largest,
                      double smallest) {
  Layouts layouts;
  for (const auto& paragraph : paragraphs) layouts.push_back(layout(paragraph));
  if (layouts.empty()) return;
  const double size = fit(layouts, box, largest, std::min(largest, smallest * least_scale_));
  double top = box.top;
  for (const auto& layout : layouts) {
    for (int line = 0; line < lines_of(layout); ++line) {
      const auto extent = extent_of(layout.get(), line);
      place(layout, line, size, box.left, top - extent.above * size);
      top -= (extent.above + extent.below) * size;
    }
  }
}

double LabelPage::line(const Paragraph& text, double largest, double left, double right, double baseline,
                       bool at_right) {
  constexpr double smallest = 6;
  const auto set = layout(text);
  const double room = right - left;
  const double natural = width_of(set.get());
  const double size = natural * largest <= room ? largest : std::max(smallest, room / natural);
  if (natural * smallest > room) {
    wrap(set.get(), room / size);
    cut(set.get(), 1);
  }
  const double written = width_of(set.get()) * size;
  place(set, 0, size, at_right ? right - written : left, baseline);
  return written;
}

void LabelPage::centered(const Paragraph& text, double size, double baseline) {
  const auto set = layout(text);
  place(set, 0, size, (width - width_of(set.get()) * size) / 2, baseline);
}

void LabelPage::watermark(const Box& box, const std::string& text, double size) {
  constexpr double light_grey = 0.85;
  constexpr double cap_height = 0.729;  // cap height of DejaVu Sans, in its size
  const auto set = layout({.weight = Weight::bold, .text = text, .language = "en"});
  const double scale = size / set_size;
  cairo_save(page_.get());
  cairo_set_source_rgb(page_.get(), light_grey, light_grey, light_grey);
  cairo_translate(page_.get(), box.left + box.width / 2, height - box.top + box.height / 2);
  cairo_rotate(page_.get(), -std::atan2(box.height, box.width));
  cairo_scale(page_.get(), scale, scale);
  cairo_move_to(page_.get(), -width_of(set.get()) * set_size / 2, cap_height * set_size / 2);
  pango_cairo_show_layout_line(page_.get(), pango_layout_get_line_readonly(set.get(), 0));
  cairo_restore(page_.get());
}

void LabelPage::rule(double left, double right, double y) {
  cairo_set_line_width(page_.get(), 0.8);
  cairo_move_to(page_.get(), left, height - y);
  cairo_line_to(page_.get(), right, height - y);
  cairo_stroke(page_.get());
}

void LabelPage::clear(const Box& box) {
  cairo_save(page_.get());
  cairo_set_source_rgb(page_.get(), 1, 1, 1);
  cairo_rectangle(page_.get(), box.left, height - box.top, box.width, box.height);
  cairo_fill(page_.get());
  cairo_restore(page_.get());
}

void LabelPage::barcode(const Barcode& code, double left, double top, double module_width,
                        double module_height) {
  for (std::size_t row = 0; row < code.rows.size(); ++row) {
    const auto& modules = code.rows[row];
    const double upper = height - top + static_cast<double>(row) * module_height;
    for (auto run = modules.begin(); run != modules.end();) {
      // Adjacent modules are one rectangle, so that no seam shows.
      const auto end = std::find(run, modules.end(), !*run);
      if (*run) {
        cairo_rectangle(page_.get(), left + static_cast<double>(run - modules.begin()) * module_width, upper,
                        static_cast<double>(end - run) * module_width, module_height);
      }
      run = end;
    }
  }
  cairo_fill(page_.get());
}

std::string LabelPage::finish() {
  SmallFonts small_fonts;
  small_fonts.add(lines_);
  draw_text(page_.get(), lines_, small_fonts);
  check(cairo_status(page_.get()));
  cairo_surface_finish(surface_.get());
  check(cairo_surface_status(surface_.get()));
  return std::move(bytes_);
}

std::shared_ptr<PangoLayout> LabelPage::layout(const Paragraph& paragraph) {
  return new_layout(context_.get(), paragraph);
}

void LabelPage::place(const std::shared_ptr<PangoLayout>& layout, int line, double size, double left,
                      double baseline) {
  lines_.push_back({.layout = layout,
                    .line = line,
                    .left = left,
                    .baseline = height - baseline,
                    .scale = size / set_size});
}

}  // namespace waybill::documents
