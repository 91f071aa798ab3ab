#include "documents/barcode.hpp"

#include <memory>
#include <string>
#include <zint.h>

namespace waybill::documents {
namespace {

struct FreeSymbol {
  void operator()(zint_symbol* symbol) const { ZBarcode_Delete(symbol); }
};

Barcode encode(int symbology, std::string_view text) {
  const std::unique_ptr<zint_symbol, FreeSymbol> symbol(ZBarcode_Create());
  if (!symbol) throw std::bad_alloc();
  symbol->symbology = symbology;
  symbol->input_mode = UNICODE_MODE;
  if (text.empty()) throw BarcodeError("an empty text has no barcode");  // a length of 0 means strlen to zint
  const auto* const source = reinterpret_cast<const unsigned char*>(text.data());
  if (ZBarcode_Encode(symbol.get(), source, static_cast<int>(text.size())) >= ZINT_ERROR) {
    throw BarcodeError(static_cast<const char*>(symbol->errtxt));
  }
  Barcode barcode{.columns = symbol->width, .rows = {}};
  for (int row = 0; row < symbol->rows; ++row) {
    auto& modules = barcode.rows.emplace_back();
    for (int column = 0; column < symbol->width; ++column) {
      modules.push_back(((symbol->encoded_data[row][column / 8] >> (column % 8)) & 1) != 0);
    }
  }
  return barcode;
}

}  // namespace

Barcode code_128(std::string_view text) { return encode(BARCODE_CODE128, text); }

Barcode qr_code(std::string_view text) { return encode(BARCODE_QRCODE, text); }

}  // namespace waybill::documents
