#pragma once

#include <string>
#include <string_view>

#include "base/error.hpp"
#include "base/guid.hpp"
#include "base/json.hpp"

namespace waybill::actions {

/// What a definition and a run's request hold in place of a credential.
inline constexpr std::string_view credential_stars = "********";

/// The values of a webhook's own headers, but for those that say what the message is made of (Content-Type…).
/// Any of them may be a credential. They are kept sealed, apart from the definition, and go to the one host
/// they were given for.
struct Credentials {
  std::string host;     // "https://example.com:443"
  json::object values;  // by header

  bool empty() const { return values.empty(); }
  /// As one text, to be sealed.
  std::string text() const;
  /// Reads it back. Throws std::invalid_argument.
  static Credentials parse(std::string_view text);
  /// What they are sealed for (SecretBox).
  static std::string purpose(const Guid& workflow);
};

/// Puts stars in the place of a checked definition's credentials and returns them. Stars that are there
/// already stand for what was `kept`, if that is of the same host; others are told in `errors`.
Credentials take_credentials(json::object& action, const Credentials& kept, FieldErrors& errors);

/// The credentials of a stored definition: the `kept` ones, and the values of headers that were stored before
/// such values were sealed, which get stars.
Credentials stored_credentials(json::object& action, const Credentials& kept);

/// What is sent to `url` for a header that a request has as `stored`: itself, or what its stars stand for;
/// null when that is of another host or not known any more, and the header is to be left out.
const json::value* header_value(std::string_view url, std::string_view name, const json::value& stored,
                                const Credentials* credentials);

}  // namespace waybill::actions
