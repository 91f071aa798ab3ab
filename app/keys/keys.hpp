#pragma once

#include <vector>

#include "app/config/config.hpp"
#include "base/secret_box.hpp"

namespace waybill::app {

/// Reads the files of --secret-key-file, in their order. Throws SecretError, which names the file.
std::vector<SecretBox::Key> read_keys(const Config& config);

}  // namespace waybill::app
