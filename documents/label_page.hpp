#pragma once

#include <cstdint>
#include <hpdf.h>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "documents/barcode.hpp"

namespace waybill::documents {

enum class Weight : std::uint8_t { regular, bold };

/// A part of the page that text may fill.
struct Box {
  float left;
  float top;
  float width;
  float height;
};

/// A text that may take several lines.
struct Paragraph {
  Weight weight;
  std::string text;
};

/// A PDF of one A6 page (ISO 216). Lengths are in points (1/72 inch); y grows upwards from the page's lower
/// edge. Texts are printable (text_fit.hpp). The constructor and `finish` throw std::runtime_error if libharu
/// fails.
class LabelPage {
 public:
  static constexpr float points_per_mm = 72.0F / 25.4F;
  static constexpr float width = 105 * points_per_mm;
  static constexpr float height = 148 * points_per_mm;

  LabelPage();

  /// Writes paragraphs from the top of `box` in the largest size that fits, from `largest` down to `smallest`
  /// points. If they do not fit even then, the longest ones are cut, so that each keeps its beginning.
  void block(const Box& box, const std::vector<Paragraph>& paragraphs, float largest, float smallest);

  /// Writes one line at a baseline in the largest size that fits, cut if necessary; right-aligned if
  /// `at_right`. Returns its width.
  float line(Weight weight, float largest, float left, float right, float baseline, const std::string& text,
             bool at_right = false);

  void centered(Weight weight, float size, float baseline, const std::string& text);

  /// Writes a text in light grey along the diagonal of `box`.
  void watermark(const Box& box, const std::string& text, float size);

  void rule(float left, float right, float y);

  /// Covers a part of the page with white.
  void clear(const Box& box);

  /// Draws modules of `module_width` × `module_height` from the upper left corner.
  void barcode(const Barcode& code, float left, float top, float module_width, float module_height);

  /// Returns the bytes of the PDF. Called once, at the end.
  std::string finish(const std::string& title);

 private:
  struct Free {
    void operator()(HPDF_Doc pdf) const { HPDF_Free(pdf); }
  };

  HPDF_Font load(const std::string& path);
  void check();
  void use(Weight weight, float size);
  float text_width(Weight weight, float size, std::string_view text);
  void write(Weight weight, float size, float x, float y, const std::string& text);

  std::unique_ptr<std::remove_pointer_t<HPDF_Doc>, Free> document_;
  HPDF_Font regular_ = nullptr;
  HPDF_Font bold_ = nullptr;
  HPDF_Page page_ = nullptr;
};

}  // namespace waybill::documents
