#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "domain/filter/filter.hpp"

namespace {

using waybill::domain::FilterError;
using waybill::domain::FilterResult;
using waybill::domain::SqlFragment;

constexpr int first_param = 3;

// True for the characters that the compiler itself writes: no upper case, double quotes or backslashes.
bool is_own_character(char c) {
  return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') ||
         std::string_view(" ._$:()[]=<>,'|-@").find(c) != std::string_view::npos;
}

// True if the text names `$N` for each of `count` parameters, and no other parameter except `$1`.
bool names_parameters(const std::string& text, std::size_t count) {
  std::vector<bool> named(count);
  for (auto at = text.find('$'); at != std::string::npos; at = text.find('$', at + 1)) {
    const int number = std::atoi(text.c_str() + at + 1);
    if (number == 1) continue;
    if (number < first_param || number >= first_param + static_cast<int>(named.size())) return false;
    named[static_cast<std::size_t>(number - first_param)] = true;
  }
  return std::ranges::all_of(named, [](bool each) { return each; });
}

void require(bool holds) {
  if (!holds) std::abort();
}

void check(const FilterResult& result) {
  if (const auto* error = std::get_if<FilterError>(&result)) return require(!error->message.empty());
  const auto& fragment = std::get<SqlFragment>(result);
  require(!fragment.text.empty());
  for (const std::string& sql :
       {fragment.text, fragment.text_for_scans, fragment.join, fragment.joined_text}) {
    require(std::ranges::all_of(sql, is_own_character));
    require(std::ranges::count(sql, '(') == std::ranges::count(sql, ')'));
    require(sql.find("--") == std::string::npos);
  }
  require(names_parameters(fragment.text, fragment.params.size()));
  require(fragment.text_for_scans.empty() ||
          names_parameters(fragment.text_for_scans, fragment.params.size()));
  require(std::ranges::none_of(
      fragment.params, [](const std::string& value) { return value.find('\0') != std::string::npos; }));
}

}  // namespace

// The first byte chooses the record type, the others are the expression.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const auto types = waybill::domain::record_types();
  const auto& type = types[data[0] % types.size()];
  const std::string_view text(reinterpret_cast<const char*>(data) + 1, size - 1);
  check(compile_filter(text, type, first_param));
  check(compile_orderby(text, type));
  check(compile_search(text, type, first_param));
  return 0;
}
