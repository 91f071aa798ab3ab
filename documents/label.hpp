#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace waybill::documents {

/// Who sends or receives: UTF-8 of any length. The address is printed a line an entry.
struct Party {
  std::string name;
  std::vector<std::string> address;
  std::string phone;
};

/// What a shipment's label says. Empty texts are left out.
struct Label {
  std::string tracking_number;
  Party sender;
  Party recipient;
  std::string carrier;
  std::string service_level;
  std::int64_t packages = 0;
};

/// The label as a PDF of one A6 page (105 × 148 mm): the tracking number as Code 128 (ISO/IEC 15417) and as
/// QR code (ISO/IEC 18004), and the rest as text. Texts that are too long for their place are set smaller,
/// and cut with an ellipsis at last. The fonts come with the program: Latin, Greek, Cyrillic and more have
/// their glyphs, others (as Chinese) print as boxes. Takes a few milliseconds; any thread. Throws
/// BarcodeError for a tracking number that cannot be a Code 128 of this width, std::runtime_error when the
/// PDF cannot be made.
std::string render_label(const Label& label);

/// Grows when labels look different, so that kept ones can be told from those of this version.
inline constexpr int label_version = 1;

}  // namespace waybill::documents
