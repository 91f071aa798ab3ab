#include "connectors/label_format.hpp"

#include <algorithm>

namespace waybill::connectors {
namespace {

constexpr std::string_view pdf_begin = "%PDF-", png_begin = "\x89PNG\r\n\x1a\n";

bool is_text(char c) { return (c >= ' ' && c <= '~') || c == '\t' || c == '\r' || c == '\n'; }

std::string_view without_blanks(std::string_view bytes) {
  constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
  constexpr std::string_view blanks = " \t\r\n\f\v";
  if (bytes.starts_with(byte_order_mark)) bytes.remove_prefix(byte_order_mark.size());
  return bytes.substr(std::min(bytes.find_first_not_of(blanks), bytes.size()));
}

// Zebra's drivers set the prefixes of commands first, some after a DLE: CT~~CD,~CC^~CT~ (ZPL II Programming
// Guide, ~CD, ~CC, ~CT).
bool begins_with_printer_command(std::string_view bytes) {
  constexpr char data_link_escape = '\x10';
  if (bytes.starts_with(data_link_escape)) bytes.remove_prefix(1);
  return bytes.starts_with('~') || bytes.starts_with("CT~");
}

bool is_zpl(std::string_view bytes) {
  constexpr std::string_view begin = "^XA";
  if (bytes.starts_with(begin)) return true;
  if (!begins_with_printer_command(bytes)) return false;
  const auto head = bytes.substr(0, bytes.find(begin));
  return head.size() < bytes.size() && std::ranges::all_of(head.substr(1), is_text);
}

}  // namespace

std::optional<LabelFormat> label_format_of(std::string_view bytes) {
  if (bytes.starts_with(png_begin)) return LabelFormat::png;
  const auto begin = without_blanks(bytes);
  if (begin.starts_with(pdf_begin)) return LabelFormat::pdf;
  if (is_zpl(begin)) return LabelFormat::zpl;
  return std::nullopt;
}

}  // namespace waybill::connectors
