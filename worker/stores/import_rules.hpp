#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/clock.hpp"
#include "base/guid.hpp"
#include "base/json.hpp"
#include "connectors/connector.hpp"

// What an import decides, without a database: docs/decisions/0017.
namespace waybill::worker {

/// Whether a text is a decimal from 0 to below 10^12, such as "19.99".
bool is_amount(std::string_view text);

/// Why an order of a store cannot be an order here, as a sentence; nullopt when it can.
std::optional<std::string> unfit(const connectors::StoreOrder& order);

/// SHA-256 in hex of all that is imported, without the status and the time of the change. The order in which
/// a store lists items or variants makes no difference.
std::string digest_of(const connectors::StoreOrder& order);
std::string digest_of(const connectors::StoreProduct& product);

/// The items as the column has them, but for products and with prices as text
/// (storage/sql/imports/items.inc). An item keeps its guid for as long as its description and SKU stay.
json::array items_of(const connectors::StoreOrder& order, const Guid& guid);

/// Whether what the store says of it is no longer taken over: it is shipped, delivered or cancelled.
bool is_closed(std::string_view status);

struct StatusVerdict {
  std::optional<std::string_view> move;      // the status to move to
  std::optional<std::string> contradiction;  // what a person must know: here and in the store differ for good
};

/// What follows here, for an order that is `here`, when the store has it as `now`; `before` is how the store
/// had it when it was last imported. Only forwards, and only when the store has moved it.
StatusVerdict decide_status(std::string_view here, std::optional<std::string_view> before,
                            std::string_view now);

/// How far a store was read.
struct Reached {
  std::optional<Time> at;        // by the store's clock
  std::optional<Time> moved_at;  // when `at` was last moved, by ours
  std::optional<Time> swept_at;  // when the last sweep that came to its end began, by ours
};

/// A change may become visible in a store up to this long after the time it bears: that of its transaction's
/// begin, or of another of the store's machines.
inline constexpr Duration visible_after = std::chrono::minutes(5);
/// Stores keep whole seconds, and ask for what is later than a moment.
inline constexpr Duration same_second = std::chrono::seconds(1);

/// Where the next sweep begins. Nothing that becomes visible late is missed, and no clock of ours is compared
/// with the store's: the overlap ends when a whole sweep found nothing new that long after the last news.
std::optional<Time> sweep_start(const Reached& reached);

/// How long a store that has ended so many sweeps in a row (from 1) is left alone: 1, 2, 4 … 30 minutes, at
/// least as long as it asked, at most a day; `spread` in [-1, 1] varies it by a fifth.
Duration pause_after(int failures, std::optional<Duration> retry_after, double spread);

}  // namespace waybill::worker
