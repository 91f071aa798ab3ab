#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace waybill::documents {

/// How wide a UTF-8 text is, in the unit of the widths below.
using TextWidth = std::function<float(std::string_view)>;

/// `text` (valid UTF-8) on one line: white space and control characters become single spaces, none at the
/// ends. Characters beyond the basic multilingual plane, which the PDF's fonts cannot name, become U+FFFD.
std::string printable_text(std::string_view text);

/// Lines no wider than `width`, broken at spaces, within a word only when it is wider by itself. A line holds
/// one character at least, however narrow the place.
std::vector<std::string> wrap_text(std::string_view text, float width, const TextWidth& width_of);

/// The longest beginning of `text` that fits with an ellipsis behind it.
std::string cut_text(std::string_view text, float width, const TextWidth& width_of);

}  // namespace waybill::documents
