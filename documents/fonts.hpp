#pragma once

#include <string>

namespace waybill::documents {

/// Paths of the embedded fonts (DejaVu Sans) as TrueType files, for libraries that only read files. Created
/// on first use, valid until the process ends. Any thread. Throws std::system_error.
const std::string& regular_font_path();
const std::string& bold_font_path();

}  // namespace waybill::documents
