#pragma once

#include <cstdint>
#include <memory>
#include <pango/pango.h>
#include <string>

#include "base/owned.hpp"
#include "base/thread/mutex.hpp"

// Layouts of text for the pages of documents. One thread at a time, which holds `drawing_mutex`.
namespace waybill::documents {

enum class Weight : std::uint8_t { regular, bold };

/// A text that may take several lines.
struct Paragraph {
  Weight weight;
  std::string text;      // printable (printable_text.hpp)
  std::string language;  // whose Han characters it has (scripts.hpp)
};

/// All layouts have this size, in points, and are scaled when they are drawn: outlines have the same
/// proportions in every size.
inline constexpr double set_size = 10;

/// The height of a line above and below its baseline, in its size.
struct Extent {
  double above;
  double below;
};

Owned<PangoContext, g_object_unref> new_text_context();
std::shared_ptr<PangoLayout> new_layout(PangoContext* context, const Paragraph& paragraph);

Extent extent_of(PangoLayout* layout, int line);

/// Breaks the lines of a layout for a width in its size.
void wrap(PangoLayout* layout, double width);

/// Two threads that fill cairo's cache of glyphs can wait for each other forever (cairo 1.16).
Mutex& drawing_mutex();

}  // namespace waybill::documents
