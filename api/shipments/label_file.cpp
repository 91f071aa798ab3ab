#include "api/shipments/label_file.hpp"

#include <algorithm>
#include <cstddef>

namespace waybill::api {
namespace {

constexpr std::string_view pdf_begin = "%PDF-", png_begin = "\x89PNG\r\n\x1a\n", zpl_begin = "^XA";
/// Commands to the printer may precede the first label of a ZPL file (ZPL II Programming Guide, "~"
/// commands).
constexpr std::size_t longest_zpl_head = 1'000;

bool is_text(std::string_view bytes) {
  return std::ranges::all_of(
      bytes, [](char c) { return (c >= ' ' && c <= '~') || c == '\t' || c == '\r' || c == '\n'; });
}

}  // namespace

std::optional<std::string_view> label_format_of(std::string_view bytes) {
  if (bytes.starts_with(pdf_begin)) return "pdf";
  if (bytes.starts_with(png_begin)) return "png";
  const auto begin = bytes.substr(0, longest_zpl_head).find(zpl_begin);
  if (begin != std::string_view::npos && is_text(bytes.substr(0, begin))) return "zpl";
  return std::nullopt;
}

std::string_view media_type_of_label(std::string_view format) {
  if (format == "png") return other_label_types[0];
  return format == "zpl" ? other_label_types[1] : "application/pdf";
}

}  // namespace waybill::api
