#include "domain/values/email.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <unictype.h>
#include <uninorm.h>
#include <unistr.h>

#include "base/ascii.hpp"
#include "base/blanks.hpp"
#include "base/normal_form.hpp"

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

/// True for a character that stands for others, such as a full-width letter (a compatibility decomposition).
bool stands_for_others(ucs4_t code) {
  int kind = UC_DECOMP_CANONICAL;
  std::array<ucs4_t, UC_DECOMPOSITION_MAX_LENGTH> parts{};
  return uc_decomposition(code, &kind, parts.data()) > 0 && kind != UC_DECOMP_CANONICAL;
}

/// True for a letter or mark that is not shown, such as a filler of Hangul or a variation selector: the
/// property Default_Ignorable_Code_Point of Unicode's DerivedCoreProperties.txt.
bool is_ignorable(ucs4_t code) { return uc_is_property_default_ignorable_code_point(code); }

struct Character {
  ucs4_t code = 0;
  std::size_t length = 0;  // bytes
};

Character first_character(std::string_view utf8) {
  Character first;
  const auto* const bytes = reinterpret_cast<const std::uint8_t*>(utf8.data());
  first.length = static_cast<std::size_t>(u8_mbtouc(&first.code, bytes, utf8.size()));
  return first;
}

/// True for quotes, brackets, dashes and stops beyond ASCII, which are pasted with an address, for characters
/// that stand for others, and for those that are not shown.
bool has_foreign_characters(std::string_view utf8) {
  while (!utf8.empty()) {
    const auto [code, length] = first_character(utf8);
    utf8.remove_prefix(length);
    if (code < 0x80) continue;
    if (stands_for_others(code) || is_ignorable(code)) return true;
    if (!uc_is_general_category_withtable(code, UC_CATEGORY_MASK_P)) continue;
    if (std::ranges::find(marks_of_words, code) == marks_of_words.end()) return true;
  }
  return false;
}

std::string without_ignorable(std::string_view utf8) {
  std::string text;
  while (!utf8.empty()) {
    const auto [code, length] = first_character(utf8);
    if (!is_ignorable(code)) text += utf8.substr(0, length);
    utf8.remove_prefix(length);
  }
  return text;
}

/// One line in the form NFKC, with points for the full stops of Chinese and Japanese, and without characters
/// that are not shown.
std::string plain_line(std::string_view text) {
  std::string plain = compatibility_form(text);
  replace_all(plain, "\u3002", ".");
  return single_spaced(without_ignorable(plain));
}

/// The signs that stand around an address.
constexpr auto marks_around = std::to_array<std::string_view>(
    {" ", "\"", "'", "“", "”", "„", "‘", "’", "«", "»", "(", ")", "[", "]", ",", ";", ".", "<", ">"});

std::string_view without_last_marks(std::string_view text) {
  for (bool is_wrapped = true; is_wrapped;) {
    is_wrapped = false;
    for (const auto mark : marks_around) {
      if (!text.ends_with(mark)) continue;
      text.remove_suffix(mark.size());
      is_wrapped = true;
    }
  }
  return text;
}

/// Removes quotes, brackets, separators and `mailto:` around an address.
std::string_view unwrapped(std::string_view text) {
  constexpr std::string_view scheme = "mailto:";
  for (bool is_wrapped = true; is_wrapped;) {
    is_wrapped = equal_ignoring_case(text.substr(0, scheme.size()), scheme);
    if (is_wrapped) text.remove_prefix(scheme.size());
    for (const auto mark : marks_around) {
      if (!text.starts_with(mark)) continue;
      text.remove_prefix(mark.size());
      is_wrapped = true;
    }
  }
  return without_last_marks(text);
}

/// The first address between angle brackets; empty if there is none.
std::string_view bracketed_email(std::string_view line) {
  std::size_t begin = 0;
  for (auto close = line.find('>'); close != std::string_view::npos; close = line.find('>', begin)) {
    const auto before = without_last_marks(line.substr(begin, close - begin));
    begin = close + 1;
    const auto open = before.rfind('<');  // those before it are marks, or the address is not between brackets
    if (open == std::string_view::npos) continue;
    const auto inner = unwrapped(before.substr(open + 1));
    if (is_email(inner)) return inner;
  }
  return {};
}

/// The address before a separator, if another one or other words follow; empty if there is none. A comma
/// within a word may be a mistyped point, and a blank may be in the wrong place. Takes an unwrapped line, and
/// one pass: of the text before a separator, the marks are removed only from what follows the one before.
std::string_view leading_email(std::string_view line) {
  constexpr std::string_view separators = ",;|/& ";
  const auto last_at = line.rfind('@');
  std::string_view first;
  bool is_address = false;
  std::size_t begin = 0;
  for (auto end = line.find_first_of(separators); end != std::string_view::npos;
       end = line.find_first_of(separators, end + 1)) {
    if (const auto added = without_last_marks(line.substr(begin, end - begin)); !added.empty()) {
      first = line.substr(0, begin + added.size());
      is_address = is_email(first);
    }
    begin = end;
    if (first.size() > longest_email) break;
    if (!is_address) continue;
    const bool is_end = (line[end] == ',' || line[end] == ';') && line.substr(end + 1).starts_with(' ');
    if (is_end || (last_at != std::string_view::npos && last_at > end)) return first;
  }
  return {};
}

}  // namespace

bool is_email(std::string_view text) {
  constexpr std::string_view also_allowed = ".!#$%&'*+/=?^_`{|}~-";
  if (text.size() > longest_email) return false;
  const auto at = text.rfind('@');
  if (at == std::string_view::npos || at == 0 || at > 64) return false;
  if (has_blanks(text) || has_foreign_characters(text)) return false;
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

std::optional<std::string> email_in(std::string_view text) {
  if (text.size() > longest_email_text) return std::nullopt;
  const std::string line = plain_line(text);
  const std::string_view whole = unwrapped(line);
  for (const std::string_view email :
       {std::string_view(line), bracketed_email(line), whole, leading_email(whole)})
    if (is_email(email)) return std::string(email);
  return std::nullopt;
}

bool has_several_emails(std::string_view text) {
  if (text.size() > longest_email_text) return false;
  const std::string line = plain_line(text);
  return std::ranges::count(line, '@') > 1 && email_in(line).has_value();
}

std::optional<std::string_view> email_problem(std::string_view text) {
  if (is_email(text)) return std::nullopt;
  if (text.find('\0') != std::string_view::npos || !email_in(text)) return "must be an e-mail address";
  if (has_several_emails(text)) return "must be one e-mail address, not several";
  return "must be an e-mail address, without blanks, names, full-width letters and signs around it";
}

}  // namespace waybill::domain
