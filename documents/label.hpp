#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace waybill::documents {

/// A sender or recipient, in UTF-8 of any length. Each entry of the address is printed on its own line.
struct Party {
  std::string name;
  std::string company;
  std::string phone;
  std::vector<std::string> address;
};

/// The content of a shipment's label. Empty texts are left out.
struct Label {
  std::string tracking_number;
  Party sender;
  Party recipient;
  std::string carrier;
  std::string service_level;
  std::int64_t packages = 0;
  std::string weight;  // weight of all packages, with its unit: "1.5 kg"
  std::string order_number;
  std::string reference;
  std::string carrier_tracking_number;
  bool is_test = false;
};

/// Renders the label as a PDF of one A6 page (105 × 148 mm): the tracking number as Code 128 (ISO/IEC 15417)
/// and QR code (ISO/IEC 18004), the rest as text. Texts that are too long are set smaller, then cut with an
/// ellipsis. A test label has TEST in light grey across the page, except behind the barcodes. The embedded
/// fonts have Latin, Greek, Cyrillic and some other glyphs; others (such as Chinese) print as boxes, but can
/// be extracted as text. Takes a few milliseconds; any thread. Throws BarcodeError if the tracking number
/// does not fit as Code 128, std::runtime_error if the PDF cannot be created.
std::string render_label(const Label& label);

/// The version of the layout. Every change of the layout increases it, so that stored labels of older
/// versions can be detected.
inline constexpr int label_version = 2;

}  // namespace waybill::documents
