#include "documents/pdf_font.hpp"

#include <algorithm>
#include <cstdint>
#include <hpdf_fontdef.h>
#include <hpdf_objects.h>
#include <optional>
#include <string>
#include <vector>

namespace waybill::documents {
namespace {

std::string hex_byte(unsigned byte) {
  constexpr std::string_view digits = "0123456789ABCDEF";
  return {digits[byte / 16], digits[byte % 16]};
}

/// Returns a map of the codes to themselves: libharu writes text as UTF-16 without surrogates. A range must
/// not cross a change of the first byte, and a block has at most 100 ranges (Adobe Technical Note 5411).
std::string make_identity_map() {
  constexpr unsigned first_surrogate = 0xD8;
  constexpr unsigned after_surrogates = 0xE0;
  constexpr std::size_t longest_block = 100;
  std::vector<std::string> ranges;
  for (unsigned high = 0; high <= 0xFF; ++high) {
    if (high >= first_surrogate && high < after_surrogates) continue;
    const auto lead = hex_byte(high);
    std::string& range = ranges.emplace_back();
    range.append("<").append(lead).append("00> <").append(lead).append("FF> <").append(lead).append("00>\n");
  }
  std::string map =
      "/CIDInit /ProcSet findresource begin\n12 dict begin\nbegincmap\n"
      "/CIDSystemInfo << /Registry (Adobe) /Ordering (UCS) /Supplement 0 >> def\n"
      "/CMapName /Adobe-Identity-UCS def\n/CMapType 2 def\n"
      "1 begincodespacerange\n<0000> <FFFF>\nendcodespacerange\n";
  for (std::size_t done = 0; done < ranges.size(); done += longest_block) {
    const auto end = std::min(done + longest_block, ranges.size());
    map += std::to_string(end - done) + " beginbfrange\n";
    for (auto i = done; i < end; ++i) map += ranges[i];
    map += "endbfrange\n";
  }
  return map + "endcmap\nCMapName currentdict /CMap defineresource pop\nend\nend\n";
}

/// Reads big-endian numbers of a TrueType file.
class Reader {
 public:
  Reader(std::string_view file, std::size_t at) : file_(file), at_(at) {}

  /// Returns nullopt behind the end of the file.
  std::optional<std::uint16_t> next() {
    if (at_ + 2 > file_.size()) return std::nullopt;
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(file_[i]); };
    const auto value = static_cast<std::uint16_t>(byte(at_) << 8U | byte(at_ + 1));
    at_ += 2;
    return value;
  }

  void skip(std::size_t bytes) { at_ += bytes; }

 private:
  std::string_view file_;
  std::size_t at_;
};

/// Returns the glyphs of which the glyph at `offset` consists (OpenType 1.9, table glyf).
std::vector<std::uint16_t> parts_of(std::string_view file, std::size_t offset) {
  enum Flag : std::uint16_t {
    words = 1U << 0,
    scale = 1U << 3,
    more = 1U << 5,
    two_scales = 1U << 6,
    matrix = 1U << 7,
  };
  constexpr std::uint16_t composite = 0xFFFF;  // the number of contours is -1
  constexpr std::size_t bounds = 8;
  Reader reader(file, offset);
  if (reader.next() != composite) return {};
  reader.skip(bounds);
  std::vector<std::uint16_t> parts;
  for (;;) {
    const auto flags = reader.next();
    const auto glyph = reader.next();
    if (!flags || !glyph) return parts;
    parts.push_back(*glyph);
    if ((*flags & more) == 0) return parts;
    reader.skip((*flags & words) != 0 ? 4 : 2);
    if ((*flags & scale) != 0) reader.skip(2);
    if ((*flags & two_scales) != 0) reader.skip(4);
    if ((*flags & matrix) != 0) reader.skip(8);
  }
}

}  // namespace

void set_to_unicode(HPDF_Font font) {
  static const std::string map = make_identity_map();
  auto* const stream = static_cast<HPDF_Dict>(HPDF_Dict_GetItem(font, "ToUnicode", HPDF_OCLASS_DICT));
  if (stream == nullptr) return;
  HPDF_MemStream_FreeData(stream->stream);
  HPDF_Stream_WriteStr(stream->stream, map.c_str());
  HPDF_Dict_AddName(stream, "CMapName", "Adobe-Identity-UCS");
}

void embed_parts_of_glyphs(HPDF_Font font, std::string_view file) {
  const auto* const definition = static_cast<HPDF_FontAttr>(font->attr)->fontdef;
  const auto& table = *static_cast<HPDF_TTFontDefAttr>(definition->attr);
  const auto offset_of = [&](std::size_t glyph) {
    const std::size_t unit = table.header.index_to_loc_format == 0 ? 2 : 1;
    return table.glyph_tbl.base_offset + unit * table.glyph_tbl.offsets[glyph];
  };
  std::vector<std::size_t> open;
  for (std::size_t glyph = 0; glyph < table.num_glyphs; ++glyph) {
    if (table.glyph_tbl.flgs[glyph] != 0) open.push_back(glyph);
  }
  while (!open.empty()) {
    const auto glyph = open.back();
    open.pop_back();
    const bool is_empty = offset_of(glyph) == offset_of(glyph + 1);
    if (is_empty) continue;
    for (const auto part : parts_of(file, offset_of(glyph))) {
      if (part >= table.num_glyphs || table.glyph_tbl.flgs[part] != 0) continue;
      table.glyph_tbl.flgs[part] = 1;
      open.push_back(part);
    }
  }
}

}  // namespace waybill::documents
