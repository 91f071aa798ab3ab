#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "api/endpoint/endpoint.hpp"
#include "api/endpoint/paging.hpp"
#include "base/secret_box.hpp"

namespace waybill::api {

/// The parameters of a list that is also read by cursor.
inline constexpr Parameter after_parameter{
    .name = "after",
    .kind = Kind::text,
    .max_length = 12'000,
    .description =
        "The nextCursor of the page before, or empty for the first page. The answer then has "
        "nextCursor and hasMore, and totals only with count=true.",
    .flag = true};
inline constexpr Parameter count_parameter{
    .name = "count", .kind = Kind::boolean, .description = "With after: adds totalCount and totalPages."};

/// The place of a row in its list: the values of the keys of the order as text; nullopt: null.
using Position = std::vector<std::optional<std::string>>;

/// The place from which a call reads its list on, and the cursors of its answer. A cursor is the position of
/// a row, sealed for the business, the list and the parameters that select and sort. So nobody reads or
/// changes it, and it fits no other list, filter or order. The same position has the same cursor, so equal
/// pages have equal entity tags.
class ListCursor {
 public:
  /// Returns nullopt for a call without `after`. `list` names the list; it and `call.query` decide whether a
  /// cursor fits. Throws Failure (VALIDATION_ERROR) for `Page` next to `after`, and for a text that is not a
  /// cursor of this list with `keys` keys.
  static std::optional<ListCursor> find(const Call& call, const SecretBox& secrets, std::string_view list,
                                        std::size_t keys);

  /// Nullopt: from the start.
  const std::optional<Position>& position() const { return position_; }

  /// `position` is a JSON array of texts and nulls.
  std::string seal(std::string_view position) const;

 private:
  ListCursor(const SecretBox& secrets, std::string purpose)
      : secrets_(&secrets), purpose_(std::move(purpose)) {}

  const SecretBox* secrets_;
  std::string purpose_;
  std::optional<Position> position_;
};

/// True if the call asks for the total of a list that it reads by cursor.
bool wants_count(const Call& call);

/// `data` is the JSON array of the page's entries. Without `next`, the list ends here.
Answer cursor_answer(std::string data, const Page& page, const std::optional<std::string>& next,
                     std::optional<std::int64_t> total_count);

}  // namespace waybill::api
