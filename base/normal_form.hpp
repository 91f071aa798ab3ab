#pragma once

#include <string>
#include <string_view>

namespace waybill {

/// Returns the normalization form KC (Unicode Standard Annex 15): plain letters for full-width ones,
/// ligatures and the like. Takes valid UTF-8. Pure.
std::string compatibility_form(std::string_view utf8);

/// Replaces each occurrence of `from`, which is not empty, in one pass.
void replace_all(std::string& text, std::string_view from, std::string_view to);

}  // namespace waybill
