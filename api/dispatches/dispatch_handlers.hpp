#pragma once

#include <optional>
#include <string>
#include <vector>

#include "api/route/route.hpp"
#include "api/route/services.hpp"

namespace waybill::api {

/// A dispatch as it stands, held by a transaction.
struct HeldDispatch {
  std::string status;
  std::optional<std::string> driver;
  std::optional<std::string> vehicle;
  std::string name;
  std::string planned_date;
  std::int64_t stops = 0;
};

inline constexpr std::int64_t most_stops = 1'000;

/// Throws Failure (404) when there is none.
asio::awaitable<HeldDispatch> hold_dispatch(storage::Transaction& transaction, const std::string& business,
                                            const std::string& dispatch);

/// Holds shipments that are about to be put into a dispatch. Throws Failure when one is not there (404),
/// final, or in an open dispatch (409).
asio::awaitable<void> hold_free_shipments(storage::Transaction& transaction, const std::string& business,
                                          const std::vector<std::string>& shipments);

/// POST /api/dispatch
asio::awaitable<Answer> create_dispatch(Call& call, Services& services);
/// PUT /api/dispatch
asio::awaitable<Answer> update_dispatch(Call& call, Services& services);
/// DELETE /api/dispatch/{id}
asio::awaitable<Answer> delete_dispatch(Call& call, Services& services);
/// PATCH /api/dispatch/{id}/status
asio::awaitable<Answer> move_dispatch(Call& call, Services& services);
/// POST /api/dispatch/add-shipment
asio::awaitable<Answer> add_shipment(Call& call, Services& services);
/// POST /api/dispatch/remove-shipment
asio::awaitable<Answer> remove_shipment(Call& call, Services& services);

}  // namespace waybill::api
