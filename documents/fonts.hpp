#pragma once

#include <string>

namespace waybill::documents {

/// Paths under which the fonts that are part of the program (DejaVu Sans) can be read as TrueType files, for
/// libraries that read files alone. Made on first use and good until the process ends; any thread. Throws
/// std::system_error.
const std::string& regular_font_path();
const std::string& bold_font_path();

}  // namespace waybill::documents
