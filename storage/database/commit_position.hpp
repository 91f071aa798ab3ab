#pragma once

#include <algorithm>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace waybill::storage {

/// A position of the primary's write-ahead log. A server that has replayed up to a position shows every
/// commit before it that is not lost. A later timeline is greater: the server is then past the fail-over that
/// began the timeline, and commits of the former primary that it does not have are lost.
struct CommitPosition {
  std::uint32_t timeline = 0;  // 0: before all positions
  std::uint64_t lsn = 0;

  auto operator<=>(const CommitPosition&) const = default;

  /// Parts as PostgreSQL writes them: the timeline in hexadecimal, the LSN as "16/B374D848". nullopt for any
  /// other text.
  static std::optional<CommitPosition> from_sql(std::string_view timeline, std::string_view lsn);
  /// The inverse of `to_string`; nullopt for any other text.
  static std::optional<CommitPosition> parse(std::string_view text);
  std::string to_string() const;
};

/// The outcome of the commits of one request.
struct Commits {
  CommitPosition position;  // covers those that are confirmed
  bool is_unclear = false;  // one of them may have taken effect although its confirmation was lost

  void add(const Commits& further) {
    position = std::max(position, further.position);
    is_unclear = is_unclear || further.is_unclear;
  }
};

/// Returns the number of an LSN such as "16/B374D848"; nullopt for any other text.
std::optional<std::uint64_t> parse_lsn(std::string_view text);

}  // namespace waybill::storage
