#pragma once

#include <stdexcept>
#include <string_view>
#include <vector>

namespace waybill::documents {

/// A text that has no such barcode.
class BarcodeError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A symbol's dark modules, without quiet zone.
struct Barcode {
  int columns = 0;
  std::vector<std::vector<bool>> rows;  // from the top; one row for a linear code
};

/// Throw BarcodeError for what the symbology cannot hold: Code 128 takes Latin-1.
Barcode code_128(std::string_view text);
Barcode qr_code(std::string_view text);

}  // namespace waybill::documents
