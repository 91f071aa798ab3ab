#pragma once

#include <cstddef>
#include <string_view>

/// Makes the bytes of a file part of the program; at namespace scope of a source file. `name` is an
/// identifier of the whole program's, `file` the file's path as a string literal (CMake finds it, and has the
/// source file depend on it). The bytes begin at a multiple of 16 and are followed by a zero.
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

/// Those bytes, in the same source file, as a std::string_view.
#define WAYBILL_EMBEDDED(name)             \
  std::string_view(waybill_##name##_begin, \
                   static_cast<std::size_t>(waybill_##name##_end - waybill_##name##_begin))

/// Their first and the one past their last, as arguments of a template.
#define WAYBILL_EMBEDDED_BOUNDS(name) waybill_##name##_begin, waybill_##name##_end
