#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "app/config/config.hpp"
#include "base/secret_box.hpp"

namespace waybill::app {

/// Reads the files of --secret-key-file, in their order. Throws as `refuse_file`, with the name of the file.
std::vector<SecretBox::Key> read_keys(const Config& config);

/// Throws the reason why a file of an option is refused: std::runtime_error if the file cannot be read,
/// because its mount may come later and a service manager then tries again; otherwise ConfigError.
[[noreturn]] void refuse_file(const std::string& option, const std::filesystem::path& file,
                              const std::string& reason);

}  // namespace waybill::app
