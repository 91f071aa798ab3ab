#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"
#include "base/guid.hpp"
#include "base/json.hpp"

namespace waybill::actions {

/// The text that replaces a credential in a definition and in a run's request.
inline constexpr std::string_view credential_stars = "********";

/// The values of a webhook's configured headers, except those that describe the message (Content-Type…). Any
/// of them may be a credential. They are stored encrypted, separately from the definition, and are sent only
/// to the scheme, host and port they were given for. A workflow of several steps has some for each step.
struct Credentials {
  std::string host;                     // "https://example.com:443"
  json::object values;                  // by header
  std::vector<Credentials> steps = {};  // by number - 1; a step has no further steps
  /// Values of earlier definitions for hosts that have none now, the newest first, for the runs that began
  /// with those definitions.
  std::vector<Credentials> earlier = {};

  bool empty() const;
  /// Compares without regard to the order of headers.
  bool operator==(const Credentials&) const = default;
  /// The credentials of step `number` (from 1) for a host: those at its position if they are for this host,
  /// else those of another step with this host, else this object.
  const Credentials& of_step(int number, std::string_view host) const;
  /// The credentials with which a run, at step `number` or with its one action, sends to a host: as of_step,
  /// or else the earlier ones for this host.
  const Credentials& of_run(int number, std::string_view host) const;
  /// Keeps those of `before`, the definition that this one replaces, for its runs: the newest for each host
  /// that has none now, at most 8 and 16 KiB. A header with several values for one host is left out.
  void keep_earlier(const Credentials& before);
  /// Serializes them as one text, which is then encrypted.
  std::string text() const;
  /// Parses the result of `text`. Throws std::invalid_argument.
  static Credentials parse(std::string_view text);
  /// The purpose of the encryption (SecretBox).
  static std::string purpose(const Guid& workflow);
};

/// Replaces the credentials of a checked definition, or of its steps, by stars and returns them. Stars
/// already in the definition refer to `kept`, if that has the same scheme, host and port; else they go to
/// `errors`.
Credentials take_credentials(json::object& action, const Credentials& kept, FieldErrors& errors);

/// The credentials of a stored definition: those in `kept`, and the values of headers that were stored before
/// such values were encrypted. The latter are replaced by stars.
Credentials stored_credentials(json::object& action, const Credentials& kept);

/// The scheme, host and port of a URL, which may be a template; empty for an invalid one.
std::string credential_host(std::string_view url);

/// The value to send to `url` for a header with the value `stored` in the request: `stored` itself, or the
/// credential that its stars hide. Null if the credential belongs to another scheme, host or port or is no
/// longer known; the header is then left out.
const json::value* header_value(std::string_view url, std::string_view name, const json::value& stored,
                                const Credentials* credentials);

}  // namespace waybill::actions
