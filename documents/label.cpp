#include "documents/label.hpp"

#include <algorithm>

#include "documents/barcode.hpp"
#include "documents/label_page.hpp"
#include "documents/text_fit.hpp"

namespace waybill::documents {
namespace {

constexpr float points_per_mm = LabelPage::points_per_mm;
constexpr float margin = 5 * points_per_mm;
constexpr float right = LabelPage::width - margin;
constexpr float inner_width = LabelPage::width - 2 * margin;

constexpr float widest_module = 0.5F * points_per_mm;
constexpr float narrowest_module = 0.19F * points_per_mm;  // for common scanners and 300 dpi printers
constexpr int quiet_modules = 10;                          // on each side (ISO/IEC 15417 section 4.4)
constexpr int quiet_modules_of_qr = 4;                     // on each side (ISO/IEC 18004)
constexpr float bar_height = 18 * points_per_mm;
constexpr float qr_size = 26 * points_per_mm;

// The sections from the top. The recipient's section gets the space that the two above it leave.
constexpr float header_height = 21;
constexpr float sender_height = 77;
constexpr float details_top = 180;
constexpr float barcode_top = details_top - qr_size - 13;

using Paragraphs = std::vector<Paragraph>;

void add(Paragraphs& paragraphs, Weight weight, std::string_view before, std::string_view text) {
  auto printed = printable_text(text);
  if (!printed.empty()) paragraphs.push_back({weight, std::string(before) + printed});
}

/// Joins the first lines of an address that has very many, so that each line stays visible in part.
std::vector<std::string> joined(std::vector<std::string> address) {
  constexpr std::size_t most_lines = 8;
  while (address.size() > most_lines) {
    address[0] += ", " + address[1];
    address.erase(address.begin() + 1);
  }
  return address;
}

Paragraphs paragraphs_of(const Party& party) {
  Paragraphs paragraphs;
  add(paragraphs, Weight::bold, "", party.name);
  add(paragraphs, Weight::bold, "", party.company);
  add(paragraphs, Weight::regular, "Tel. ", party.phone);
  for (const auto& line : joined(party.address)) add(paragraphs, Weight::regular, "", line);
  return paragraphs;
}

/// The widest module that fits on the page. Throws if it is too narrow for scanners.
float module_width(const Barcode& code) {
  const float width =
      std::min(widest_module, inner_width / static_cast<float>(code.columns + 2 * quiet_modules));
  if (width < narrowest_module) throw BarcodeError("the text is too long for a label");
  return width;
}

/// Draws carrier and service level below `y` and returns the lower edge.
float draw_header(LabelPage& page, const Label& label, float y) {
  const auto carrier = printable_text(label.carrier);
  const auto service = printable_text(label.service_level);
  if (carrier.empty() && service.empty()) return y;
  const float carrier_right = service.empty() ? right : margin + inner_width / 2;
  const float carrier_width = page.line(Weight::bold, 15, margin, carrier_right, y - 14, carrier);
  page.line(Weight::bold, 12, margin + carrier_width + 10, right, y - 14, service, true);
  page.rule(margin, right, y - header_height);
  return y - header_height;
}

/// Draws the sender below `y` and returns the lower edge.
float draw_sender(LabelPage& page, const Label& label, float y) {
  const auto paragraphs = paragraphs_of(label.sender);
  if (paragraphs.empty()) return y;
  page.line(Weight::regular, 6, margin, right, y - 9, "FROM");
  page.block({margin, y - 11, inner_width, sender_height - 14}, paragraphs, 8, 5);
  page.rule(margin, right, y - sender_height);
  return y - sender_height;
}

void draw_recipient(LabelPage& page, const Label& label, float y) {
  page.line(Weight::regular, 6, margin, right, y - 9, "TO");
  page.block({margin, y - 11, inner_width, y - details_top - 15}, paragraphs_of(label.recipient), 14, 6);
  page.rule(margin, right, details_top);
}

void draw_details(LabelPage& page, const Label& label) {
  const auto qr = qr_code(label.tracking_number);
  const float module = qr_size / static_cast<float>(qr.columns);
  const float left = right - qr_size;
  const float text_right = left - quiet_modules_of_qr * module;
  page.clear({text_right, details_top - 2, LabelPage::width - text_right, details_top - barcode_top - 4});
  page.barcode(qr, left, details_top - 7, module, module);

  std::string size;
  if (label.packages > 0) {
    size = std::to_string(label.packages) + (label.packages == 1 ? " package" : " packages");
  }
  const auto weight = printable_text(label.weight);
  if (!size.empty() && !weight.empty()) size += " · ";
  size += weight;
  float y = details_top - 7;
  if (!size.empty()) {
    page.line(Weight::bold, 12, margin, text_right, y - 12, size);
    y -= 16;
  }
  Paragraphs paragraphs;
  add(paragraphs, Weight::regular, "Order ", label.order_number);
  add(paragraphs, Weight::regular, "Ref. ", label.reference);
  add(paragraphs, Weight::regular, "Carrier no. ", label.carrier_tracking_number);
  page.block({margin, y, text_right - margin, y - barcode_top - 4}, paragraphs, 9, 5);
  page.rule(margin, right, barcode_top);
}

void draw_barcode(LabelPage& page, const Label& label) {
  const auto code = code_128(label.tracking_number);
  const auto module = module_width(code);
  const float bars_width = module * static_cast<float>(code.columns);
  page.clear({0, barcode_top - 2, LabelPage::width, barcode_top - 2});
  page.barcode(code, (LabelPage::width - bars_width) / 2, barcode_top - 8, module, bar_height);
  page.centered(Weight::bold, 11, barcode_top - 8 - bar_height - 13, printable_text(label.tracking_number));
}

}  // namespace

std::string render_label(const Label& label) {
  LabelPage page;
  if (label.is_test) {
    const float free_height = LabelPage::height - barcode_top;
    page.watermark({0, LabelPage::height, LabelPage::width, free_height}, "TEST", 110);
  }
  float y = LabelPage::height - margin;
  y = draw_header(page, label, y);
  y = draw_sender(page, label, y);
  draw_recipient(page, label, y);
  draw_details(page, label);
  draw_barcode(page, label);
  return page.finish("Label");
}

}  // namespace waybill::documents
