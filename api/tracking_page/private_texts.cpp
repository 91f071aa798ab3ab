#include "api/tracking_page/private_texts.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>
#include <unictype.h>
#include <unistr.h>

#include "api/tracking_page/texts.hpp"
#include "base/ascii.hpp"
#include "base/blanks.hpp"
#include "base/normal_form.hpp"
#include "base/utf8.hpp"

namespace waybill::api {
namespace {

const std::uint8_t* bytes(std::string_view text) {
  return reinterpret_cast<const std::uint8_t*>(text.data());
}

/// The text in one form of its characters: NFKC, with dashes and the decimal digits of all scripts as those
/// of ASCII.
std::string plain(std::string_view text) {
  const std::string normal = compatibility_form(text);
  std::string_view rest = normal;
  std::string result;
  while (!rest.empty()) {
    ucs4_t code = 0;
    const auto length = static_cast<std::size_t>(u8_mbtouc(&code, bytes(rest), rest.size()));
    if (const int digit = uc_decimal_value(code); digit >= 0) {
      result += static_cast<char>('0' + digit);
    } else if (uc_is_general_category_withtable(code, UC_CATEGORY_MASK_Pd)) {
      result += '-';
    } else {
      result += rest.substr(0, length);
    }
    rest.remove_prefix(length);
  }
  return result;
}

/// The text as it is compared.
std::string comparable(std::string_view text) { return folded_utf8(plain(without_blanks(text))); }

constexpr std::size_t known_digits = 8;
constexpr std::size_t least_digits = 6;

class Search {
 public:
  explicit Search(const PrivateFacts& facts) {
    add_text(facts.email);
    add_street(facts.street);
    add_phone(facts.phone);
  }

  bool is_empty() const { return texts_.empty() && numbers_.empty(); }

  bool finds(std::string_view text) const {
    const auto compared = comparable(text);
    std::string digits = compared;
    std::erase_if(digits, [](char c) { return !is_digit(c); });
    const auto contains = [](const std::string& where) {
      return [&where](const std::string& part) { return where.find(part) != std::string::npos; };
    };
    return std::ranges::any_of(texts_, contains(compared)) || std::ranges::any_of(numbers_, contains(digits));
  }

 private:
  void add_text(std::string_view text) {
    constexpr std::int64_t least_characters = 4;
    auto compared = comparable(text);
    if (count_characters(compared) >= least_characters) texts_.push_back(std::move(compared));
  }

  /// Adds the street, and each of its parts that has a number: "1 High Street, Flat 3".
  void add_street(std::string_view street) {
    constexpr std::int64_t least_characters = 6;
    add_text(street);
    for (std::string_view rest = street; !rest.empty();) {
      const auto end = std::min(rest.find_first_of(",\r\n"), rest.size());
      const auto part = comparable(rest.substr(0, end));
      rest.remove_prefix(std::min(end + 1, rest.size()));
      if (std::ranges::any_of(part, is_digit) && count_characters(part) >= least_characters)
        texts_.push_back(part);
    }
  }

  /// Adds the numbers in the text, which nothing tells apart for certain: "0171 1234567-89 / 0172 7654321".
  void add_phone(std::string_view phone) {
    const auto text = plain(phone);
    for (const std::string_view within : {"", " .()", " .()-", " .()-/"}) add_numbers(text, within);
    const bool has_letters = std::ranges::any_of(text, is_letter);  // "1-800-FLOWERS"
    if (has_letters && std::ranges::count_if(text, is_digit) > 1) add_text(phone);
  }

  /// Adds the numbers whose digits stand next to each other or have only characters of `within` between them.
  void add_numbers(std::string_view text, std::string_view within) {
    std::string number;
    const auto finish = [&] {
      number.erase(0, number.size() - std::min(number.size(), known_digits));
      if (number.size() >= least_digits && std::ranges::find(numbers_, number) == numbers_.end())
        numbers_.push_back(number);
      number.clear();
    };
    for (const char c : text) {
      if (is_digit(c)) {
        number += c;
      } else if (within.find(c) == std::string_view::npos) {
        finish();
      }
    }
    finish();
  }

  std::vector<std::string> texts_;
  std::vector<std::string> numbers_;  // the last digits of each
};

}  // namespace

void hide_private(std::vector<TrackedTrace>& traces, const PrivateFacts& facts) {
  const Search search(facts);
  if (search.is_empty()) return;
  for (auto& trace : traces) {
    if (search.finds(trace.description)) {
      const auto* const known = status_texts(trace.status);
      trace.description = known == nullptr ? std::string_view() : known->default_description;
    }
    if (search.finds(trace.location)) trace.location.clear();
  }
}

}  // namespace waybill::api
