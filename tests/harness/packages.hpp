#pragma once

#include <filesystem>
#include <string_view>

namespace waybill::tests {

/// The folder of npm packages that tests start programs of. `./dev test` installs them.
inline std::filesystem::path package_folder(std::string_view name) {
  return std::filesystem::path(__FILE__).parent_path().parent_path() / "packages" / name;
}

}  // namespace waybill::tests
