#pragma once

#include <cstdint>
#include <filesystem>

namespace waybill::app {

/// The bytes of memory that this process may use: the machine's, or the least limit of its control groups
/// (cgroups(7), version 1 or 2). `root` has the directories proc and sys.
std::uint64_t usable_memory(const std::filesystem::path& root = "/");

}  // namespace waybill::app
