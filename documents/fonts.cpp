#include "documents/fonts.hpp"

#include <cerrno>
#include <string_view>
#include <sys/mman.h>
#include <system_error>
#include <unistd.h>

#include "base/embedded_file.hpp"

// CMake names the files.
WAYBILL_EMBED(font_regular, WAYBILL_FONT_REGULAR)
WAYBILL_EMBED(font_bold, WAYBILL_FONT_BOLD)

namespace waybill::documents {
namespace {

/// Creates a file in memory and returns its path, which is valid in this process only.
std::string memory_file(const char* name, std::string_view rest) {
  const auto fail = [&] { throw std::system_error(errno, std::generic_category(), name); };
  const int file = ::memfd_create(name, MFD_CLOEXEC);
  if (file < 0) fail();
  while (!rest.empty()) {
    const auto written = ::write(file, rest.data(), rest.size());
    if (written < 0 && errno != EINTR) fail();
    if (written > 0) rest.remove_prefix(static_cast<std::size_t>(written));
  }
  return "/proc/self/fd/" + std::to_string(file);
}

}  // namespace

std::string_view regular_font() { return WAYBILL_EMBEDDED(font_regular); }

std::string_view bold_font() { return WAYBILL_EMBEDDED(font_bold); }

const std::string& regular_font_path() {
  static const std::string path = memory_file("regular font", regular_font());
  return path;
}

const std::string& bold_font_path() {
  static const std::string path = memory_file("bold font", bold_font());
  return path;
}

}  // namespace waybill::documents
