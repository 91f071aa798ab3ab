#include "domain/values/email.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <unictype.h>
#include <unistr.h>

#include "base/ascii.hpp"
#include "base/blanks.hpp"

namespace waybill::domain {
namespace {

bool is_domain_label(std::string_view label) {
  return !label.empty() && label.size() <= 63 && label.front() != '-' && label.back() != '-' &&
         std::ranges::all_of(label, [](char c) {
           return is_alphanumeric(c) || c == '-' || static_cast<unsigned char>(c) >= 0x80;
         });
}

/// Punctuation that is part of words: the middle dots of Catalan and Japanese, geresh and gershayim.
constexpr std::array<ucs4_t, 4> marks_of_words = {0x00B7, 0x05F3, 0x05F4, 0x30FB};

/// True for quotes, brackets, dashes and stops beyond ASCII, which are pasted with an address.
bool has_foreign_punctuation(std::string_view utf8) {
  while (!utf8.empty()) {
    ucs4_t code = 0;
    const auto* const bytes = reinterpret_cast<const std::uint8_t*>(utf8.data());
    utf8.remove_prefix(static_cast<std::size_t>(u8_mbtouc(&code, bytes, utf8.size())));
    if (code < 0x80 || !uc_is_general_category_withtable(code, UC_CATEGORY_MASK_P)) continue;
    if (std::ranges::find(marks_of_words, code) == marks_of_words.end()) return true;
  }
  return false;
}

}  // namespace

bool is_email(std::string_view text) {
  constexpr std::string_view also_allowed = ".!#$%&'*+/=?^_`{|}~-";
  const auto at = text.rfind('@');
  if (at == std::string_view::npos || at == 0 || at > 64 || text.size() > longest_email) return false;
  if (has_blanks(text) || has_foreign_punctuation(text)) return false;
  const auto local = text.substr(0, at);
  const bool is_local_valid = local.front() != '.' && local.back() != '.' &&
                              local.find("..") == std::string_view::npos &&
                              std::ranges::all_of(local, [&](char c) {
                                return is_alphanumeric(c) || static_cast<unsigned char>(c) >= 0x80 ||
                                       also_allowed.find(c) != std::string_view::npos;
                              });
  if (!is_local_valid) return false;
  auto domain = text.substr(at + 1);
  int labels = 1;
  for (auto dot = domain.find('.'); dot != std::string_view::npos; dot = domain.find('.'), ++labels) {
    if (!is_domain_label(domain.substr(0, dot))) return false;
    domain.remove_prefix(dot + 1);
  }
  return labels >= 2 && is_domain_label(domain);
}

}  // namespace waybill::domain
