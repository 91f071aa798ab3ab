#include "documents/barcode.hpp"

#include <string>

#include <gtest/gtest.h>

namespace waybill::documents {
namespace {

TEST(Barcode, Code128HasElevenModulesPerCharacter) {
  const auto code = code_128("AB");  // start, A, B, check, stop: ISO/IEC 15417
  EXPECT_EQ(code.columns, 4 * 11 + 13);
  ASSERT_EQ(code.rows.size(), 1U);
  EXPECT_TRUE(code.rows[0].front());
  EXPECT_TRUE(code.rows[0].back());
}

TEST(Barcode, UnencodableTextIsRefused) {
  EXPECT_THROW(code_128(""), BarcodeError);
  EXPECT_THROW(code_128("東京"), BarcodeError);
  EXPECT_THROW(code_128(std::string(5000, 'x')), BarcodeError);
  EXPECT_THROW(qr_code(std::string(5000, 'x')), BarcodeError);
  EXPECT_EQ(qr_code("WB0000000001").rows.size(), 21U) << "version 1";
}

}  // namespace
}  // namespace waybill::documents
