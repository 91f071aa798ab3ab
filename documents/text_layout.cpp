#include "documents/text_layout.hpp"

#include <algorithm>
#include <cairo.h>
#include <pango/pangocairo.h>

#include "documents/fonts.hpp"

namespace waybill::documents {

Owned<PangoContext, g_object_unref> new_text_context() {
  Owned<PangoContext, g_object_unref> context(pango_font_map_create_context(font_map()));
  const Owned<cairo_font_options_t, cairo_font_options_destroy> options(cairo_font_options_create());
  cairo_font_options_set_hint_style(options.get(), CAIRO_HINT_STYLE_NONE);
  cairo_font_options_set_hint_metrics(options.get(), CAIRO_HINT_METRICS_OFF);
  pango_cairo_context_set_font_options(context.get(), options.get());
  pango_context_set_round_glyph_positions(context.get(), FALSE);
  return context;
}

std::shared_ptr<PangoLayout> new_layout(PangoContext* context, const Paragraph& paragraph) {
  const Owned<PangoFontDescription, pango_font_description_free> font(pango_font_description_new());
  pango_font_description_set_family(font.get(), base_family);
  pango_font_description_set_weight(
      font.get(), paragraph.weight == Weight::bold ? PANGO_WEIGHT_BOLD : PANGO_WEIGHT_NORMAL);
  pango_font_description_set_absolute_size(font.get(), pango_units_from_double(set_size));
  std::shared_ptr<PangoLayout> layout(pango_layout_new(context), &g_object_unref);
  pango_layout_set_font_description(layout.get(), font.get());
  pango_layout_set_text(layout.get(), paragraph.text.c_str(), -1);
  pango_layout_set_wrap(layout.get(), PANGO_WRAP_WORD_CHAR);
  // A hyphen at the end of a line would change an address.
  const Owned<PangoAttrList, pango_attr_list_unref> attributes(pango_attr_list_new());
  pango_attr_list_insert(attributes.get(), pango_attr_insert_hyphens_new(FALSE));
  pango_attr_list_insert(attributes.get(),
                         pango_attr_language_new(pango_language_from_string(paragraph.language.c_str())));
  pango_layout_set_attributes(layout.get(), attributes.get());
  return layout;
}

Extent extent_of(PangoLayout* layout, int line) {
  constexpr double least_above = 1;
  constexpr double least_below = 0.25;
  PangoRectangle extents;
  pango_layout_line_get_extents(pango_layout_get_line_readonly(layout, line), nullptr, &extents);
  return {.above = std::max(least_above, pango_units_to_double(-extents.y) / set_size),
          .below = std::max(least_below, pango_units_to_double(extents.y + extents.height) / set_size)};
}

void wrap(PangoLayout* layout, double width) {
  pango_layout_set_width(layout, pango_units_from_double(width * set_size));
}

Mutex& drawing_mutex() {
  static Mutex drawing;
  return drawing;
}

}  // namespace waybill::documents
