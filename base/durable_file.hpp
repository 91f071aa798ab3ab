#pragma once

#include <filesystem>
#include <string_view>

namespace waybill {

/// Writes `text` to `file` atomically, readable by its owner only; it is on disk when this returns. A crash
/// may leave a temporary file whose name begins with a dot. Throws std::system_error.
void write_durably(const std::filesystem::path& file, std::string_view text);

}  // namespace waybill
