#include "documents/label.hpp"

#include <algorithm>

#include "base/thread/mutex.hpp"
#include "documents/barcode.hpp"
#include "documents/label_page.hpp"
#include "documents/printable_text.hpp"
#include "documents/scripts.hpp"
#include "documents/text_layout.hpp"

namespace waybill::documents {
namespace {

constexpr double points_per_mm = LabelPage::points_per_mm;
constexpr double margin = 5 * points_per_mm;
constexpr double right = LabelPage::width - margin;
constexpr double inner_width = LabelPage::width - 2 * margin;

constexpr double widest_module = 0.5 * points_per_mm;
constexpr double narrowest_module = 0.19 * points_per_mm;  // for common scanners and 300 dpi printers
constexpr int quiet_modules = 10;                          // on each side (ISO/IEC 15417 section 4.4)
constexpr int quiet_modules_of_qr = 4;                     // on each side (ISO/IEC 18004)
constexpr double bar_height = 18 * points_per_mm;
constexpr double qr_size = 26 * points_per_mm;

// The sections from the top. The recipient's section gets the space that the two above it leave.
constexpr double header_height = 21;
constexpr double sender_height = 77;
constexpr double details_top = 180;
constexpr double barcode_top = details_top - qr_size - 13;

/// The paragraphs of one part of a label.
class Paragraphs {
 public:
  explicit Paragraphs(std::string_view language) : language_(language) {}

  /// Adds `before` and a text, unless no character of the text is printed.
  void add(Weight weight, std::string_view before, std::string_view text) {
    const auto printed = printable_text(text);
    if (!printed.empty())
      all_.push_back({.weight = weight, .text = std::string(before) + printed, .language = language_});
  }

  const std::vector<Paragraph>& all() const { return all_; }

 private:
  std::string language_;
  std::vector<Paragraph> all_;
};

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
  Paragraphs paragraphs(language_of(party));
  paragraphs.add(Weight::bold, "", party.name);
  paragraphs.add(Weight::bold, "", party.company);
  paragraphs.add(Weight::regular, "Tel. ", party.phone);
  for (const auto& line : joined(party.address)) paragraphs.add(Weight::regular, "", line);
  return paragraphs;
}

/// Returns a text outside the addresses, with the forms of Han characters that the recipient's part has.
Paragraph text_of(const Label& label, Weight weight, std::string text) {
  return {.weight = weight, .text = std::move(text), .language = std::string(language_of(label.recipient))};
}

/// The widest module that fits on the page. Throws if it is too narrow for scanners.
double module_width(const Barcode& code) {
  const double width =
      std::min(widest_module, inner_width / static_cast<double>(code.columns + 2 * quiet_modules));
  if (width < narrowest_module) throw BarcodeError("the text is too long for a label");
  return width;
}

/// Draws carrier and service level below `y` and returns the lower edge.
double draw_header(LabelPage& page, const Label& label, double y) {
  const auto carrier = printable_text(label.carrier);
  const auto service = printable_text(label.service_level);
  if (carrier.empty() && service.empty()) return y;
  const double carrier_right = service.empty() ? right : margin + inner_width / 2;
  const double carrier_width =
      page.line(text_of(label, Weight::bold, carrier), 15, margin, carrier_right, y - 14);
  page.line(text_of(label, Weight::bold, service), 12, margin + carrier_width + 10, right, y - 14, true);
  page.rule(margin, right, y - header_height);
  return y - header_height;
}

/// Draws the sender below `y` and returns the lower edge.
double draw_sender(LabelPage& page, const Label& label, double y) {
  const auto paragraphs = paragraphs_of(label.sender);
  if (paragraphs.all().empty()) return y;
  page.line(text_of(label, Weight::regular, "FROM"), 6, margin, right, y - 9);
  page.block({margin, y - 11, inner_width, sender_height - 14}, paragraphs.all(), 8, 5);
  page.rule(margin, right, y - sender_height);
  return y - sender_height;
}

void draw_recipient(LabelPage& page, const Label& label, double y) {
  page.line(text_of(label, Weight::regular, "TO"), 6, margin, right, y - 9);
  page.block({margin, y - 11, inner_width, y - details_top - 15}, paragraphs_of(label.recipient).all(), 14,
             6);
  page.rule(margin, right, details_top);
}

void draw_details(LabelPage& page, const Label& label) {
  const auto qr = qr_code(label.tracking_number);
  const double module = qr_size / static_cast<double>(qr.columns);
  const double left = right - qr_size;
  const double text_right = left - quiet_modules_of_qr * module;
  page.clear({text_right, details_top - 2, LabelPage::width - text_right, details_top - barcode_top - 4});
  page.barcode(qr, left, details_top - 7, module, module);

  std::string size;
  if (label.packages > 0) {
    size = std::to_string(label.packages) + (label.packages == 1 ? " package" : " packages");
  }
  const auto weight = printable_text(label.weight);
  if (!size.empty() && !weight.empty()) size += " · ";
  size += weight;
  double y = details_top - 7;
  if (!size.empty()) {
    page.line(text_of(label, Weight::bold, size), 12, margin, text_right, y - 12);
    y -= 16;
  }
  Paragraphs paragraphs(language_of(label.recipient));
  paragraphs.add(Weight::regular, "Order ", label.order_number);
  paragraphs.add(Weight::regular, "Ref. ", label.reference);
  paragraphs.add(Weight::regular, "Carrier no. ", label.carrier_tracking_number);
  page.block({margin, y, text_right - margin, y - barcode_top - 4}, paragraphs.all(), 9, 5);
  page.rule(margin, right, barcode_top);
}

void draw_barcode(LabelPage& page, const Label& label) {
  const auto code = code_128(label.tracking_number);
  const auto module = module_width(code);
  const double bars_width = module * static_cast<double>(code.columns);
  page.clear({0, barcode_top - 2, LabelPage::width, barcode_top - 2});
  page.barcode(code, (LabelPage::width - bars_width) / 2, barcode_top - 8, module, bar_height);
  page.centered(text_of(label, Weight::bold, printable_text(label.tracking_number)), 11,
                barcode_top - 8 - bar_height - 13);
}

std::string render(const Label& label, double least_scale) {
  LabelPage page(least_scale);
  if (label.is_test) {
    const double free_height = LabelPage::height - barcode_top;
    page.watermark({0, LabelPage::height, LabelPage::width, free_height}, "TEST", 110);
  }
  double y = LabelPage::height - margin;
  y = draw_header(page, label, y);
  y = draw_sender(page, label, y);
  draw_recipient(page, label, y);
  draw_details(page, label);
  draw_barcode(page, label);
  return page.finish();
}

}  // namespace

std::string_view language_of(const Party& party) {
  std::string text = party.name + party.company;
  for (const auto& line : party.address) text += line;
  return han_language(party.country, text);
}

void check_fields(const Party& party) {
  for (const PartyField& field : party.fields)
    if (is_left_out(field.text)) throw UnprintableField(field.name);
}

std::string render_label(const Label& label) {
  for (const Party* const party : {&label.sender, &label.recipient}) check_fields(*party);
  const Lock lock(drawing_mutex());
  // Each different glyph takes some 300 bytes. In the smallest sizes a label has room for 900.
  constexpr double larger = 1.6;
  auto pdf = render(label, 1);
  return pdf.size() <= largest_label ? std::move(pdf) : render(label, larger);
}

}  // namespace waybill::documents
