#pragma once

#include <array>
#include <cstdio>
#include <stdexcept>
#include <string>

namespace waybill::documents {

/// Returns the output of a shell command, both streams. Throws std::runtime_error if it fails.
inline std::string output_of(const std::string& command) {
  auto* const pipe = ::popen((command + " 2>&1").c_str(), "r");
  if (pipe == nullptr) throw std::runtime_error(command);
  std::string output;
  std::array<char, 4096> buffer{};
  while (const auto size = std::fread(buffer.data(), 1, buffer.size(), pipe)) {
    output.append(buffer.data(), size);
  }
  if (::pclose(pipe) != 0) throw std::runtime_error(command + ": " + output);
  return output;
}

}  // namespace waybill::documents
