#include "documents/label.hpp"

#include <algorithm>
#include <hpdf.h>
#include <memory>
#include <stdexcept>

#include "base/utf8.hpp"
#include "documents/barcode.hpp"
#include "documents/fonts.hpp"
#include "documents/text_fit.hpp"

namespace waybill::documents {
namespace {

// Lengths are in points (1/72 inch); y grows upwards from the page's lower edge.
constexpr float points_per_mm = 72.0F / 25.4F;
constexpr float page_width = 105 * points_per_mm;  // A6 (ISO 216)
constexpr float page_height = 148 * points_per_mm;
constexpr float margin = 5 * points_per_mm;
constexpr float inner_width = page_width - 2 * margin;

constexpr float widest_module = 0.5F * points_per_mm;
constexpr float narrowest_module = 0.19F * points_per_mm;  // for common scanners and 300 dpi printers
constexpr int quiet_modules = 10;                          // on each side (ISO/IEC 15417 section 4.4)
constexpr float bar_height = 18 * points_per_mm;
constexpr float qr_size = 26 * points_per_mm;

enum class Weight : std::uint8_t { regular, bold };

/// A part of the page that text may fill.
struct Box {
  float left;
  float top;
  float width;
  float height;
};

struct Line {
  Weight weight;
  std::string text;
};

class LabelPage {
 public:
  LabelPage() : document_(HPDF_New(nullptr, nullptr)) {
    if (!document_) throw std::bad_alloc();
    auto* const pdf = document_.get();
    HPDF_SetCompressionMode(pdf, HPDF_COMP_ALL);
    HPDF_UseUTFEncodings(pdf);
    regular_ = load(regular_font_path());
    bold_ = load(bold_font_path());
    page_ = HPDF_AddPage(pdf);
    HPDF_Page_SetWidth(page_, page_width);
    HPDF_Page_SetHeight(page_, page_height);
    check();
  }

  /// Writes lines from the top of `box` in the largest size that fits, from `largest` down to `smallest`
  /// points; text that does not fit even then is cut.
  void block(const Box& box, const std::vector<Line>& lines, float largest, float smallest) {
    constexpr float leading = 1.25F;
    for (float size = largest;; size -= 0.5F) {
      const auto room = static_cast<std::size_t>(box.height / (size * leading));
      std::vector<Line> set;
      for (const auto& line : lines) {
        const auto width = [&](std::string_view part) { return text_width(line.weight, size, part); };
        for (auto& part : wrap_text(line.text, box.width, width))
          set.push_back({line.weight, std::move(part)});
      }
      const bool is_last = size - 0.5F < smallest;
      if (set.size() > room && !is_last) continue;
      if (set.size() > room) {
        set.resize(room);
        const auto width = [&](std::string_view part) { return text_width(set.back().weight, size, part); };
        set.back().text = cut_text(set.back().text, box.width, width);
      }
      float baseline = box.top - size;
      for (const auto& line : set) {
        write(line.weight, size, box.left, baseline, line.text);
        baseline -= size * leading;
      }
      return;
    }
  }

  /// Writes one line at a baseline in the largest size that fits, cut if necessary; right-aligned if
  /// `at_right`.
  void line(Weight weight, float largest, float left, float right, float baseline, const std::string& text,
            bool at_right = false) {
    constexpr float smallest = 6;
    float size = largest;
    while (size > smallest && text_width(weight, size, text) > right - left) size -= 0.5F;
    const auto width = [&](std::string_view part) { return text_width(weight, size, part); };
    const auto fitting = width(text) > right - left ? cut_text(text, right - left, width) : text;
    write(weight, size, at_right ? right - width(fitting) : left, baseline, fitting);
  }

  void centered(Weight weight, float size, float baseline, const std::string& text) {
    write(weight, size, (page_width - text_width(weight, size, text)) / 2, baseline, text);
  }

  void rule(float y) {
    HPDF_Page_SetLineWidth(page_, 0.8F);
    HPDF_Page_MoveTo(page_, margin, y);
    HPDF_Page_LineTo(page_, page_width - margin, y);
    HPDF_Page_Stroke(page_);
  }

  /// Draws modules of `width` × `height` from the upper left corner; adjacent modules are one rectangle, so
  /// that no seam shows.
  void barcode(const Barcode& code, float left, float top, float width, float height) {
    for (std::size_t row = 0; row < code.rows.size(); ++row) {
      const auto& modules = code.rows[row];
      const float bottom = top - static_cast<float>(row + 1) * height;
      for (auto run = modules.begin(); run != modules.end();) {
        const auto end = std::find(run, modules.end(), !*run);
        if (*run) {
          HPDF_Page_Rectangle(page_, left + static_cast<float>(run - modules.begin()) * width, bottom,
                              static_cast<float>(end - run) * width, height);
        }
        run = end;
      }
    }
    HPDF_Page_Fill(page_);
  }

