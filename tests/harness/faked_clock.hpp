#pragma once

#include <filesystem>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

namespace waybill::tests {

/// The path of libfaketime (Debian's package faketime); empty if it is not installed.
inline std::string faketime_library() {
  for (const auto& entry : std::filesystem::directory_iterator("/usr/lib")) {
    const auto library = entry.path() / "faketime" / "libfaketimeMT.so.1";
    std::error_code ignored;
    if (std::filesystem::exists(library, ignored)) return library;
  }
  return {};
}

/// The environment of a process whose clock differs by `shift`, such as "+1h". With libfaketime's fix of
/// waits, each thread that waits with a time limit uses a processor.
inline std::vector<std::pair<std::string, std::string>> shifted_clock(const std::string& shift) {
  return {{"LD_PRELOAD", faketime_library()},
          {"FAKETIME", shift},
          {"FAKETIME_FORCE_MONOTONIC_FIX", "0"},
          {"FAKETIME_DONT_FAKE_MONOTONIC", "1"},
          {"DONT_FAKE_MONOTONIC", "1"}};
}

}  // namespace waybill::tests
