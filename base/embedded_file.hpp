#pragma once

#include <cstddef>
#include <string_view>

/// Embeds the bytes of a file in the program; used at namespace scope of a source file. `name` is unique in
/// the program, `file` is the file's path as a string literal (CMake makes the source file depend on it). The
/// bytes are aligned to 16 and followed by a zero.
// NOLINTBEGIN(hicpp-no-assembler,modernize-avoid-c-arrays,bugprone-macro-parentheses)
#define WAYBILL_EMBED(name, file)                                                                     \
  __asm__(".pushsection .rodata\n.balign 16\n.hidden waybill_" #name "_begin\n.hidden waybill_" #name \
          "_end\n.global waybill_" #name "_begin\n.global waybill_" #name "_end\nwaybill_" #name      \
          "_begin:\n.incbin \"" file "\"\nwaybill_" #name "_end:\n.byte 0\n.popsection\n");           \
  extern "C" {                                                                                        \
  extern const char waybill_##name##_begin[];                                                         \
  extern const char waybill_##name##_end[];                                                           \
  }
// NOLINTEND(hicpp-no-assembler,modernize-avoid-c-arrays,bugprone-macro-parentheses)

/// The embedded bytes as a std::string_view, in the same source file.
#define WAYBILL_EMBEDDED(name)             \
  std::string_view(waybill_##name##_begin, \
                   static_cast<std::size_t>(waybill_##name##_end - waybill_##name##_begin))

/// The begin and end of the embedded bytes, as template arguments.
#define WAYBILL_EMBEDDED_BOUNDS(name) waybill_##name##_begin, waybill_##name##_end