  std::string finish(const std::string& title) {
    auto* const pdf = document_.get();
    HPDF_SetInfoAttr(pdf, HPDF_INFO_TITLE, title.c_str());
    HPDF_SetInfoAttr(pdf, HPDF_INFO_CREATOR, "waybill");
    HPDF_SaveToStream(pdf);
    HPDF_ResetStream(pdf);
    check();
    std::string bytes(HPDF_GetStreamSize(pdf), '\0');
    auto size = static_cast<HPDF_UINT32>(bytes.size());
    HPDF_ReadFromStream(pdf, reinterpret_cast<HPDF_BYTE*>(bytes.data()), &size);
    check();
    return bytes;
  }

 private:
  struct Free {
    void operator()(HPDF_Doc pdf) const { HPDF_Free(pdf); }
  };

  HPDF_Font load(const std::string& path) {
    const char* const name = HPDF_LoadTTFontFromFile(document_.get(), path.c_str(), HPDF_TRUE);
    check();
    return HPDF_GetFont(document_.get(), name, "UTF-8");
  }

  /// Throws if an earlier call failed: libharu keeps the first error and ignores later calls.
  void check() {
    if (const auto error = HPDF_GetError(document_.get()); error != HPDF_OK) {
      throw std::runtime_error("libharu: error " + std::to_string(error));
    }
  }

  void use(Weight weight, float size) {
    HPDF_Page_SetFontAndSize(page_, weight == Weight::bold ? bold_ : regular_, size);
  }

  float text_width(Weight weight, float size, std::string_view text) {
    use(weight, size);
    return HPDF_Page_TextWidth(page_, std::string(text).c_str());
  }

  void write(Weight weight, float size, float x, float y, const std::string& text) {
    if (text.empty()) return;
    HPDF_Page_BeginText(page_);
    use(weight, size);
    HPDF_Page_TextOut(page_, x, y, text.c_str());
    HPDF_Page_EndText(page_);
  }

  std::unique_ptr<std::remove_pointer_t<HPDF_Doc>, Free> document_;
  HPDF_Font regular_ = nullptr;
  HPDF_Font bold_ = nullptr;
  HPDF_Page page_ = nullptr;
};

std::vector<Line> lines_of(const Party& party) {
  std::vector<Line> lines;
  const auto add = [&](Weight weight, const std::string& text) {
    auto printed = printable_text(text);
    if (!printed.empty()) lines.push_back({weight, std::move(printed)});
  };
  add(Weight::bold, party.name);
  for (const auto& line : party.address) add(Weight::regular, line);
  add(Weight::regular, party.phone);
  return lines;
}

/// The widest module that fits on the page. Throws if it is too narrow for scanners.
float module_width(const Barcode& code) {
  const float width =
      std::min(widest_module, inner_width / static_cast<float>(code.columns + 2 * quiet_modules));
  if (width < narrowest_module) throw BarcodeError("the text is too long for a label");
  return width;
}

void draw(LabelPage& page, const Label& label) {
  const auto code = code_128(label.tracking_number);
  const auto module = module_width(code);
  const auto qr = qr_code(label.tracking_number);
  const float right = page_width - margin;
  float y = page_height - margin;

  page.line(Weight::bold, 15, margin, margin + inner_width * 0.62F, y - 14, printable_text(label.carrier));
  page.line(Weight::bold, 12, margin + inner_width * 0.66F, right, y - 14,
            printable_text(label.service_level), true);
  y -= 21;
  page.rule(y);
  page.line(Weight::regular, 6, margin, right, y - 9, "FROM");
  page.block({margin, y - 11, inner_width, 62}, lines_of(label.sender), 8, 5);
  y -= 77;
  page.rule(y);
  page.line(Weight::regular, 6, margin, right, y - 9, "TO");
  page.block({margin, y - 11, inner_width, 112}, lines_of(label.recipient), 14, 6);
  y -= 127;
  page.rule(y);

  const float qr_module = qr_size / static_cast<float>(qr.columns);
  page.barcode(qr, right - qr_size, y - 7, qr_module, qr_module);
  const auto count = std::to_string(label.packages) + (label.packages == 1 ? " package" : " packages");
  page.line(Weight::bold, 12, margin, right - qr_size - 8, y - 20, count);
  y -= qr_size + 13;
  page.rule(y);

  const float bars_width = module * static_cast<float>(code.columns);
  page.barcode(code, (page_width - bars_width) / 2, y - 8, module, bar_height);
  page.centered(Weight::bold, 11, y - 8 - bar_height - 13, printable_text(label.tracking_number));
}

}  // namespace

std::string render_label(const Label& label) {
  LabelPage page;
  draw(page, label);
  return page.finish("Label");
}

}  // namespace waybill::documents
