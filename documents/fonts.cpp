#include "documents/fonts.hpp"

#include <cerrno>
#include <fontconfig/fontconfig.h>
#include <memory>
#include <pango/pangocairo.h>
#include <stdexcept>
#include <string>
#include <string_view>
#include <sys/mman.h>
#include <system_error>
#include <unistd.h>

#include "base/embedded_file.hpp"
#include "base/owned.hpp"

// CMake names the files.
WAYBILL_EMBED(font_regular, WAYBILL_FONT_REGULAR)
WAYBILL_EMBED(font_bold, WAYBILL_FONT_BOLD)

namespace waybill::documents {
namespace {

/// Pictures of characters do not suit a label printer.
constexpr std::string_view without_pictures = R"(<?xml version="1.0"?>
<fontconfig>
  <selectfont>
    <rejectfont>
      <pattern><patelt name="outline"><bool>false</bool></patelt></pattern>
      <pattern><patelt name="color"><bool>true</bool></patelt></pattern>
    </rejectfont>
  </selectfont>
</fontconfig>
)";

const FcChar8* chars(std::string_view text) { return reinterpret_cast<const FcChar8*>(text.data()); }

/// Creates a file in memory and returns its path, which is valid in this process until its end.
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

/// Makes the configuration of the process, which Pango uses too. A machine without fonts or without a
/// configuration of fontconfig has the base family alone.
FcConfig* make_config() {
  Owned<FcConfig, FcConfigDestroy> config(FcConfigCreate());
  if (!config) throw std::bad_alloc();
  FcConfigParseAndLoad(config.get(), nullptr, FcFalse);
  FcConfigParseAndLoadFromMemory(config.get(), chars(without_pictures), FcTrue);
  bool is_loaded = FcConfigBuildFonts(config.get()) == FcTrue;
  for (const auto& path : {memory_file("regular font", WAYBILL_EMBEDDED(font_regular)),
                           memory_file("bold font", WAYBILL_EMBEDDED(font_bold))}) {
    is_loaded = is_loaded && FcConfigAppFontAddFile(config.get(), chars(path)) == FcTrue;
  }
  if (!is_loaded || FcConfigSetCurrent(config.get()) != FcTrue)
    throw std::runtime_error("fontconfig cannot load the fonts of labels");
  return config.release();
}

FcConfig* config() {
  static FcConfig* const made = make_config();
  return made;
}

/// Returns the characters of all fonts.
const FcCharSet* make_characters() {
  auto* const characters = FcCharSetCreate();
  for (const auto set : {FcSetSystem, FcSetApplication}) {
    const auto* const fonts = FcConfigGetFonts(config(), set);
    for (int i = 0; fonts != nullptr && i < fonts->nfont; ++i) {
      FcCharSet* added = nullptr;
      if (FcPatternGetCharSet(fonts->fonts[i], FC_CHARSET, 0, &added) == FcResultMatch)
        FcCharSetMerge(characters, added, nullptr);
    }
  }
  return characters;
}

}  // namespace

PangoFontMap* font_map() {
  static PangoFontMap* const map = (config(), pango_cairo_font_map_new());
  return map;
}

bool has_glyph(char32_t character) {
  static const FcCharSet* const characters = make_characters();
  return FcCharSetHasChar(characters, character) == FcTrue;
}

}  // namespace waybill::documents
