#pragma once

#include <filesystem>
#include <string_view>

namespace waybill {

/// Makes `file` hold `text`, readable for its owner alone: whole, on disk and under its name when this
/// returns, or not at all. A crash may leave a file of another name that begins with a dot. Throws
/// std::system_error.
void write_durably(const std::filesystem::path& file, std::string_view text);

}  // namespace waybill
