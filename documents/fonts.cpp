#include "documents/fonts.hpp"

#include <cerrno>
#include <string_view>
#include <sys/mman.h>
#include <system_error>
#include <unistd.h>

// The font files, whose paths CMake finds.
__asm__(
    ".section .rodata\n"
    ".hidden waybill_font_regular\n.global waybill_font_regular\nwaybill_font_regular:\n"
    ".incbin \"" WAYBILL_FONT_REGULAR
    "\"\n"
    ".hidden waybill_font_bold\n.global waybill_font_bold\nwaybill_font_bold:\n"
    ".incbin \"" WAYBILL_FONT_BOLD
    "\"\n"
    ".hidden waybill_fonts_end\n.global waybill_fonts_end\nwaybill_fonts_end:\n"
    ".byte 0\n"
    ".previous\n");

extern "C" {
extern const char waybill_font_regular[];
extern const char waybill_font_bold[];
extern const char waybill_fonts_end[];
}

namespace waybill::documents {
namespace {

/// A file in memory that only this process has.
std::string memory_file(const char* name, const char* begin, const char* end) {
  const auto fail = [&] { throw std::system_error(errno, std::generic_category(), name); };
  const int file = ::memfd_create(name, MFD_CLOEXEC);
  if (file < 0) fail();
  std::string_view rest(begin, static_cast<std::size_t>(end - begin));
  while (!rest.empty()) {
    const auto written = ::write(file, rest.data(), rest.size());
    if (written < 0 && errno != EINTR) fail();
    if (written > 0) rest.remove_prefix(static_cast<std::size_t>(written));
  }
  return "/proc/self/fd/" + std::to_string(file);
}

}  // namespace

const std::string& regular_font_path() {
  static const std::string path = memory_file("regular font", waybill_font_regular, waybill_font_bold);
  return path;
}

const std::string& bold_font_path() {
  static const std::string path = memory_file("bold font", waybill_font_bold, waybill_fonts_end);
  return path;
}

}  // namespace waybill::documents
