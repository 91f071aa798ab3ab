#include "domain/values/email.hpp"

#include <algorithm>

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

}  // namespace

bool is_email(std::string_view text) {
  constexpr std::string_view also_allowed = ".!#$%&'*+/=?^_`{|}~-";
  const auto at = text.rfind('@');
  if (at == std::string_view::npos || at == 0 || at > 64 || text.size() > longest_email) return false;
  if (has_blanks(text)) return false;
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
