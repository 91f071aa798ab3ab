#include "app/process/memory.hpp"

#include <algorithm>
#include <fstream>
#include <limits>
#include <string>
#include <string_view>
#include <unistd.h>

namespace waybill::app {
namespace {

namespace fs = std::filesystem;

constexpr std::uint64_t no_limit = std::numeric_limits<std::uint64_t>::max();

/// No limit for a file that is missing or says "max".
std::uint64_t read_limit(const fs::path& file) {
  std::ifstream stream(file);
  std::uint64_t bytes = 0;
  return stream >> bytes && bytes > 0 ? bytes : no_limit;
}

/// The least limit of the group and of those above it. In a container, the path may be that of the host; only
/// the container's own group exists there, as the root.
std::uint64_t least_limit(const fs::path& hierarchy, std::string_view group, std::string_view file) {
  std::uint64_t least = read_limit(hierarchy / file);
  for (fs::path at = fs::path(group).relative_path(); !at.empty(); at = at.parent_path())
    least = std::min(least, read_limit(hierarchy / at / file));
  return least;
}

/// True if the list "a,b,c" has "memory".
bool has_memory(std::string_view controllers) {
  while (!controllers.empty()) {
    const auto comma = controllers.find(',');
    if (controllers.substr(0, comma) == "memory") return true;
    controllers.remove_prefix(comma == std::string_view::npos ? controllers.size() : comma + 1);
  }
  return false;
}

}  // namespace

std::uint64_t usable_memory(const fs::path& root) {
  const auto machine = static_cast<std::uint64_t>(::sysconf(_SC_PHYS_PAGES)) *
                       static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  const fs::path groups = root / "sys/fs/cgroup";
  std::uint64_t least = std::min(least_limit(groups, {}, "memory.max"),
                                 least_limit(groups / "memory", {}, "memory.limit_in_bytes"));
  // Lines are HIERARCHY:CONTROLLERS:GROUP; the one of version 2 has no controllers.
  std::ifstream own(root / "proc/self/cgroup");
  for (std::string line; std::getline(own, line);) {
    const auto first = line.find(':');
    const auto second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string_view controllers = std::string_view(line).substr(first + 1, second - first - 1);
    const std::string_view group = std::string_view(line).substr(second + 1);
    if (controllers.empty()) least = std::min(least, least_limit(groups, group, "memory.max"));
    if (has_memory(controllers))
      least = std::min(least, least_limit(groups / "memory", group, "memory.limit_in_bytes"));
  }
  return std::min(machine, least);
}

}  // namespace waybill::app
