#pragma once

#include <stdexcept>
#include <string_view>
#include <vector>

namespace waybill::documents {

/// The text cannot be encoded as such a barcode.
class BarcodeError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The dark modules of a symbol, without its quiet zone.
struct Barcode {
  int columns = 0;
  std::vector<std::vector<bool>> rows;  // from the top; one row for a linear code
};

/// Both throw BarcodeError for text that the symbology cannot encode; Code 128 encodes Latin-1.
Barcode code_128(std::string_view text);
Barcode qr_code(std::string_view text);

}  // namespace waybill::documents
