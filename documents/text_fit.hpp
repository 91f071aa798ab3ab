#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace waybill::documents {

/// The width of a UTF-8 text, in the unit of the widths below.
using TextWidth = std::function<float(std::string_view)>;

/// `text` (valid UTF-8) on one line: white space and control characters become single spaces, with none at
/// the ends. Characters beyond the basic multilingual plane, which the PDF's fonts cannot encode, become
/// U+FFFD.
std::string printable_text(std::string_view text);

/// Lines no wider than `width`, broken at spaces; a word is broken only if it is too wide itself. A line has
/// at least one character, whatever the width.
std::vector<std::string> wrap_text(std::string_view text, float width, const TextWidth& width_of);

/// The longest beginning of `text` that fits, followed by an ellipsis.
std::string cut_text(std::string_view text, float width, const TextWidth& width_of);

}  // namespace waybill::documents
