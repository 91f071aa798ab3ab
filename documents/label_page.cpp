#include "documents/label_page.hpp"

#include <algorithm>
#include <cmath>
#include <new>
#include <stdexcept>

#include "documents/fonts.hpp"
#include "documents/pdf_font.hpp"
#include "documents/text_fit.hpp"

namespace waybill::documents {
namespace {

using Lines = std::vector<std::string>;

std::size_t count_lines(const std::vector<Lines>& paragraphs) {
  std::size_t count = 0;
  for (const auto& lines : paragraphs) count += lines.size();
  return count;
}

}  // namespace

LabelPage::LabelPage() : document_(HPDF_New(nullptr, nullptr)) {
  if (!document_) throw std::bad_alloc();
  auto* const pdf = document_.get();
  HPDF_SetCompressionMode(pdf, HPDF_COMP_ALL);
  HPDF_UseUTFEncodings(pdf);
  regular_ = load(regular_font_path());
  bold_ = load(bold_font_path());
  page_ = HPDF_AddPage(pdf);
  HPDF_Page_SetWidth(page_, width);
  HPDF_Page_SetHeight(page_, height);
  check();
}

void LabelPage::block(const Box& box, const std::vector<Paragraph>& paragraphs, float largest,
                      float smallest) {
  constexpr float leading = 1.25F;
  constexpr float step = 0.5F;
  std::vector<Lines> set;
  std::size_t room = 0;
  float size = largest;
  for (;; size -= step) {
    room = static_cast<std::size_t>(box.height / (size * leading));
    set.clear();
    for (const auto& [weight, text] : paragraphs) {
      const auto width_of = [&](std::string_view part) { return text_width(weight, size, part); };
      set.push_back(wrap_text(text, box.width, width_of));
    }
    if (count_lines(set) <= room || size - step < smallest) break;
  }
  std::vector<bool> is_cut(set.size());
  while (count_lines(set) > room) {
    const auto longest = std::ranges::max_element(set, {}, &Lines::size);
    longest->pop_back();
    is_cut[static_cast<std::size_t>(longest - set.begin())] = true;
  }
  float baseline = box.top - size;
  for (std::size_t i = 0; i < set.size(); ++i) {
    const auto weight = paragraphs[i].weight;
    const auto width_of = [&](std::string_view part) { return text_width(weight, size, part); };
    if (is_cut[i] && !set[i].empty()) set[i].back() = cut_text(set[i].back(), box.width, width_of);
    for (const auto& text : set[i]) {
      write(weight, size, box.left, baseline, text);
      baseline -= size * leading;
    }
  }
}

float LabelPage::line(Weight weight, float largest, float left, float right, float baseline,
                      const std::string& text, bool at_right) {
  constexpr float smallest = 6;
  float size = largest;
  while (size > smallest && text_width(weight, size, text) > right - left) size -= 0.5F;
  const auto width_of = [&](std::string_view part) { return text_width(weight, size, part); };
  const auto fitting = width_of(text) > right - left ? cut_text(text, right - left, width_of) : text;
  const float written = width_of(fitting);
  write(weight, size, at_right ? right - written : left, baseline, fitting);
  return written;
}

void LabelPage::centered(Weight weight, float size, float baseline, const std::string& text) {
  write(weight, size, (width - text_width(weight, size, text)) / 2, baseline, text);
}

void LabelPage::watermark(const Box& box, const std::string& text, float size) {
  constexpr float light_grey = 0.85F;
  constexpr float cap_height = 0.729F;  // cap height of DejaVu Sans, in its size
  const float diagonal = std::hypot(box.width, box.height);
  const float cosine = box.width / diagonal;
  const float sine = box.height / diagonal;
  const float along = text_width(Weight::bold, size, text) / 2;
  const float across = size * cap_height / 2;
  const float x = box.left + box.width / 2 - along * cosine + across * sine;
  const float y = box.top - box.height / 2 - along * sine - across * cosine;
  HPDF_Page_SetGrayFill(page_, light_grey);
  HPDF_Page_BeginText(page_);
  use(Weight::bold, size);
  HPDF_Page_SetTextMatrix(page_, cosine, sine, -sine, cosine, x, y);
  HPDF_Page_ShowText(page_, text.c_str());
  HPDF_Page_EndText(page_);
  HPDF_Page_SetGrayFill(page_, 0);
}

void LabelPage::rule(float left, float right, float y) {
  HPDF_Page_SetLineWidth(page_, 0.8F);
  HPDF_Page_MoveTo(page_, left, y);
  HPDF_Page_LineTo(page_, right, y);
  HPDF_Page_Stroke(page_);
}

void LabelPage::clear(const Box& box) {
  HPDF_Page_SetGrayFill(page_, 1);
  HPDF_Page_Rectangle(page_, box.left, box.top - box.height, box.width, box.height);
  HPDF_Page_Fill(page_);
  HPDF_Page_SetGrayFill(page_, 0);
}

void LabelPage::barcode(const Barcode& code, float left, float top, float module_width, float module_height) {
  for (std::size_t row = 0; row < code.rows.size(); ++row) {
    const auto& modules = code.rows[row];
    const float bottom = top - static_cast<float>(row + 1) * module_height;
    for (auto run = modules.begin(); run != modules.end();) {
      // Adjacent modules are one rectangle, so that no seam shows.
      const auto end = std::find(run, modules.end(), !*run);
      if (*run) {
        HPDF_Page_Rectangle(page_, left + static_cast<float>(run - modules.begin()) * module_width, bottom,
                            static_cast<float>(end - run) * module_width, module_height);
      }
      run = end;
    }
  }
  HPDF_Page_Fill(page_);
}

std::string LabelPage::finish(const std::string& title) {
  auto* const pdf = document_.get();
  check();
  embed_parts_of_glyphs(regular_, regular_font());
  embed_parts_of_glyphs(bold_, bold_font());
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

HPDF_Font LabelPage::load(const std::string& path) {
  const char* const name = HPDF_LoadTTFontFromFile(document_.get(), path.c_str(), HPDF_TRUE);
  check();
  const auto font = HPDF_GetFont(document_.get(), name, "UTF-8");
  check();
  set_to_unicode(font);
  return font;
}

/// Throws if an earlier call failed: libharu keeps the first error and ignores later calls.
void LabelPage::check() {
  if (const auto error = HPDF_GetError(document_.get()); error != HPDF_OK) {
    throw std::runtime_error("libharu: error " + std::to_string(error));
  }
}

void LabelPage::use(Weight weight, float size) {
  HPDF_Page_SetFontAndSize(page_, weight == Weight::bold ? bold_ : regular_, size);
}

float LabelPage::text_width(Weight weight, float size, std::string_view text) {
  use(weight, size);
  return HPDF_Page_TextWidth(page_, std::string(text).c_str());
}

void LabelPage::write(Weight weight, float size, float x, float y, const std::string& text) {
  if (text.empty()) return;
  HPDF_Page_BeginText(page_);
  use(weight, size);
  HPDF_Page_TextOut(page_, x, y, text.c_str());
  HPDF_Page_EndText(page_);
}

}  // namespace waybill::documents
