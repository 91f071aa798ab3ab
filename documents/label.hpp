#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace waybill::documents {

/// No font of this machine has a letter, digit or mark of a text.
class MissingFont : public std::runtime_error {
 public:
  explicit MissingFont(std::vector<std::string> scripts)
      : std::runtime_error("no font for " + scripts.front()), scripts_(std::move(scripts)) {}

  /// Returns at least one script, each with the first character that lacks a glyph: "Thai (U+0E2A)". A
  /// character of many scripts stands for itself: "U+30FC".
  const std::vector<std::string>& scripts() const { return scripts_; }

 private:
  std::vector<std::string> scripts_;
};

/// Nothing of the text of a field is printed (printable_text.hpp).
class UnprintableField : public std::runtime_error {
 public:
  explicit UnprintableField(std::string name)
      : std::runtime_error("nothing of " + name + " can be printed"), name_(std::move(name)) {}

  const std::string& name() const { return name_; }

 private:
  std::string name_;
};

/// A text of a party of which a document must show something, unless it is blank. Its name is for messages.
struct PartyField {
  std::string name;
  std::string text;
};

/// A sender or recipient, in UTF-8 of any length. Each entry of the address is printed on its own line.
struct Party {
  std::string name;
  std::string company;
  std::string phone;
  std::vector<std::string> address;
  std::string country;  // ISO 3166-1 alpha-2; selects the forms of Han characters; empty if unknown
  std::vector<PartyField> fields = {};  // those of which name, company and address are made
};

/// Throws UnprintableField for the first field of a party of which nothing is printed, or MissingFont.
void check_fields(const Party& party);

/// Returns the language that selects the forms of Han characters in a party's texts, as han_language() does.
std::string_view language_of(const Party& party);

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

/// The size in bytes that a label keeps to.
inline constexpr std::size_t largest_label = 200'000;

/// Renders the label as a PDF of one A6 page (105 × 148 mm): the tracking number as Code 128 (ISO/IEC 15417)
/// and QR code (ISO/IEC 18004), the rest as text. Texts that are too long are set smaller, then cut with an
/// ellipsis, the earlier the more different characters they have (`largest_label`). A test label has TEST in
/// light grey across the page, except behind the barcodes. Text of any script is shaped, written in its
/// direction, and can be extracted; printable_text.hpp states which characters are left out. Equal labels are
/// equal PDFs if the machine has the same fonts. Takes some milliseconds, the first call also the search for
/// fonts (fonts.hpp). Any thread; labels are drawn one after the other. Throws MissingFont, UnprintableField,
/// BarcodeError if the tracking number does not fit as Code 128, std::runtime_error if the PDF cannot be
/// created.
std::string render_label(const Label& label);

/// The version of the layout. Every change of the layout or of what is refused increases it, so that stored
/// labels of older versions can be detected.
inline constexpr int label_version = 5;

}  // namespace waybill::documents
