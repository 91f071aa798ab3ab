#include "domain/places/postal_address.hpp"

#include <algorithm>
#include <utility>

#include "base/ascii.hpp"
#include "domain/places/countries.hpp"
#include "domain/places/postal_code.hpp"

namespace waybill::domain {
namespace {

bool is_ascii(std::string_view text) {
  return std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

/// Returns the name of an unknown country, in capitals if it is ASCII.
std::string unknown_country(std::string_view name) {
  return is_ascii(name) ? ascii_upper(name) : std::string(name);
}

bool same_name(std::string_view a, std::string_view b) {
  const auto& places = Gazetteer::builtin();
  const auto key = places.fold(a);
  return a == b || (!key.empty() && key == places.fold(b));
}

/// Writes the parts of an address in a country's order.
class Writer {
 public:
  explicit Writer(const PostalAddress& address) : address_(address) {}

  std::vector<std::string> write(std::string_view order) {
    for (const char c : order) {
      if (c == 'A') {
        add_street();
      } else if (c == '|') {
        end_line();
      } else if (c == 'C' || c == 'P' || c == 'S' || c == 's') {
        add(part(c));
      } else {
        separator_ += c;
      }
    }
    end_line();
    return std::move(lines_);
  }

 private:
  std::string_view part(char c) const {
    if (c == 'C') return trimmed(address_.city);
    if (c == 'P') return trimmed(address_.postal_code);
    const auto state = trimmed(address_.state);
    const bool is_repeated = c == 's' && same_name(state, trimmed(address_.city));
    return is_repeated ? std::string_view() : state;
  }

  /// A street may have several lines.
  void add_street() {
    for (std::string_view rest = address_.street; !rest.empty();) {
      const auto end = std::min(rest.find('\n'), rest.size());
      add(trimmed(rest.substr(0, end)));
      end_line();
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
  }

  void add(std::string_view text) {
    if (!text.empty()) {
      if (!line_.empty()) line_ += separator_;
      line_ += text;
    }
    separator_.clear();
  }

  void end_line() {
    if (!line_.empty()) lines_.push_back(std::move(line_));
    line_.clear();
    separator_.clear();
  }

  const PostalAddress& address_;
  std::vector<std::string> lines_;
  std::string line_;
  std::string separator_;  // since the last part
};

/// Returns the country whose order an address has; null if it is unknown. An address without a country is in
/// the country of its postal code, if only one has such codes, or else in that of the other address.
const Country* ordering_country(const PostalAddress& address, const Country* named, const Country* other) {
  if (named != nullptr || !trimmed(address.country).empty()) return named;
  const auto code = country_of_postal_code(trimmed(address.postal_code));
  return code ? country_of(*code) : other;
}

}  // namespace

std::vector<std::string> address_lines(const PostalAddress& address, std::string_view other_country) {
  const auto name = trimmed(address.country);
  const auto* const here = country_of(name);
  const auto* const there = country_of(other_country);
  const bool known = here != nullptr || there != nullptr;
  const bool is_abroad = !name.empty() && (known ? here != there : !same_name(name, trimmed(other_country)));

  const auto* const country = ordering_country(address, here, there);
  auto lines = Writer(address).write(country == nullptr ? common_address_order : country->address_order);
  if (is_abroad) lines.push_back(here == nullptr ? unknown_country(name) : std::string(here->name));
  return lines;
}

}  // namespace waybill::domain
