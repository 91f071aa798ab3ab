#pragma once

#include <string>
#include <string_view>

namespace waybill::domain::odata {

// The small letters σ and ς are one letter without regard to case, but `lower` keeps both, and so do the
// indexes on texts in lower case. A condition on such a text therefore compares with σ for ς, and an index
// only finds candidates.

/// True if valid UTF-8 has a sigma of any form.
bool has_sigma(std::string_view text);

/// `text` with `form` instead of each sigma.
std::string with_sigmas_as(std::string_view text, std::string_view form);

/// The SQL expression of a text with σ for ς.
std::string folded_sigmas(std::string_view sql);

/// The SQL expression of the spellings of a text in lower case: as it is, as a text in capitals has it, and
/// with ς at the ends of words.
std::string sigma_spellings(std::string_view sql);

}  // namespace waybill::domain::odata
