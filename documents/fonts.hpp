#pragma once

#include <string>
#include <string_view>

namespace waybill::documents {

/// The embedded fonts (DejaVu Sans) as TrueType files.
std::string_view regular_font();
std::string_view bold_font();

/// Paths of the same fonts for libraries that only read files. Created on first use, valid until the process
/// ends. Any thread. Throws std::system_error.
const std::string& regular_font_path();
const std::string& bold_font_path();

}  // namespace waybill::documents
