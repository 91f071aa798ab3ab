#include "documents/page_text.hpp"

#include <algorithm>
#include <pango/pangocairo.h>
#include <string_view>

namespace waybill::documents {
namespace {

using Runs = std::vector<PangoGlyphItem*>;

Runs runs_of(const PlacedLine& placed) {
  Runs runs;
  const auto* const line = pango_layout_get_line_readonly(placed.layout.get(), placed.line);
  for (const auto* at = line->runs; at != nullptr; at = at->next)
    runs.push_back(static_cast<PangoGlyphItem*>(at->data));
  return runs;
}

/// The glyphs of a run as cairo takes them, and the text that they show.
struct Glyphs {
  std::vector<cairo_glyph_t> glyphs;
  std::string text;
  std::vector<cairo_text_cluster_t> clusters;
};

/// Returns false for an invisible character.
bool is_drawn(const PangoGlyphInfo& info) {
  return info.glyph != PANGO_GLYPH_EMPTY && (info.glyph & PANGO_GLYPH_UNKNOWN_FLAG) == 0;
}

/// Returns true for a run from right to left.
bool is_backward(const PangoGlyphItem& run) { return run.item->analysis.level % 2 != 0; }

std::vector<cairo_text_cluster_t> clusters_of(PangoGlyphItem* run, const char* text) {
  std::vector<cairo_text_cluster_t> clusters;
  PangoGlyphItemIter at;
  for (auto more = pango_glyph_item_iter_init_start(&at, run, text); more != FALSE;
       more = pango_glyph_item_iter_next_cluster(&at)) {
    // The glyphs of a run from right to left are counted down.
    const int step = at.start_glyph <= at.end_glyph ? 1 : -1;
    cairo_text_cluster_t cluster{.num_bytes = at.end_index - at.start_index, .num_glyphs = 0};
    for (int i = at.start_glyph; i != at.end_glyph; i += step)
      cluster.num_glyphs += is_drawn(run->glyphs->glyphs[i]) ? 1 : 0;
    clusters.push_back(cluster);
  }
  return clusters;
}

/// Returns true if each cluster is one character with one glyph.
bool is_simple(const std::vector<cairo_text_cluster_t>& clusters, const char* text) {
  return std::ranges::all_of(clusters, [&](const cairo_text_cluster_t& cluster) {
    const bool has_one = cluster.num_glyphs == 1 && cluster.num_bytes == g_utf8_next_char(text) - text;
    text += cluster.num_bytes;
    return has_one;
  });
}

/// Joins the clusters between two spaces.
std::vector<cairo_text_cluster_t> words_of(const std::vector<cairo_text_cluster_t>& clusters,
                                           const char* text) {
  std::vector<cairo_text_cluster_t> words;
  bool is_in_word = false;
  for (const auto& cluster : clusters) {
    const bool is_space = *text == ' ';
    if (is_in_word && !is_space) {
      words.back().num_bytes += cluster.num_bytes;
      words.back().num_glyphs += cluster.num_glyphs;
    } else {
      words.push_back(cluster);
    }
    is_in_word = !is_space;
    text += cluster.num_bytes;
  }
  return words;
}

/// Puts the clusters of a run from right to left in the order of its glyphs.
void reverse(Glyphs& drawn) {
  std::string text;
  std::size_t end = drawn.text.size();
  std::ranges::reverse(drawn.clusters);
  for (const auto& cluster : drawn.clusters) {
    const auto size = static_cast<std::size_t>(cluster.num_bytes);
    end -= size;
    text.append(drawn.text, end, size);
  }
  drawn.text = std::move(text);
}

/// Returns the glyphs of a run with their numbers in `small`, or else in the whole font.
Glyphs glyphs_of(PangoGlyphItem* run, const char* text, SmallFont* small) {
  Glyphs drawn;
  int left = 0;
  for (int i = 0; i < run->glyphs->num_glyphs; ++i) {
    const auto& info = run->glyphs->glyphs[i];
    if (is_drawn(info)) {
      drawn.glyphs.push_back({.index = small == nullptr ? info.glyph : small->number_of(info.glyph),
                              .x = pango_units_to_double(left + info.geometry.x_offset),
                              .y = pango_units_to_double(info.geometry.y_offset)});
    }
    left += info.geometry.width;
  }
  const auto* const item = run->item;
  if ((item->analysis.flags & PANGO_ANALYSIS_FLAG_IS_ELLIPSIS) != 0) {
    // Its item has the text that is cut.
    drawn.text = "\u2026";
    drawn.clusters.push_back({.num_bytes = static_cast<int>(drawn.text.size()),
                              .num_glyphs = static_cast<int>(drawn.glyphs.size())});
  } else {
    drawn.text.assign(text + item->offset, static_cast<std::size_t>(item->length));
    drawn.clusters = clusters_of(run, text);
    // Programs take glyphs in the order of their places, and text from right to left by its letters. They
    // guess the order of marks from their places, unless a word is marked with its text.
    if (is_backward(*run)) {
      reverse(drawn);
    } else if (!is_simple(drawn.clusters, drawn.text.data())) {
      drawn.clusters = words_of(drawn.clusters, drawn.text.data());
    }
  }
  return drawn;
}

void draw_run(cairo_t* page, PangoGlyphItem* run, const char* text, SmallFont* small) {
  auto* const whole = pango_cairo_font_get_scaled_font(PANGO_CAIRO_FONT(run->item->analysis.font));
  cairo_matrix_t size;
  cairo_scaled_font_get_font_matrix(whole, &size);
  cairo_set_font_face(page, small == nullptr ? cairo_scaled_font_get_font_face(whole) : small->face());
  cairo_set_font_matrix(page, &size);
  const auto drawn = glyphs_of(run, text, small);
  cairo_show_text_glyphs(page, drawn.text.data(), static_cast<int>(drawn.text.size()), drawn.glyphs.data(),
                         static_cast<int>(drawn.glyphs.size()), drawn.clusters.data(),
                         static_cast<int>(drawn.clusters.size()), cairo_text_cluster_flags_t{});
}

void draw_line(cairo_t* page, const PlacedLine& placed, SmallFonts& small_fonts) {
  const char* const text = pango_layout_get_text(placed.layout.get());
  cairo_save(page);
  cairo_translate(page, placed.left, placed.baseline);
  cairo_scale(page, placed.scale, placed.scale);
  for (auto* const run : runs_of(placed)) {
    draw_run(page, run, text, small_fonts.find(run->item->analysis.font));
    cairo_translate(page, pango_units_to_double(pango_glyph_string_get_width(run->glyphs)), 0);
  }
  cairo_restore(page);
}

}  // namespace

void SmallFonts::add(const std::vector<PlacedLine>& lines) {
  for (const auto& placed : lines) {
    for (const auto* const run : runs_of(placed)) {
      if (needs_small_font(run->item->analysis.font)) add(*run);
    }
  }
}

void SmallFonts::add(const PangoGlyphItem& run) {
  auto* const font = run.item->analysis.font;
  auto& small = fonts_.try_emplace(face_of(font), font).first->second;
  for (int i = 0; i < run.glyphs->num_glyphs; ++i) {
    const auto& info = run.glyphs->glyphs[i];
    if (is_drawn(info)) small.add(info.glyph);
  }
}

void draw_text(cairo_t* page, const std::vector<PlacedLine>& lines, SmallFonts& small_fonts) {
  for (const auto& placed : lines) draw_line(page, placed, small_fonts);
}

}  // namespace waybill::documents
